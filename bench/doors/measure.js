// Measures one door once: `node measure.js DOOR URL TOKEN PID [WORK...]` prints figures as JSON. PID is the server's.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as doors from "./doors.js";

const [name, url, token, pid, ...only] = process.argv.slice(2);
const connect = () => doors[name](url, token);

/** KiB that the server holds. A JVM has its whole heap from the start: what it holds is what lives in it, and what grows outside. */
function held() {
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
  if (pid !== process.env.BELAY_PID) return resident;
  const jcmd = (command) => execFileSync("jcmd", [pid, command], { encoding: "utf8" });
  jcmd("GC.run");
  return resident + [...jcmd("GC.heap_info").matchAll(/(?:new generation|tenured generation|garbage-first heap) .*?used (\d+)K/g)].reduce((sum, [, used]) => sum + Number(used), 0);
}
const rank = (values, share) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const seconds = (n) => new Promise((resolve) => setTimeout(resolve, n * 1000));

/** A byte there and back, through a program that copies it. */
async function echo() {
  const door = await connect();
  let heard;
  let ready;
  const up = new Promise((resolve) => (ready = resolve));
  const terminal = await door.create("stty raw -echo; printf up; exec cat", { onOutput: () => ready() });
  await up;
  await seconds(0.2);
  terminal.onOutput = () => heard();
  const times = [];
  for (let i = 0; i < 6000; i++) {
    const start = performance.now();
    const back = new Promise((resolve) => (heard = resolve));
    terminal.write("x");
    await back;
    if (i >= 2000) times.push(performance.now() - start);
  }
  await terminal.close();
  door.close();
  return { echo_p50_ms: rank(times, 0.5), echo_p99_ms: rank(times, 0.99) };
}

async function first() {
  const door = await connect();
  const times = [];
  for (let i = 0; i < 60; i++) {
    const start = performance.now();
    let done;
    const byte = new Promise((resolve) => (done = resolve));
    const terminal = await door.create("printf x; exec cat", { onOutput: () => done() });
    await byte;
    if (i >= 20) times.push(performance.now() - start);
    await terminal.close();
  }
  door.close();
  return { first_byte_p50_ms: rank(times, 0.5) };
}

async function flood(bytes = 100_000_000) {
  const door = await connect();
  let start = 0;
  let got = 0;
  let lost = 0; // a reader that is too slow for Belay's log misses bytes, but slows nobody down
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const terminal = await door.create(`stty raw -echo; head -c ${bytes} /dev/zero; exec cat`, {
    onOutput(data) {
      start ||= performance.now();
      got += data.length ?? data.byteLength;
      if (got + lost >= bytes) done();
    },
    onGap(missed) {
      lost += missed;
      if (got + lost >= bytes) done();
    },
  });
  await all;
  const took = performance.now() - start;
  await terminal.close();
  door.close();
  return { flood_mb_s: got / 1000 / took, flood_lost_mb: lost / 1e6 };
}

async function idle() {
  const door = await connect();
  const open = async (n) => {
    const all = [];
    for (let i = 0; i < n; i++) all.push(await door.create("exec cat"));
    return all;
  };
  const warm = await open(100);
  for (const terminal of warm) await terminal.close();
  await seconds(1);
  const before = held();
  const all = await open(100);
  await seconds(1);
  const each = (held() - before) / 100;
  for (const terminal of all) await terminal.close();
  door.close();
  return { idle_kib_each: each };
}

/** What the server keeps for a client that stopped reading, while 300 MB are printed for it. */
async function stalled() {
  await flood(300_000_000);
  await seconds(1);
  const before = held();
  const door = await connect();
  let ready;
  const up = new Promise((resolve) => (ready = resolve));
  const terminal = await door.create("stty raw -echo; printf up; head -c 1 >/dev/null; head -c 300000000 /dev/zero; exec cat", { onOutput: () => ready() });
  await up;
  door.stall();
  terminal.write("\n");
  let most = 0;
  for (let i = 0; i < 16; i++) {
    await seconds(0.5);
    most = Math.max(most, held() - before);
  }
  door.close();
  return { stalled_kib: most };
}

const works = { echo, first, flood, idle, stalled };
const figures = {};
for (const work of only.length ? only : Object.keys(works)) Object.assign(figures, await works[work]());
console.log(JSON.stringify(figures));
process.exit(0);
