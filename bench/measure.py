"""Runs the works of the benchmark in shuffled rounds and passes their output to the report. Started by bench/run."""
import argparse
import datetime
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import time

import report

ROOT = pathlib.Path(os.environ["BENCH_ROOT"])
TARGET = ROOT / "bench/target"
JAVA = os.environ["BENCH_JAVA"]
QUICK_SECONDS = 80
RUN_TIMEOUT_SECONDS = 180
FDS_PER_SESSION = 4
COLD_STARTS = 3

PEERS = ["c", "clog", "belay", "pty4j", "node", "python", "processbuilder"]
# Only if they are asked for, to compare with Belay: with screens that nobody looks at, and with the JVM flags of ./belay.
EXTRA = ["screens", "shipped"]
SHIPPED = ["-XX:TieredStopAtLevel=1", "-Xms32m", "-Xmn8m"]
WORKS = ["spawn", "parallel", "echo", "pinned", "flood", "lines", "bytes", "pipe", "paste", "idle", "cold", "growth"]
# A thousand calls a second are few for a compiler that waits for tens of thousands. While it works, the children have one
# core less.
JVM_WARM_MS = {"spawn": 12_000, "parallel": 25_000, "idle": 12_000}
GROWTH = [10, 100, 1000, 3000]
# The works that print enough for a log to matter.
LOGGED = ["echo", "pinned", "flood", "lines", "bytes", "pipe"]


def java(work):
    """The JVM command: for memory with the whole heap touched beforehand, for a cold start as ./belay starts it."""
    flags = os.environ.get("BENCH_FLAGS", "").split() + {
        "idle": ["-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch"],
        "cold": ["-XX:TieredStopAtLevel=1"],
    }.get(work, [])
    # A folder of changed classes, put before the built ones to try something out.
    classes = os.environ.get("BENCH_PATCH", str(TARGET / "classes"))
    path = f"{classes}:{TARGET}/classes:{ROOT}/cli/target/app/lib/*:{TARGET}/lib/*"
    return [JAVA, "-XX:-MaxFDLimit", "-XX:+UseSerialGC", *flags, "--enable-native-access=ALL-UNNAMED",
            f"-Dbench.state={TARGET}/state", "-cp", path, "Bench"]


def command(peer, work):
    match peer:
        case "c":
            return [str(TARGET / "baseline")]
        case "clog":
            return ["env", f"LOG={TARGET}/state", str(TARGET / "baseline")]
        case "python":
            return [sys.executable, str(ROOT / "bench/peers/python_peer.py")]
        case "node":
            return ["node", "--expose-gc", str(ROOT / "bench/peers/node/peer.js")]
        case "shipped":
            start = java(work)
            return [start[0], *SHIPPED, *start[1:], "belay"]
        case _:
            return [*java(work), peer]


def arguments(peer, work, quick):
    """What to run, how long to warm up and to measure (ms), and the size of the work."""
    if peer in ("belay", "shipped", "screens", "pty4j", "processbuilder"):
        warm = 1500 if quick else JVM_WARM_MS.get(work, 4000)
    else:
        warm = 1000 if peer == "node" else 200
    if work == "pinned":
        return ["echo", warm, 400 if quick else 1500, 0]
    if work in ("lines", "bytes", "pipe"):
        return [work, warm, 400 if quick else 3000, 30_000_000 if quick else 100_000_000]
    if work == "idle":
        return [work, warm, 2000 if quick else 10_000, idle_sessions(quick)]
    return [work, warm, 400 if quick else 1500, 0]


def idle_sessions(quick):
    return 250 if quick else 1000


def can(peer, work):
    if peer == "processbuilder":
        return work == "pipe"
    if peer == "clog":
        return work in LOGGED
    return not (peer == "pty4j" and work == "pipe") and (work != "growth" or peer == "belay")


def environment():
    """The caller's environment without variables that slow down the children of one peer only."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BENCH_")}


def folder(words):
    """The working folder: node finds node-pty there; the others do not care."""
    return TARGET / "node" if "node" in words else TARGET


def execute(words, timeout=RUN_TIMEOUT_SECONDS):
    """Runs one peer and returns what it printed, or why it failed."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder(words),
                               env=environment(), stdin=subprocess.DEVNULL)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, f"took more than {timeout} s"
    if process.returncode != 0:
        words = [line for line in err.splitlines() if line.strip()] or [f"exit code {process.returncode}"]
        return None, next((line for line in words if "rror" in line or "xception" in line), words[0])[:120]
    return out, None


def measure(peer, work, quick):
    """Values by name, or None and the reason."""
    if work == "cold":
        return cold(peer)
    words = [str(word) for word in arguments(peer, work, quick)]
    pin = ["taskset", "-c", "0"] if work == "pinned" else []
    out, failure = execute([*pin, *command(peer, work), words[0], str(TARGET / "child"), *words[1:]])
    if failure:
        return None, failure
    values = {}
    for line in out.splitlines():
        name, value, _ = line.split()
        values[name.replace("echo", work) if work == "pinned" else name] = float(value)
    lost = values.pop(f"{work}.lost", 0)
    return values, f"{lost:,.0f} bytes printed just before the exit were lost" if lost else None


def cold(peer):
    """The time from starting the runtime to the first exit it reports; for Belay, also for the command line."""
    values = {}
    runtime, failure = first_exit([*command(peer, "cold"), "cold", str(TARGET / "child"), "0", "0", "0"], b"exited\n")
    if runtime:
        values["cold"] = runtime
    if peer == "belay" and not failure:
        # It exits when the child does.
        values["cold.cli"], failure = first_exit([str(ROOT / "belay"), "run", "--", "/bin/true"], b"")
    return values, failure


def first_exit(words, told):
    """The median time until the exit is reported, or the reason for a failure."""
    times = []
    for _ in range(COLD_STARTS):
        before = time.perf_counter()
        with subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment(),
                              cwd=folder(words)) as process:
            line = process.stdout.readline()
            times.append((time.perf_counter() - before) * 1000)
            process.stdout.read()
        if line != told or process.returncode != 0:
            return None, f"said {line!r} and exited with {process.returncode}"
    return sorted(times)[len(times) // 2], None


def growth(quick, notes):
    """The cost of Belay's calls as the number of sessions grows, as far as the machine allows."""
    free = ptys_free()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    rows = {}
    for size in GROWTH[:-1] if quick else GROWTH:
        if size + 50 > free or size * FDS_PER_SESSION + 200 > files:
            notes.append(f"Growth at {size} sessions was skipped: only {free} terminals and {files} files are available.")
            continue
        out, failure = execute([*command("belay", "growth"), "growth", str(TARGET / "child"), "0", "0", str(size)])
        if failure:
            notes.append(f"Growth at {size} sessions failed: {failure}")
            continue
        rows[size] = {line.split()[0]: float(line.split()[1]) for line in out.splitlines()}
    return rows


def ptys_free():
    base = pathlib.Path("/proc/sys/kernel/pty")
    return int((base / "max").read_text()) - int((base / "nr").read_text())


def chosen(only):
    names = only.split(",") if only else []
    for name in names:
        if name not in PEERS + EXTRA + WORKS:
            sys.exit(f"bench: there is no work or peer called {name}; see --help")
    peers = [peer for peer in PEERS + EXTRA if peer in names] or PEERS
    works = [work for work in WORKS if work in names] or WORKS
    return ["c"] + [peer for peer in peers if peer != "c"], works


def main():
    parser = argparse.ArgumentParser(prog="bench/run", add_help=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--only")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--report", action="store_true")
    asked = parser.parse_args()
    if asked.report:
        return report.show(json.loads((TARGET / "results.json").read_text()), ROOT, asked.write)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    peers, works = chosen(asked.only)
    rounds = asked.rounds or (2 if asked.quick else 5)
    if "BENCH_PATCH" in os.environ and asked.write:
        sys.exit("bench: BENCH_PATCH measures something else than what is built; its figures are not written")
    missing = {peer: (TARGET / f"{peer}.missing").read_text().strip()
               for peer in PEERS if (TARGET / f"{peer}.missing").exists()}
    notes, results, load = [], [], os.getloadavg()[0]
    notes += [f"{name} was {os.environ[name]}." for name in ("BENCH_PATCH", "BENCH_FLAGS") if name in os.environ]
    if load > 0.5 * (os.cpu_count() or 1):
        notes.append(f"The machine was busy with other work (load {load:.1f}) when the run began. Trust the ratios, not the values.")
    begin, machine = time.monotonic(), report.machine(JAVA)
    grown = growth(asked.quick, notes) if "growth" in works and "belay" in peers else {}

    def finish_round(values):
        """Saves the results so far, so that an interrupted run can still be reported."""
        if any(values.values()):
            results.append(values)
        data = {"rounds": results, "growth": grown, "missing": missing, "notes": notes, "quick": asked.quick,
                "load": [load, os.getloadavg()[0]], "seconds": time.monotonic() - begin, "machine": machine,
                "date": datetime.date.today().isoformat(), "idle": idle_sessions(asked.quick)}
        (TARGET / "results.json").write_text(json.dumps(data))
        return data

    data = finish_round({})
    for number in range(rounds):
        values = {peer: {} for peer in peers}
        for work in random.sample(works, len(works)):
            if work == "growth" or (work == "idle" and asked.quick and number > 0):
                continue
            for peer in random.sample(peers, len(peers)):
                late = asked.quick and number > 0 and time.monotonic() - begin > QUICK_SECONDS
                if late or peer in missing or not can(peer, work):
                    continue
                print(f"\rbench: round {number + 1} of {rounds}: {work} {peer}".ljust(60), end="", file=sys.stderr)
                got, failure = measure(peer, work, asked.quick)
                values[peer].update(got or {})
                if failure:
                    notes.append(f"{peer}, {work}, round {number + 1}: {failure}")
        data = finish_round(values)
    print("\r".ljust(61) + "\r", end="", file=sys.stderr)
    report.show(data, ROOT, asked.write)


try:
    main()
except KeyboardInterrupt:
    sys.exit("\nbench: stopped; bench/run --report shows the rounds that are complete")
