"""Draws the charts of docs/benchmarks.md as SVG: bars for ratios to C, lines for growth. Uses no library."""
import math
from xml.sax.saxutils import escape

SHOWN = [
    ("spawn.p50", "spawn to exit", "less is better"),
    ("parallel", "spawns per second, 8 at once", "more is better"),
    ("pinned.p50", "echo on one core", "less is better"),
    ("flood.p99", "echo beside a flood, p99", "less is better"),
    ("lines", "output of lines", "more is better"),
    ("paste", "paste of 1 MiB", "less is better"),
    ("idle.create", "1,000 sessions: create", "less is better"),
]
COLORS = {"C": "#8b949e", "C with a log": "#57606a", "Belay": "#e8590c", "pty4j": "#4c8dd6", "node-pty": "#3fa66b", "Python": "#b58900",
          "ProcessBuilder": "#9a6dd7"}
WIDTH, LEFT, RIGHT = 760, 96, 64
BAR, GAP, HEAD, BETWEEN, TOP = 13, 3, 22, 16, 62
LOW, HIGH = 1 / 16, 16

STYLE = """
    text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
    .title { font-size: 15px; font-weight: 600; } .work { font-weight: 600; } .soft { fill: #656d76; }
    .inside, .soft.inside { fill: #ffffff; }
    .one { stroke: #656d76; stroke-width: 1; } .tick { stroke: #d0d7de; stroke-width: 1; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; } .inside { fill: #ffffff; } .soft { fill: #9198a1; } .one { stroke: #9198a1; } .tick { stroke: #30363d; }
    }
"""


def at(ratio):
    """The x position of a ratio, on a logarithmic scale, so that twice and half look alike."""
    share = math.log(min(max(ratio, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def bars(y, peers):
    shapes = []
    for name, ratio in peers:
        begin, end = sorted((at(1), at(ratio)))
        shapes.append(f'<rect x="{begin:.1f}" y="{y}" width="{max(end - begin, 2):.1f}" height="{BAR}" rx="2" '
                      f'fill="{COLORS[name]}"/>')
        shapes.append(text(LEFT - 8, y + BAR - 2, name, "" if name == "Belay" else "soft", "end"))
        label = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
        left = 1 / 10 < ratio < 1
        end = begin if ratio <= 1 / 10 else end
        shapes.append(text(begin - 5 if left else end + 5, y + BAR - 2, label, "inside" if ratio <= 1 / 10 else "soft",
                           "end" if left else "start"))
        y += BAR + GAP
    return y, shapes


def svg(works):
    """A bar chart of (title, [(peer, ratio)], which direction is better)."""
    y, shapes = TOP, []
    for title, peers, better in works:
        shapes.append(text(LEFT, y + 12, title, "work"))
        shapes.append(text(WIDTH - RIGHT, y + 12, better, "soft", "end"))
        y, drawn = bars(y + HEAD, [(name, ratio) for name, ratio in peers if name != "C"])
        shapes += drawn
        y += BETWEEN
    ticks = []
    for ratio in (1 / 16, 1 / 4, 1, 4, 16):
        label = f"1/{round(1 / ratio)}" if ratio < 1 else f"{ratio:g}"
        ticks.append(f'<line x1="{at(ratio):.1f}" x2="{at(ratio):.1f}" y1="{TOP - 8}" y2="{y - 6}" '
                     f'class="{"one" if ratio == 1 else "tick"}"/>')
        ticks.append(text(at(ratio), TOP - 14, "C" if ratio == 1 else label + " x", "soft", "middle"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img" '
            f'aria-label="Belay and its peers as ratios to C">\n<style>{STYLE}</style>\n'
            + "\n".join([text(LEFT, 24, "As a multiple of C (median of the rounds, logarithmic)", "title"), *ticks, *shapes])
            + "\n</svg>\n")


GROWTH_COLORS = ["#e8590c", "#4c8dd6", "#3fa66b", "#b58900", "#9a6dd7"]
GROWTH_HEIGHT, GROWTH_TOP, GROWTH_BOTTOM, GROWTH_RIGHT = 360, 56, 40, 150


def growth(sizes, calls):
    """A line chart of (name, [microseconds at each size]) with logarithmic axes: linear growth climbs at 45 degrees."""
    low, high = math.floor(math.log10(min(min(v) for _, v in calls))), math.ceil(math.log10(max(max(v) for _, v in calls)))

    def across(size):
        return LEFT + math.log(size / sizes[0]) / math.log(sizes[-1] / sizes[0]) * (WIDTH - LEFT - GROWTH_RIGHT)

    def up(value):
        room = GROWTH_HEIGHT - GROWTH_TOP - GROWTH_BOTTOM
        return GROWTH_HEIGHT - GROWTH_BOTTOM - (math.log10(value) - low) / (high - low) * room

    shapes = []
    for power in range(low, high + 1):
        label = f"{10 ** power:g} us" if power < 3 else f"{10 ** (power - 3):g} ms"
        shapes.append(f'<line x1="{LEFT}" x2="{WIDTH - GROWTH_RIGHT}" y1="{up(10 ** power):.1f}" y2="{up(10 ** power):.1f}" class="tick"/>')
        shapes.append(text(LEFT - 8, up(10 ** power) + 4, label, "soft", "end"))
    shapes += [text(across(size), GROWTH_HEIGHT - 16, f"{size:,}", "soft", "middle") for size in sizes]
    for (name, values), color in zip(calls, GROWTH_COLORS):
        points = " ".join(f"{across(size):.1f},{up(value):.1f}" for size, value in zip(sizes, values))
        shapes.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
    below = GROWTH_HEIGHT
    for name, values in sorted(calls, key=lambda call: call[1][-1]):
        # Stacks the names of lines that end close to each other.
        below = min(below - 14, up(values[-1]) + 4)
        shapes.append(text(WIDTH - GROWTH_RIGHT + 8, below, name))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {GROWTH_HEIGHT}" role="img" '
            f'aria-label="What calls cost as the number of sessions grows">\n<style>{STYLE}</style>\n'
            + "\n".join([text(LEFT, 24, "What a call costs, by the number of open sessions", "title"), *shapes]) + "\n</svg>\n")
