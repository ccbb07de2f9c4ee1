"""Makes the corpora, feeds them to each peer in interleaved rounds and prints a table of medians."""
import argparse, fcntl, json, os, pathlib, pty, random, select, shutil, statistics, struct, subprocess, termios, time

TARGET = pathlib.Path(os.environ["BENCH_TARGET"])
JAVA = os.environ["BENCH_JAVA"]
TARGETS = {"lines": 4, "build": 4, "full-screen": 4, "24-bit": 2.5, "mixed": 2.5, "cjk": 2}


def record(argv, keys, seconds):
    """What a program prints on a terminal of 80x24 while keys are typed."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", HOME=str(TARGET))
        os.execvp(argv[0], argv)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    out, keys, until = b"", list(keys), time.monotonic() + seconds
    typed = time.monotonic() + 0.5
    while time.monotonic() < until:
        ready, _, _ = select.select([master], [], [], 0.05)
        if ready:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        if keys and time.monotonic() > typed:
            os.write(master, keys.pop(0).encode())
            typed = time.monotonic() + 0.05
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(master)
    return out


def full_screen():
    text = TARGET / "text.txt"
    text.write_text("\n".join(f"{i:5} " + "lorem ipsum dolor sit amet " * (1 + i % 4) for i in range(2000)))
    page = ["\x06"] * 25 + ["\x02"] * 10
    programs = [
        (["vim", "-u", "NONE", "-N", "-c", "syntax on", str(pathlib.Path(__file__))], page + ["jjjj", "ihello\x1b", "dd", "u", ":%s/e/E/g\r"], 5),
        (["htop", "-d", "2"], ["\x1b[B"] * 30, 4),
        (["less", "-N", str(text)], [" "] * 30 + ["b"] * 20, 4),
        (["tmux", "-f", "/dev/null", "-L", f"bench{os.getpid()}", "new", "top", "-d", "1"], ["\x02%", "seq 2000\r", "\x02\"", "ls -la /usr/bin\r"], 5),
    ]
    found = [record(*program) for program in programs if shutil.which(program[0][0])]
    if shutil.which("tmux"):
        subprocess.run(["tmux", "-L", f"bench{os.getpid()}", "kill-server"], check=False, capture_output=True)
    return b"\x1bc".join(found) + b"\x1bc"


def corpora(size):
    some = random.Random(7)
    words = "compile link module test target source warning error note resource checking building".split()
    made = {
        "lines": "".join(f"{i:7} the quick brown fox jumps over the lazy dog {some.random():.12f}\r\n" for i in range(20000)).encode(),
        "build": "".join(f"\x1b[32m[{i % 100:3}%]\x1b[0m \x1b[1m{some.choice(words)}\x1b[0m src/main/{some.choice(words)}/{i}.o "
                         f"\x1b[33m{some.choice(words)}\x1b[0m\x1b[K\r\n" for i in range(20000)).encode(),
        "24-bit": "".join(f"\x1b[38;2;{some.randrange(256)};{some.randrange(256)};{some.randrange(256)}m{chr(33 + i % 90)}"
                          + ("\x1b[0m\r\n" if i % 79 == 78 else "") for i in range(60000)).encode(),
        "mixed": "".join(some.choice([
            lambda: f"\x1b[{some.randrange(24) + 1};{some.randrange(80) + 1}H", lambda: "word " * some.randrange(6), lambda: "\x1b[K",
            lambda: f"\x1b[{some.choice([0, 1, 4, 7, 31, 42, 95])}m", lambda: "─│┌ é ü ß ", lambda: "\r\n", lambda: f"\x1b[38;5;{some.randrange(256)}m",
            lambda: "\t", lambda: f"\x1b[{some.randrange(5)}P", lambda: "\x1b[2J" if some.random() < .05 else "x",
        ])() for _ in range(120000)).encode(),
        "cjk": "".join("".join(chr(some.randrange(0x4e00, 0x9fa5)) for _ in range(some.randrange(20, 60))) + "\r\n" for _ in range(8000)).encode(),
        "full-screen": full_screen(),
    }
    files = {}
    for name, bytes_ in made.items():
        path = TARGET / f"{name}.corpus"
        path.write_bytes(bytes_ * max(1, size // len(bytes_)))
        files[name] = path
    return files


class Peer:
    def __init__(self, argv):
        self.process = subprocess.Popen(argv, cwd=TARGET, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def feed(self, path):
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--mb", type=int, default=8)
    words.add_argument("--only", default="")
    asked = words.parse_args()
    files = corpora(asked.mb << 20)
    if asked.only:
        files = {name: path for name, path in files.items() if name in asked.only.split(",")}
    java = [JAVA, "-XX:+UseSerialGC", "-Xmx256m"]
    peers = {
        "./belay's flags": Peer([*java, "-XX:TieredStopAtLevel=1", "-cp", "classes", "Feed"]),
        "both compilers": Peer([*java, "-cp", "classes", "Feed"]),
        "xterm headless": Peer(["node", "xterm.mjs"]),
    }
    speeds = {(corpus, peer): [] for corpus in files for peer in peers}
    for round_ in range(asked.rounds + 1):  # the first one warms up
        for corpus, path in files.items():
            rows = {}
            for name, peer in peers.items():
                said = peer.feed(path)
                rows[name] = said["rows"]
                if round_:
                    speeds[corpus, name].append(path.stat().st_size / said["micros"])
            if rows["./belay's flags"] != rows["xterm headless"]:
                print(f"bench: {corpus} ends in other rows than xterm.js's")
    for peer in peers.values():
        peer.close()
    print("| corpus | " + " | ".join(peers) + " | ratio | target |\n|---|" + "---:|" * (len(peers) + 2))
    for corpus in files:
        medians = [statistics.median(speeds[corpus, name]) for name in peers]
        print(f"| {corpus} | " + " | ".join(f"{m:.0f}" for m in medians) + f" | {medians[0] / medians[2]:.1f}x, {medians[1] / medians[2]:.1f}x | {TARGETS[corpus]}x |")


main()
