"""Makes the table, the page and the charts from the measurements of bench/run."""
import os
import pathlib
import platform
import statistics
import subprocess

import chart

NAMES = {"c": "C", "clog": "C with a log", "belay": "Belay", "pty4j": "pty4j", "node": "node-pty", "python": "Python",
         "processbuilder": "ProcessBuilder", "screens": "Belay with screens",
         "shipped": "Belay as `./belay` runs"}

# Name, label, unit, digits, and Belay's target, for the ratio to C ("x") or for the value itself ("=").
ROWS = [
    ("spawn.p50", "spawn to exit, median", "us", 0, ("x", "<=", 1.1)),
    ("spawn.p99", "spawn to exit, p99", "us", 0, None),
    ("parallel", "spawn to exit, 8 at once", "/s", 0, ("x", ">=", 0.9)),
    ("echo.p50", "echo, median", "us", 1, None),
    ("echo.p99", "echo, p99", "us", 1, None),
    ("pinned.p50", "echo on one core, median", "us", 1, ("x", "<=", 1.15)),
    ("pinned.p99", "echo on one core, p99", "us", 1, None),
    ("flood.p50", "echo beside a flood, median", "us", 1, None),
    ("flood.p99", "echo beside a flood, p99", "us", 1, None),
    ("flood.rate", "the flood meanwhile", "MB/s", 0, None),
    ("lines", "output of lines, terminal", "MB/s", 0, ("x", ">=", 0.95)),
    ("bytes", "output without lines, terminal", "MB/s", 0, ("x", ">=", 0.95)),
    ("pipe", "output through a pipe", "MB/s", 0, ("x", ">=", 0.95)),
    ("paste", "paste of 1 MiB", "ms", 1, ("x", "<=", 1.2)),
    ("idle.create", "idle: create", "ms", 0, ("x", "<=", 1.5)),
    ("idle.close", "idle: close", "ms", 0, None),
    ("idle.each", "idle: memory per session", "KiB", 1, ("=", "<=", 4)),
    ("idle.threads", "idle: threads", "", 0, None),
    ("idle.cpu", "idle: CPU", "ms/s", 2, ("=", "<", 2)),
    ("cold", "cold start to the first exit", "ms", 0, ("=", "<=", 400)),
    ("cold.cli", "`belay run -- true`, with its cache", "ms", 0, ("=", "<=", 400)),
]
GROWTH = [("growth.open", "open"), ("growth.close", "close"), ("growth.list", "list"), ("growth.wait", "wait for a match"),
          ("growth.turn", "a turn of the loop"), ("growth.threads", "threads (number)")]


def values(data, peer, name):
    return [r[peer][name] for r in data["rounds"] if name in r.get(peer, {})]


def ratios(data, peer, name, base="c"):
    """The ratios to C or another peer, round by round, because a slow spell of the machine slows both."""
    return [r[peer][name] / r[base][name] for r in data["rounds"]
            if name in r.get(peer, {}) and r.get(base, {}).get(name, 0) > 0]


def verdict(data, name, target):
    if target is None:
        return "", ""
    kind, sign, limit = target
    got = ratios(data, "belay", name) if kind == "x" else values(data, "belay", name)
    text = f"{'≤' if sign == '<=' else '≥' if sign == '>=' else sign} {limit}{' x C' if kind == 'x' else ''}"
    if not got:
        return text, "not measured"
    middle = statistics.median(got)
    met = middle >= limit if sign == ">=" else middle < limit if sign == "<" else middle <= limit
    return text, "met" if met else "**missed**"


def number(value, digits):
    # The difference of two process sizes may be negative.
    return f"{max(value, 0):,.{digits}f}"


def cell(data, peer, name, digits):
    if peer in data["missing"]:
        return "not built"
    got = values(data, peer, name)
    return number(statistics.median(got), digits) if got else ""


# Peers that have a column of their own for the ratio to another one.
EXTRAS = [("screens", "with screens / without", "belay"), ("shipped", "as `./belay` runs / C", "c")]


def spread(data, peer, name, base="c"):
    got = ratios(data, peer, name, base)
    if not got:
        return ""
    return f"{statistics.median(got):.2f} ({min(got):.2f}–{max(got):.2f})"


def table(data):
    peers = [p for p in NAMES if p in data["missing"] or any(r.get(p) for r in data["rounds"])]
    extras = [each for each in EXTRAS if each[0] in peers]
    head = ["work", "unit"] + [NAMES[p] for p in peers] + ["Belay / C (spread)", "target", ""]
    head += [f"{label} (spread)" for _, label, _ in extras]
    rows = []
    for name, text, unit, digits, target in ROWS:
        if not any(values(data, p, name) for p in peers):
            continue
        absolute = target is not None and target[0] == "="
        text = f"{data['idle']:,} {text}" if name.startswith("idle.") else text
        rows.append([text, unit] + [cell(data, p, name, digits) for p in peers]
                    + ["" if absolute or name == "idle.threads" else spread(data, "belay", name), *verdict(data, name, target)]
                    + ["" if absolute else spread(data, peer, name, base) for peer, _, base in extras])
    return head, rows


def growth_table(data):
    sizes = sorted(data["growth"], key=int)
    head = ["us, median"] + [f"{int(size):,}" for size in sizes]
    rows = [[text] + [number(data["growth"][s][name], 1) if name in data["growth"][s] else "" for s in sizes] for name, text in GROWTH]
    return head, rows


def plain(head, rows):
    """The table as text columns."""
    lines = [[word.replace("**", "").replace("`", "") for word in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in lines) for i in range(len(head))]
    return "\n".join("  ".join(w.ljust(n) if i == 0 else w.rjust(n) for i, (w, n) in enumerate(zip(row, widths))).rstrip()
                     for row in lines)


def markdown(head, rows):
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def machine(java):
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    memory = next(int(line.split()[1]) / 1048576 for line in open("/proc/meminfo") if line.startswith("MemTotal"))
    version = subprocess.run([java, "-version"], capture_output=True, text=True).stderr.splitlines()
    runtime = version[1].split("(build")[0].strip() if len(version) > 1 else "?"
    release = version[0].split('"')[1] if version and '"' in version[0] else ""
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        system = "Linux"
    kernel = platform.release().split("-")[0]
    return f"{cpu}, {os.cpu_count()} cores, {memory:.0f} GiB; {system}, kernel {kernel}; {runtime} {release}"


def remarks(data):
    found = [f"{NAMES[peer]} was not built: {why}." for peer, why in sorted(data["missing"].items())]
    return found + data["notes"]


def summary(data):
    load = " to ".join(f"{value:.1f}" for value in data["load"])
    count = len(data["rounds"])
    return (f"{count} round{'' if count == 1 else 's'}{' (quick)' if data['quick'] else ''}, {data['seconds']:.0f} s, "
            f"load of the machine {load}")


def show(data, root, write):
    print(data["machine"])
    print(summary(data) + "\n")
    print(plain(*table(data)))
    if data["growth"]:
        print("\nGrowth: the cost of Belay's calls by the number of open sessions\n\n" + plain(*growth_table(data)))
    for remark in remarks(data):
        print("note: " + remark)
    if write:
        page(data, pathlib.Path(root))


def page(data, root):
    """Writes the results between the markers of the page and leaves the text around them alone."""
    file = root / "docs/benchmarks.md"
    text = file.read_text()
    bars = [(title, [(NAMES[p], statistics.median(ratios(data, p, name))) for p in NAMES if ratios(data, p, name)], better)
            for name, title, better in chart.SHOWN]
    (root / "docs/benchmarks.svg").write_text(chart.svg([bar for bar in bars if bar[1]]))
    if len(data["growth"]) > 1:
        sizes = sorted(data["growth"], key=int)
        calls = [(text, [max(data["growth"][s][name], 0.1) for s in sizes]) for name, text in GROWTH if name != "growth.threads"]
        (root / "docs/growth.svg").write_text(chart.growth([int(s) for s in sizes], calls))
    parts = {
        "machine": f"{data['date']} · {data['machine']}\n\n{summary(data)}.",
        "table": markdown(*table(data)) + "".join("\n\n> " + remark for remark in remarks(data)),
        "growth": markdown(*growth_table(data)) if data["growth"] else "Not measured in this run.",
    }
    for name, body in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        head, _, rest = text.partition(begin)
        text = head + begin + "\n" + body + "\n" + end + rest.partition(end)[2]
    file.write_text(text)
    print(f"\nwrote {file.relative_to(root)} and its charts")
