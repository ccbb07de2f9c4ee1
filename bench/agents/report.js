// The results of measure.js as tables, and Belay's side of them as a transcript:
// node report.js RESULTS.json [TRANSCRIPT.md].
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TITLES = { belay: "Belay", commander: "Desktop Commander", mako: "mcp-shell-server", bash: "bash-mcp" };
/** Servers that run commands by `/bin/sh`; the others by bash, which takes longer to start. */
const BY_SH = new Set(["mako", "bash"]);
/** Differences of waiting below this count as equal: nobody notices them, and a shared machine has more noise than that. */
const NOISE_MS = 50;
const MAX_LINES = 30;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const number = (value, places = 0) =>
  value === undefined ? "" : value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
const row = (...cells) => `| ${cells.join(" | ")} |`;

function figures(rounds, task) {
  const runs = rounds.map((round) => round.tasks[task]).filter((run) => run);
  if (runs.length === 0) {
    return null;
  }
  const solved = runs.filter((run) => run.solved).length;
  return {
    ...Object.fromEntries(["calls", "tokens", "characters", "beyond"].map((what) => [what, median(runs.map((run) => run[what]))])),
    solved, runs: runs.length, always: solved === runs.length,
  };
}

const cell = (one) => {
  if (!one) {
    return "";
  }
  const text = `${one.calls} · ${number(one.tokens)} · ${number(Math.max(0, one.beyond))}`;
  return one.always ? text : `not solved${one.solved ? ` (${one.solved} of ${one.runs})` : ""}`;
};

function verdict(belay, peers) {
  const solving = peers.filter((peer) => peer?.always);
  if (!belay.always) {
    return "**not solved**";
  }
  const most = (what, noise = 0) => solving.every((peer) => belay[what] <= peer[what] + noise);
  const lost = [["calls", most("calls")], ["tokens", most("tokens")], ["waiting", most("beyond", NOISE_MS)]].filter(([, met]) => !met);
  return lost.length === 0 ? (solving.length === 0 ? "alone" : "best") : `**more ${lost.map(([what]) => what).join(", ")}**`;
}

/** Two tables: single calls, and the tasks. */
export function report(results) {
  const names = Object.keys(results).filter((name) => results[name].length > 0);
  const of = (name, value) => median(results[name].map(value));
  const lines = [row("", ...names.map((name) => TITLES[name])), row("---", ...names.map(() => "---:"))];
  if (results[names[0]][0].echo) {
    lines.push(
      row("`echo hi`, tokens that the model reads", ...names.map((name) => number(of(name, (one) => one.echo.tokens)))),
      row("`echo hi`, median, ms", ...names.map((name) => number(of(name, (one) => one.echo.median), 1))),
      row("the same by `/bin/sh`, ms", ...names.map((name) =>
        name === "belay" ? number(of(name, (one) => one.sh.median), 1) : BY_SH.has(name) ? number(of(name, (one) => one.echo.median), 1) : "")),
      row("`echo hi`, p99, ms", ...names.map((name) => number(of(name, (one) => one.echo.p99), 1))),
    );
  }
  lines.push(
    row("from the start of the server to its list of tools, ms", ...names.map((name) => number(of(name, (one) => one.start)))),
    row("the list of tools, tokens", ...names.map((name) => number(of(name, (one) => one.list)))),
    "",
    row("task: calls · tokens · ms beyond the programs' own time", ...names.map((name) => TITLES[name]), "Belay is"),
    row("---", ...names.map(() => "---:"), "---:"),
  );
  const all = Object.keys(results[names[0]][0].tasks);
  for (const task of all) {
    const each = names.map((name) => figures(results[name], task));
    const belay = each[names.indexOf("belay")];
    lines.push(row(task, ...each.map(cell), belay ? verdict(belay, each.filter((one) => one !== belay)) : ""));
  }
  const solved = (name) => all.filter((task) => figures(results[name], task)?.always).length;
  lines.push(row("**solved**", ...names.map((name) => `${solved(name)} of ${all.length}`), ""));
  return `${lines.join("\n")}\n`;
}

/** Belay's calls and answers in the last round, as a model reads them. */
function transcript(results) {
  const parts = [];
  for (const [task, { steps }] of Object.entries(results.belay.at(-1).tasks)) {
    parts.push(`## ${task[0].toUpperCase()}${task.slice(1)}\n\n\`\`\`\n${steps.map(step).join("\n")}\n\`\`\`\n`);
  }
  return parts.join("\n");
}

function step({ tool, args, text }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const half = MAX_LINES / 2;
  const shown = lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, half), `(${lines.length - 2 * half} more lines here)`, ...lines.slice(-half)];
  return [`${tool} ${JSON.stringify(args)}`, ...shown.map((line) => `    ${line}`.trimEnd())].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , from, to] = process.argv;
  const results = JSON.parse(readFileSync(from, "utf8"));
  console.log(report(results).trimEnd());
  if (to) {
    writeFileSync(to, transcript(results));
  }
}
