// node-pty as a peer. Like every peer, it takes WORK CHILD WARM_MS RUN_MS SIZE and prints NAME VALUE UNIT lines.
'use strict';
const fs = require('node:fs');
const { spawn: spawnPipes } = require('node:child_process');
// Resolved from the working folder, where bench/run installed it.
const pty = require(require.resolve('node-pty', { paths: [process.cwd()] }));

const PARALLEL = 8;
const PASTE_BYTES = 1 << 20;
const WARM_BULK_BYTES = 20_000_000;
const [work, child, warmMs, runMs, size] = process.argv.slice(2).map((word, i) => (i < 2 ? word : Number(word)));
const now = () => performance.now();
const print = (name, value, unit) => console.log(`${name} ${value.toFixed(3)} ${unit}`);
const ends = (term) => new Promise((resolve) => term.onExit(resolve));

/** A child in a terminal. Bytes, not text: nobody else decodes either. */
function start(command, args) {
  return pty.spawn(command, args, { cols: 80, rows: 24, encoding: null });
}

async function runTrue() {
  const term = start('/bin/true', []);
  term.onData(() => {});
  await ends(term);
}

function end(term) {
  const ended = ends(term);
  term.kill('SIGKILL');
  return ended;
}

/** Resolves when the text has come. */
function seen(term, text) {
  return new Promise((resolve) => {
    let all = '';
    const listener = term.onData((data) => {
      all += data.toString('latin1');
      if (all.includes(text)) {
        listener.dispose();
        resolve();
      }
    });
  });
}

async function latency(name, once) {
  for (const until = now() + warmMs; now() < until; ) await once();
  const samples = [];
  const until = now() + runMs;
  for (let before = now(); before < until; before = now()) {
    await once();
    samples.push(now() - before);
  }
  samples.sort((a, b) => a - b);
  print(`${name}.p50`, samples[Math.floor(samples.length * 0.5)] * 1e3, 'us');
  print(`${name}.p99`, samples[Math.floor(samples.length * 0.99)] * 1e3, 'us');
}

async function parallel() {
  const begin = now() + warmMs;
  let done = 0;
  const lane = async () => {
    while (now() < begin + runMs) {
      await runTrue();
      done += now() >= begin && now() < begin + runMs ? 1 : 0;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  print('parallel', done / (runMs / 1e3), '/s');
}

async function echo(flooded) {
  const term = start(child, ['raw', 'cat']);
  await seen(term, 'ready\n');
  const flood = flooded ? start(child, ['bytes', '1000000000000']) : null;
  const flooding = now();
  let floodBytes = 0;
  if (flood) flood.onData((data) => { floodBytes += data.length; });
  let arrived = () => {};
  term.onData(() => arrived());
  await latency(flooded ? 'flood' : 'echo', () => new Promise((resolve) => {
    arrived = resolve;
    term.write('x');
  }));
  if (flood) {
    print('flood.rate', floodBytes / 1e3 / (now() - flooding), 'MB/s');
    await end(flood);
  }
  await end(term);
}

/** A child that prints so many bytes: who takes them, and when it has ended. */
function printing(amount) {
  if (work === 'pipe') {
    const program = spawnPipes(child, ['bytes', String(amount)], { stdio: ['ignore', 'pipe', 'inherit'] });
    return [(take) => program.stdout.on('data', take), new Promise((resolve) => program.on('close', resolve))];
  }
  const term = start(child, [work, String(amount)]);
  return [(take) => term.onData(take), ends(term)];
}

// Output printed just before the exit does not always arrive.
let lost = 0;

/** MB/s. */
async function rate(amount) {
  const before = now();
  const [source, finished] = printing(amount);
  let total = 0;
  let last = before;
  source((data) => {
    total += data.length;
    last = now();
  });
  await finished;
  lost += Math.max(0, amount - total);
  return total / 1e3 / (last - before);
}

async function bulk() {
  let until = now() + warmMs;
  do await rate(WARM_BULK_BYTES); while (now() < until);
  until = now() + runMs;
  const rates = [];
  do rates.push(await rate(size)); while (now() < until);
  rates.sort((a, b) => a - b);
  print(work, rates[rates.length >> 1], 'MB/s');
  if (lost > 0) print(`${work}.lost`, lost, 'bytes');
}

async function paste() {
  const text = Buffer.alloc(PASTE_BYTES, 'x');
  const samples = [];
  const until = now() + runMs;
  do {
    const term = start(child, ['sink', String(PASTE_BYTES)]);
    const ended = ends(term);
    await seen(term, 'ready\n');
    const done = seen(term, 'done\n');
    const before = now();
    term.write(text);
    await done;
    samples.push(now() - before);
    await ended;
  } while (now() < until);
  samples.sort((a, b) => a - b);
  print('paste', samples[samples.length >> 1], 'ms');
}

function proc(path, name) {
  const line = fs.readFileSync(path, 'latin1').split('\n').find((each) => each.startsWith(name));
  return Number(line.replace(/[^0-9]/g, ''));
}

async function idle() {
  for (let i = 0; i < 100; i++) await runTrue();
  global.gc?.();
  const base = proc('/proc/self/smaps_rollup', 'Anonymous:');
  let before = now();
  const all = [];
  for (let i = 0; i < size; i++) {
    const term = start('/bin/sleep', ['1000']);
    term.onData(() => {});
    all.push(term);
  }
  print('idle.create', now() - before, 'ms');
  await new Promise((resolve) => setTimeout(resolve, 500));
  global.gc?.();
  print('idle.each', (proc('/proc/self/smaps_rollup', 'Anonymous:') - base) / size, 'KiB');
  print('idle.threads', proc('/proc/self/status', 'Threads:'), 'threads');
  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, runMs));
  const used = process.cpuUsage(cpu);
  print('idle.cpu', (used.user + used.system) / runMs, 'ms/s');
  before = now();
  await Promise.all(all.map(end));
  print('idle.close', now() - before, 'ms');
}

async function main() {
  switch (work) {
    case 'spawn': return latency('spawn', runTrue);
    case 'parallel': return parallel();
    case 'echo': return echo(false);
    case 'flood': return echo(true);
    case 'lines':
    case 'bytes':
    case 'pipe': return bulk();
    case 'paste': return paste();
    case 'idle': return idle();
    case 'cold':
      await runTrue();
      return console.log('exited');
    default:
      return process.exit(3);
  }
}

main().then(() => process.exit(0), (e) => {
  console.error(`Error: ${e.message}`);
  process.exit(1);
});
