// What a page meets at one door of a server: keys, new sessions, memory.
import { cpu, median, pause, rank, resident } from "./process.js";

const ECHO = "stty raw -echo; printf up; exec cat";

/** A terminal that copies what is typed; ready to be typed into. */
async function copying(door) {
  let ready;
  const up = new Promise((resolve) => (ready = resolve));
  const terminal = await door.create(ECHO, { onOutput: () => ready() });
  await up;
  return terminal;
}

/** Types keys one after the other, each when the last one is back. */
async function type(terminal, pid, count, between = 0) {
  const times = [];
  const before = cpu(pid);
  let heard;
  terminal.onOutput = () => heard();
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    const back = new Promise((resolve) => (heard = resolve));
    terminal.write("x");
    await back;
    times.push(performance.now() - began);
    if (between) await pause(between);
  }
  return { times, cpuPerThousand: ((cpu(pid) - before) * 1000) / count };
}

/** The first keys of a server that has just started, then keys at typing pace, then keys of a warm server. */
export async function echo(door, pid, { keys, warmUp, typed }) {
  const terminal = await copying(door);
  const fresh = await type(terminal, pid, keys);
  const slow = typed ? await type(terminal, pid, typed, 20) : null;
  if (warmUp) await type(terminal, pid, warmUp);
  const warm = warmUp ? await type(terminal, pid, keys) : null;
  await terminal.close();
  return {
    "echo, first keys, p50, ms": median(fresh.times),
    "echo, first keys, p99, ms": rank(fresh.times, 0.99),
    "echo, first keys, CPU, ms per 1,000": fresh.cpuPerThousand,
    ...(slow && {
      "echo at typing pace, p50, ms": median(slow.times),
      "echo at typing pace, CPU, ms per 1,000": slow.cpuPerThousand,
    }),
    ...(warm && {
      "echo, warm, p50, ms": median(warm.times),
      "echo, warm, p99, ms": rank(warm.times, 0.99),
      "echo, warm, CPU, ms per 1,000": warm.cpuPerThousand,
    }),
  };
}

/** Several sessions, each with ten keys a second. */
export async function many(door, pid, { sessions, seconds }) {
  const terminals = [];
  for (let i = 0; i < sessions; i++) terminals.push(await copying(door));
  const times = [];
  const began = terminals.map(() => 0);
  terminals.forEach((terminal, i) => (terminal.onOutput = () => times.push(performance.now() - began[i])));
  const before = cpu(pid);
  const start = performance.now();
  let count = 0;
  for (let step = 0; performance.now() - start < seconds * 1000; step++) {
    began[step % sessions] = performance.now();
    terminals[step % sessions].write("x");
    count++;
    const due = start + ((step + 1) * 100) / sessions;
    while (performance.now() < due) await pause(0);
  }
  await pause(200);
  const used = cpu(pid) - before;
  for (const terminal of terminals) await terminal.close();
  return {
    "100 sessions with 10 keys/s, p50, ms": median(times),
    "100 sessions with 10 keys/s, p99, ms": rank(times, 0.99),
    "100 sessions with 10 keys/s, CPU, ms per 1,000": (used * 1000) / count,
  };
}

/** From the wish for a session to its first byte. */
export async function first(door, _pid, { creations }) {
  const times = [];
  for (let i = 0; i < creations; i++) {
    const began = performance.now();
    let done;
    const byte = new Promise((resolve) => (done = resolve));
    const terminal = await door.create("printf x; exec cat", { onOutput: () => done() });
    await byte;
    times.push(performance.now() - began);
    await terminal.close();
  }
  const head = times.slice(0, 10);
  return {
    "create to first byte, first 10, p50, ms": median(head),
    "create to first byte, warm, p50, ms": median(times.slice(creations >> 1)),
  };
}

/** Resident memory: at rest, for each of 100 sessions, and after a flood and a client that does not read. */
export async function memory(door, pid, { connect }) {
  const idle = resident(pid);
  const terminals = [];
  for (let i = 0; i < 100; i++) terminals.push(await copying(door));
  await pause(500);
  const full = resident(pid);
  for (const terminal of terminals) await terminal.close();
  await flood(door, 100_000_000);
  const stalling = await connect();
  let ready;
  const up = new Promise((resolve) => (ready = resolve));
  const stalled = await stalling.create("stty raw -echo; printf up; head -c 1 >/dev/null; head -c 100000000 /dev/zero; exec cat", { onOutput: () => ready() });
  await up;
  stalling.stall();
  stalled.write("\n");
  await pause(3000);
  const after = resident(pid);
  stalling.close();
  return {
    "memory at rest, MB": idle / 1024,
    "memory for each of 100 sessions, KB": (full - idle) / 100,
    "memory after 100 MB and a client that does not read, MB": after / 1024,
  };
}

async function flood(door, bytes) {
  let seen = 0;
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const count = (more) => (seen += more) >= bytes && done();
  const terminal = await door.create(`stty raw -echo; head -c ${bytes} /dev/zero; exec cat`, {
    onOutput: (data) => count(data.length ?? data.byteLength),
    onGap: count,
  });
  await all;
  await terminal.close();
}
