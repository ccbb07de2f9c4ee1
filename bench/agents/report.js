// Prints what measure.js found as tables: `node report.js RESULTS.json`.
import { readFileSync } from "node:fs";

const { belay, peer } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const number = (value, digits) => (value === undefined || value === null ? "–" : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
const of = (server, what) => median(server.rounds.map((round) => round[what]).filter((value) => value !== null));
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);

row("call", "unit", "Belay", "Desktop Commander", "target", "");
row("---", "---:", "---:", "---:", "---:", "---:");
for (const [name, unit, what, digits, target] of [
  ["`echo hi`, median", "ms", "echo", 1, 5],
  ["`echo hi`, p99", "ms", "echo99", 1],
  ["an answer of a REPL, median", "ms", "repl", 1],
  ["from the process's last line to the answer, median", "ms", "after", 1, 5],
  ["from the start of the server to its list of tools", "ms", "start", 0],
  ["the list of tools", "characters", "list", 0],
]) {
  const ours = of(belay, what);
  row(name, unit, number(ours, digits), number(of(peer, what), digits), target ? `≤ ${target}` : "", target ? (ours <= target ? "met" : "**missed**") : "");
}
console.log();
row("task", "calls", "characters", "ms beyond the process", "learned", "fewer of both");
row("---", "---:", "---:", "---:", "---:", "---:");
for (const name of Object.keys(belay.tasks)) {
  const both = [belay, peer].map((server) => {
    const runs = server.tasks[name];
    return {
      calls: median(runs.map((run) => run.calls)),
      characters: median(runs.map((run) => run.characters)),
      beyond: median(runs.map((run) => run.beyond)),
      learned: `${runs.filter((run) => run.learned).length} of ${runs.length}`,
    };
  });
  const pair = (what, digits = 0) => both.map((one) => (digits === null ? one[what] : number(one[what], digits))).join(" / ");
  const fewer = both[0].calls <= both[1].calls && both[0].characters < both[1].characters;
  row(name, pair("calls"), pair("characters"), pair("beyond"), pair("learned", null), fewer ? "yes" : "**no**");
}
