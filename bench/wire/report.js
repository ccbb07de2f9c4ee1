// Prints the results of wire.js as tables: `node report.js RESULTS`. Cells are medians over the rounds.
import { readFileSync } from "node:fs";
import { median } from "./process.js";

const figures = JSON.parse(readFileSync(process.argv[2], "utf8"));
const TABLES = [
  ["Belay, WebSocket", "ws + node-pty", "Belay, Socket.IO", "socket.io + node-pty"],
  ["belay mcp", "bash-mcp", "Desktop Commander"],
];
const cell = (value) => (value === undefined ? "" : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3));

for (const columns of TABLES.map((table) => table.filter((name) => figures[name]))) {
  const works = [...new Set(columns.flatMap((name) => Object.keys(figures[name])))];
  if (works.length === 0) continue;
  console.log(`| work | ${columns.join(" | ")} |\n| --- |${" ---: |".repeat(columns.length)}`);
  for (const work of works) console.log(`| ${work} | ${columns.map((name) => cell(figures[name][work] && median(figures[name][work]))).join(" | ")} |`);
  console.log();
}
if (figures.start) {
  console.log("| start to exit | ms |\n| --- | ---: |");
  for (const [name, values] of Object.entries(figures.start)) console.log(`| ${name} | ${cell(median(values))} |`);
  console.log();
}
