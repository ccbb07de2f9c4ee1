// Measures Belay and its peers in turns: `node wire.js BELAY RESULTS ROUNDS [WORK...]`. Every round has fresh processes.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as doors from "./doors.js";
import * as keys from "./keys.js";
import { calls } from "./mcp.js";
import { pause, start } from "./process.js";

const [belay, results, rounds, ...only] = process.argv.slice(2);
const wanted = (work) => only.length === 0 || only.includes(work);
const here = process.cwd();
const SETTINGS = '[sessions]\nterminal_pace = "0s"\nreconnect_grace = "0s"\n[quota]\nterminal_sessions = 1000\ncreations = 1000000\n';
const ECHO = { keys: 12_000, warmUp: 24_000, typed: 250 };

/** Servers behind one interface: `{url, token, pid, stop()}`. */
async function serveBelay() {
  const state = join(here, "state");
  rmSync(state, { recursive: true, force: true });
  mkdirSync(join(here, "workspace"), { recursive: true });
  writeFileSync(join(here, "belay.toml"), SETTINGS);
  const server = start(belay, ["serve", "--port", "0", "--state", state, "--workspace", join(here, "workspace"), "--config", join(here, "belay.toml")]);
  const url = (await server.line()).split(" ").at(-1);
  return { ...server, url, token: readFileSync(join(state, "token"), "utf8").trim() };
}
async function servePeer(door) {
  const server = start("node", ["peer.js", door]);
  return { ...server, url: `http://127.0.0.1:${await server.line()}/`, token: "" };
}
const SERVERS = [
  { name: "Belay, WebSocket", serve: serveBelay, door: "belayWs" },
  { name: "ws + node-pty", serve: () => servePeer("ws"), door: "peerWs" },
  { name: "Belay, Socket.IO", serve: serveBelay, door: "socketio" },
  { name: "socket.io + node-pty", serve: () => servePeer("socketio"), door: "socketio" },
];
const DOOR_WORKS = {
  echo: (door, pid) => keys.echo(door, pid, ECHO),
  many: (door, pid) => keys.many(door, pid, { sessions: 100, seconds: 4 }),
  first: (door, pid) => keys.first(door, pid, { creations: 60 }),
  memory: (door, pid, connect) => keys.memory(door, pid, { connect }),
};
const TOOLS = [
  { name: "belay mcp", command: () => [belay, "mcp", "--workspace", join(here, "workspace")], call: ["unified_exec", { cmd: "echo hi", wait_for: { exit: true } }], warmUp: 1000 },
  { name: "bash-mcp", command: () => ["node", bin("bash-mcp")], call: ["run", { command: "echo hi" }], warmUp: 1000 },
  { name: "Desktop Commander", command: () => ["node", bin("@wonderwhy-er/desktop-commander")], call: ["start_process", { command: "echo hi", timeout_ms: 5000 }], warmUp: 0 },
];
const COMMANDS = {
  "`node -e 0`": ["node", "-e", "0"],
  "`belay --version`": [belay, "--version"],
  "`belay run -- true`": [belay, "run", "--", "true"],
};

function bin(name) {
  const { bin: path, main } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return join(here, "node_modules", name, typeof path === "string" ? path : (Object.values(path ?? {})[0] ?? main));
}

const figures = existing();
function existing() {
  try {
    return JSON.parse(readFileSync(results, "utf8"));
  } catch {
    return {};
  }
}
function note(column, found) {
  for (const [work, value] of Object.entries(found)) ((figures[column] ??= {})[work] ??= []).push(value);
  writeFileSync(results, JSON.stringify(figures));
  console.error(column, Object.entries(found).map(([work, value]) => `${work}: ${value.toFixed(3)}`).join("; "));
}
const shuffled = (list) => list.map((each) => [Math.random(), each]).sort((a, b) => a[0] - b[0]).map(([, each]) => each);

for (let round = 0; round < Number(rounds); round++) {
  for (const work of Object.keys(DOOR_WORKS).filter(wanted)) {
    for (const peer of shuffled(SERVERS)) {
      const began = performance.now();
      const server = await peer.serve();
      const ready = performance.now() - began;
      try {
        const connect = () => doors[peer.door](server.url, server.token);
        const door = await connect();
        const found = await DOOR_WORKS[work](door, server.pid, connect);
        door.close();
        note(peer.name, work === "echo" ? { ...found, "server ready, ms": ready } : found);
      } finally {
        await server.stop();
      }
    }
  }
  if (wanted("mcp")) {
    for (const { name, command, call, warmUp } of shuffled(TOOLS)) note(name, await calls(command(), call, { count: 100, warmUp }, { cwd: here }));
  }
  if (wanted("start")) {
    const times = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, []]));
    for (let i = 0; i < 10; i++) {
      for (const [name, [command, ...args]] of shuffled(Object.entries(COMMANDS))) {
        const began = performance.now();
        execFileSync(command, args, { stdio: "ignore" });
        times[name].push(performance.now() - began);
      }
    }
    for (const [name, each] of Object.entries(times)) note("start", { [name]: each.sort((a, b) => a - b)[each.length >> 1] });
  }
  await pause(0);
}
process.exit(0);
