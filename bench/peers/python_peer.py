"""Python's pty module as a peer. Like every peer, it takes WORK CHILD WARM_MS RUN_MS SIZE and prints NAME VALUE UNIT lines."""
import os
import pty
import select
import signal
import subprocess
import sys
import time

PARALLEL = 8
READ_BYTES = 65536
WARM_BULK_BYTES = 20_000_000
now = time.perf_counter


def start(command):
    """Starts a child in a terminal; returns its pid and the master's descriptor."""
    pid, fd = pty.fork()
    if pid == 0:
        try:
            os.execv(command[0], command)
        finally:
            os._exit(127)
    return pid, fd


def read(fd):
    """Waits and reads once; empty at the end, which a terminal reports as EIO."""
    try:
        return os.read(fd, READ_BYTES)
    except OSError:
        return b""


def finish(pid, fd):
    os.waitpid(pid, 0)
    os.close(fd)


def end(pid, fd):
    os.kill(pid, signal.SIGKILL)
    finish(pid, fd)


def run_true():
    pid, fd = start(["/bin/true"])
    while read(fd):
        pass
    finish(pid, fd)


def wait_for(fd, text):
    seen = b""
    while text not in seen:
        got = read(fd)
        if not got:
            sys.exit("the child ended early: %r" % seen)
        seen += got


def latency(name, once):
    until = now() + warm
    while now() < until:
        once()
    samples = []
    until = now() + run
    before = now()
    while before < until:
        once()
        after = now()
        samples.append(after - before)
        before = now()
    samples.sort()
    for label, share in (("p50", 0.5), ("p99", 0.99)):
        print("%s.%s %.2f us" % (name, label, samples[int(len(samples) * share)] * 1e6))


def parallel():
    poller = select.epoll()
    alive = {}

    def one_more():
        pid, fd = start(["/bin/true"])
        alive[fd] = pid
        poller.register(fd, select.EPOLLIN)

    for _ in range(PARALLEL):
        one_more()
    begin = now() + warm
    done = 0
    while now() < begin + run:
        for fd, _ in poller.poll():
            if not read(fd):
                poller.unregister(fd)
                finish(alive.pop(fd), fd)
                done += now() >= begin
                one_more()
    print("parallel %.1f /s" % (done / run))
    for fd, pid in alive.items():
        end(pid, fd)


def echo(flooded):
    pid, fd = start([child, "raw", "/bin/cat"])
    wait_for(fd, b"ready\n")
    flood = start([child, "bytes", "1000000000000"]) if flooded else None
    flooding, flood_bytes = now(), 0

    def plain():
        os.write(fd, b"x")
        read(fd)

    def beside_flood():
        nonlocal flood_bytes
        os.write(fd, b"x")
        while True:
            ready, _, _ = select.select([fd, flood[1]], [], [])
            if flood[1] in ready:
                flood_bytes += len(read(flood[1]))
            if fd in ready:
                read(fd)
                return

    latency("flood" if flooded else "echo", beside_flood if flooded else plain)
    if flood:
        print("flood.rate %.2f MB/s" % (flood_bytes / (now() - flooding) / 1e6))
        end(*flood)
    end(pid, fd)


def terminal(amount):
    pid, fd = start([child, work, str(amount)])
    total = 0
    while got := read(fd):
        total += len(got)
    finish(pid, fd)
    return total


def pipe(amount):
    with subprocess.Popen([child, "bytes", str(amount)], stdout=subprocess.PIPE, bufsize=0) as process:
        total = 0
        while got := os.read(process.stdout.fileno(), READ_BYTES):
            total += len(got)
    return total


def rate(transfer, amount):
    before = now()
    total = transfer(amount)
    if total < amount:
        sys.exit("only %d of %d bytes came" % (total, amount))
    return total / (now() - before) / 1e6


def bulk(transfer):
    until = now() + warm
    rate(transfer, WARM_BULK_BYTES)
    while now() < until:
        rate(transfer, WARM_BULK_BYTES)
    until = now() + run
    rates = [rate(transfer, size)]
    while now() < until:
        rates.append(rate(transfer, size))
    print("%s %.2f MB/s" % (work, sorted(rates)[len(rates) // 2]))


def paste():
    text = b"x" * (1 << 20)
    samples = []
    until = now() + run
    while not samples or now() < until:
        pid, fd = start([child, "sink", str(len(text))])
        wait_for(fd, b"ready\n")
        before = now()
        left = memoryview(text)
        while left:
            left = left[os.write(fd, left):]
        wait_for(fd, b"done\n")
        samples.append(now() - before)
        finish(pid, fd)
    samples.sort()
    print("paste %.3f ms" % (samples[len(samples) // 2] * 1e3))


def proc(path, name):
    with open(path) as lines:
        return next(float(line.split()[1]) for line in lines if line.startswith(name))


def idle():
    run_true()
    base = proc("/proc/self/smaps_rollup", "Anonymous:")
    before = now()
    poller = select.epoll()
    everyone = []
    for _ in range(size):
        everyone.append(start(["/bin/sleep", "1000"]))
        poller.register(everyone[-1][1], select.EPOLLIN)
    print("idle.create %.1f ms" % ((now() - before) * 1e3))
    print("idle.each %.2f KiB" % ((proc("/proc/self/smaps_rollup", "Anonymous:") - base) / size))
    print("idle.threads %d threads" % proc("/proc/self/status", "Threads:"))
    cpu = time.process_time()
    poller.poll(run)
    print("idle.cpu %.3f ms/s" % ((time.process_time() - cpu) * 1e3 / run))
    before = now()
    for pid, _ in everyone:
        os.kill(pid, signal.SIGKILL)
    for pid, fd in everyone:
        finish(pid, fd)
    print("idle.close %.1f ms" % ((now() - before) * 1e3))


if len(sys.argv) != 6:
    sys.exit("usage: python_peer.py WORK CHILD WARM_MS RUN_MS SIZE")
work, child = sys.argv[1:3]
warm, run = (int(word) / 1000 for word in sys.argv[3:5])
size = int(sys.argv[5])
match work:
    case "spawn":
        latency("spawn", run_true)
    case "parallel":
        parallel()
    case "echo" | "flood":
        echo(work == "flood")
    case "lines" | "bytes":
        bulk(terminal)
    case "pipe":
        bulk(pipe)
    case "paste":
        paste()
    case "idle":
        idle()
    case "cold":
        run_true()
        print("exited", flush=True)
    case _:
        sys.exit(3)
