// Drives Belay and its peers through the tasks with the official client, in shuffled order.
// Usage: node measure.js ROUNDS OUT.json [SERVER,...] [TASK TEXT]. SERVERS holds the commands that start them, as JSON.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Bash, Belay, Commander, Mako } from "./dialects.js";
import { report } from "./report.js";
import { Server, Unable, countTokens } from "./server.js";
import { tasks } from "./tasks.js";

const TASK_LIMIT = 60_000;
const [rounds, out, only = "", wanted = ""] = process.argv.slice(2);
const words = JSON.parse(process.env.SERVERS);
const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
const programs = join(dirname(fileURLToPath(import.meta.url)), "programs");
const tag = `bench-${process.pid}-${Math.random().toString(36).slice(2)}`;
const kinds = { belay: Belay, commander: Commander, mako: Mako, bash: Bash };
// mako's server asks a model about each command unless it is told not to; no other server does.
const environments = { mako: { MCP_SHELL_SECURITY_MODE: "permissive", MCP_SHELL_ENHANCED_MODE: "false", MCP_SHELL_LLM_EVALUATION: "false" } };
const chosen = Object.keys(kinds).filter((name) => !only || only.split(",").includes(name));

const shuffled = (values) => values.map((value) => [Math.random(), value]).sort(([a], [b]) => a - b).map(([, value]) => value);
const timed = async (body) => {
  const began = performance.now();
  const result = await body();
  return [performance.now() - began, result];
};

/** Ends what a server has left running. Only processes that carry the tag of this run are touched. */
function sweep() {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "utf8").includes(`BENCH_TAG=${tag}`)) {
        process.kill(Number(pid), "SIGKILL");
      }
    } catch {
      // It is gone, or not ours.
    }
  }
}

/** How long the programs of a task take without a server (ms). */
async function alone(task, folder) {
  if (!task.alone) {
    return 0;
  }
  const child = () => new Promise((done) => spawn("bash", ["-c", task.alone], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }).on("exit", done).stdout.resume());
  return (await timed(child))[0];
}

async function attempt(task, name, server, dialect) {
  const facts = task.prepare(server.folder);
  const own = await alone(task, server.folder);
  server.begin();
  let reason = "";
  let timer;
  const limit = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Unable("took more than a minute")), TASK_LIMIT);
  });
  const [took] = await timed(() =>
    Promise.race([(task[name] ?? task.script)(dialect, facts), limit]).catch((error) => {
      reason = error instanceof Unable ? error.message : `failed: ${error.message}`;
    }));
  clearTimeout(timer);
  const last = server.steps.at(-1)?.text ?? "";
  const solved = Boolean(await task.solved(facts, server.seen, server.folder, last));
  return { ...server.figures(), beyond: took - own, solved, reason, steps: server.steps };
}

/** Times of single commands that print a line, one after the other (ms), after a warm-up. */
async function echoes(run) {
  const times = [];
  const began = performance.now();
  for (let i = 0; i < 300 && performance.now() - began < 20_000; i++) {
    times.push((await timed(run))[0]);
  }
  const counted = times.slice(Math.floor(times.length / 2)).sort((a, b) => a - b);
  return { median: counted[Math.floor(counted.length / 2)], p99: counted[Math.floor(counted.length * 0.99)] };
}

async function round(number, name) {
  const server = new Server(words[name], environments[name]);
  const [start] = await timed(() => server.start(join(home, `${name}-${number}`), programs, tag));
  const dialect = new kinds[name](server);
  const result = { start, list: countTokens(JSON.stringify(server.tools)), tasks: {} };
  if (!wanted) {
    result.echo = await echoes(() => dialect.run("echo hi"));
    if (name === "belay") {
      result.sh = await echoes(() => dialect.run("echo hi", null, { shell: "/bin/sh" }));
    }
    server.begin();
    await dialect.run("echo hi");
    result.echo.tokens = server.figures().tokens;
  }
  for (const task of tasks.filter((one) => one.name.includes(wanted))) {
    result.tasks[task.name] = await attempt(task, name, server, dialect);
    const { calls, tokens, beyond, solved, reason } = result.tasks[task.name];
    console.error(`  ${solved ? "+" : "-"} ${task.name}: ${calls} calls, ${tokens} tokens, ${beyond.toFixed(0)} ms ${reason}`);
  }
  await server.stop();
  return result;
}

const results = Object.fromEntries(chosen.map((name) => [name, []]));
if (process.env.MORE) {
  Object.assign(results, JSON.parse(readFileSync(out, "utf8")));
}
try {
  for (let number = 1; number <= Number(rounds); number++) {
    for (const name of shuffled(chosen)) {
      console.error(`round ${number} of ${rounds}, ${name}`);
      try {
        results[name].push(await round(number, name));
      } finally {
        sweep();
      }
    }
    writeFileSync(out, JSON.stringify(results, null, 1));
    console.log(report(results));
  }
} finally {
  sweep();
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);
