// The official client as a page uses it, and code that the scenarios share.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { io } from "socket.io-client";

export const WEBSOCKET = { transports: ["websocket"], upgrade: false };
export const POLLING = { transports: ["polling"] };

export const next = (emitter, event) => new Promise((resolve) => emitter.once(event, (...args) => resolve(args)));

/** A connected client with `ask(event, argument)` for events that are answered with `{ok: true}`. */
export async function connect(url, token, options = {}) {
  const socket = io(url, { forceNew: true, auth: { token }, ...options });
  await new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return socket;
}

/** Disconnects and waits until that is sent: a polling client needs a request for it. */
export async function leave(socket) {
  const closed = next(socket.io.engine, "close");
  socket.disconnect();
  await closed;
}

export const emit = (socket, event, argument) => new Promise((resolve) => socket.emit(event, argument, resolve));

export async function ask(socket, event, argument) {
  const answer = await emit(socket, event, argument);
  assert.equal(answer.ok, true, JSON.stringify(answer));
  return answer;
}

export async function refused(socket, event, argument, code) {
  const answer = await emit(socket, event, argument);
  assert.equal(answer.ok, false, JSON.stringify(answer));
  assert.equal(answer.error.code, code, JSON.stringify(answer));
  assert.ok(answer.error.message.length > 0);
  return answer.error;
}

/** Collects a session's output and checks that each byte comes at the offset the server says. */
export class Output {
  constructor(socket, id, from = 0) {
    this.id = id;
    this.offset = from;
    this.lost = 0;
    this.kept = Buffer.alloc(0);
    this.hash = createHash("sha256");
    this.waiting = [];
    this.listen(socket);
  }

  listen(socket) {
    socket.on("output", ({ id, offset, data }) => {
      if (id !== this.id) return;
      assert.ok(Buffer.isBuffer(data));
      assert.equal(offset, this.offset);
      this.offset += data.length;
      this.hash.update(data);
      this.kept = Buffer.concat([this.kept, data]).subarray(-100_000);
      this.look();
    });
    socket.on("gap", ({ id, lost, next }) => {
      if (id !== this.id) return;
      assert.equal(next, this.offset + lost);
      this.offset = next;
      this.lost += lost;
    });
    socket.on("exit", (exit) => {
      if (exit.id !== this.id) return;
      assert.equal(exit.offset, this.offset);
      this.exit = exit;
      this.look();
    });
  }

  look() {
    this.waiting = this.waiting.filter(({ condition, resolve }) => !condition(this) || resolve(this));
  }

  until(condition) {
    return condition(this) ? Promise.resolve(this) : new Promise((resolve) => this.waiting.push({ condition, resolve }));
  }

  see(text) {
    return this.until(() => this.kept.includes(text));
  }

  exited() {
    return this.until(() => this.exit);
  }
}

/** Creates a session with an id chosen beforehand, since its output may follow the answer at once. */
export async function open(socket, spec) {
  const id = crypto.randomUUID();
  const output = new Output(socket, id);
  return { id, output, ...(await ask(socket, "create", { id, ...spec })) };
}

export async function attach(socket, id, from = 0) {
  const output = new Output(socket, id, from);
  return { output, ...(await ask(socket, "attach", { id, from })) };
}

/** What `seq 1 COUNT` prints on a terminal. */
export function sequence(count) {
  const hash = createHash("sha256");
  let bytes = 0;
  for (let from = 1; from <= count; from += 10_000) {
    let part = "";
    for (let i = from; i < Math.min(from + 10_000, count + 1); i++) part += i + "\r\n";
    hash.update(part);
    bytes += part.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Runs the scenario named in `node FILE URL TOKEN SCENARIO ...`. Exits with an error if an assertion fails. */
export async function run(scenarios) {
  const [url, token, scenario, ...rest] = process.argv.slice(2);
  const result = await scenarios[scenario](url, token, ...rest);
  console.log(JSON.stringify(result ?? {}));
  process.exit(0);
}
