// Terminals of a Belay server, for pages and for node: see README.md and belay-client.d.ts.
import { io } from "socket.io-client";

/** Inputs on their way at once; the server remembers far more. */
const MAX_INPUTS = 32;
/** The most bytes of one input. */
const MAX_INPUT_BYTES = 256 * 1024;
/** How many bytes are dealt with before the server is told; it sends up to 512 KiB more than it was told. */
const ACK_BYTES = 64 * 1024;

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** What the server refused, and why. */
export class BelayError extends Error {
  constructor({ code, message, ...details }) {
    super(message);
    this.name = "BelayError";
    this.code = code;
    this.retryAfterMs = details.retry_after_ms;
    this.details = details;
  }
}

/** The connection broke before an answer came. */
class Lost extends Error {}

class Events {
  #handlers = new Map();

  on(event, handler) {
    if (!this.#handlers.has(event)) this.#handlers.set(event, new Set());
    this.#handlers.get(event).add(handler);
    return () => this.#handlers.get(event).delete(handler);
  }

  tell(event, ...args) {
    return [...(this.#handlers.get(event) ?? [])].map((handler) => handler(...args));
  }
}

/** Signs in. Done when the server has let the client in; fails if it refuses. */
export async function connect(url, { token, ...options }) {
  const belay = new Belay(url, token, options);
  await belay.connected();
  return belay;
}

export class Belay {
  #events = new Events();
  #terminals = new Map();
  #pending = new Set();
  #waiting = [];
  #over = null;
  #socket;

  constructor(url, token, options = {}) {
    const auth = async (give) => give({ token: typeof token === "function" ? await token() : token });
    this.#socket = io(url, { ...options, forceNew: true, auth });
    this.#socket.on("connect", () => this.#connect());
    this.#socket.on("disconnect", (reason) => this.#disconnect(reason));
    this.#socket.on("connect_error", (error) => error.data && this.#end(new BelayError(error.data)));
    for (const event of ["output", "gap", "resized", "lease", "exit", "closed"]) {
      this.#socket.on(event, (what) => this.#terminals.get(what.id)?._heard(event, what));
    }
  }

  on(event, handler) {
    return this.#events.on(event, handler);
  }

  connected() {
    if (this.#over) return Promise.reject(this.#over);
    if (this.#socket.connected) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async create(spec = {}) {
    const id = spec.id ?? newId();
    const terminal = this.#add(new Terminal(this, id, 0, "write"));
    for (let tries = 1; ; tries++) {
      await this.connected();
      try {
        await this._ask("create", { ...spec, id }, (answer) => terminal._attached(answer));
        return terminal;
      } catch (error) {
        if (error instanceof Lost) continue;
        if (error.code === "ALREADY_EXISTS" && tries > 1) return this.#attach(terminal); // the answer was lost
        this._forget(terminal);
        throw error;
      }
    }
  }

  attach(id, { from, mode } = {}) {
    return this.#attach(this.#add(new Terminal(this, id, from, mode)));
  }

  async #attach(terminal) {
    try {
      await this._untilAnswered("attach", terminal._where(), (answer) => terminal._attached(answer));
      return terminal;
    } catch (error) {
      this._forget(terminal);
      throw error;
    }
  }

  async list() {
    return (await this._untilAnswered("list", {})).sessions;
  }

  close() {
    this.#socket.disconnect();
    this.#end(new BelayError({ code: "UNAVAILABLE", message: "The connection was closed by this client." }));
  }

  #add(terminal) {
    this.#terminals.get(terminal.id)?._end("replaced");
    this.#terminals.set(terminal.id, terminal);
    return terminal;
  }

  #connect() {
    this.#terminals.forEach((terminal) => terminal._connected());
    this.#waiting.splice(0).forEach(({ resolve }) => resolve());
    this.#events.tell("connect");
  }

  #disconnect(reason) {
    this.#terminals.forEach((terminal) => terminal._disconnected());
    const lost = new Lost(reason);
    [...this.#pending].forEach((reject) => reject(lost));
    this.#events.tell("disconnect", reason);
    // What the server ended the client itself does not take up again.
    if (reason === "io server disconnect") this.#socket.connect();
  }

  #end(error) {
    if (this.#over) return;
    this.#over = error;
    this.#socket.disconnect();
    this.#waiting.splice(0).forEach(({ reject }) => reject(error));
    [...this.#terminals.values()].forEach((terminal) => terminal._end("disconnected", error));
    this.#events.tell("end", error);
  }

  _forget(terminal) {
    if (this.#terminals.get(terminal.id) === terminal) this.#terminals.delete(terminal.id);
  }

  _emit(event, argument) {
    if (this.#socket.connected) this.#socket.emit(event, argument);
  }

  /**
   * Asks once; fails with Lost if the connection breaks before the answer. What is given as `atOnce` happens before any
   * event behind the answer; what awaits the answer may happen later.
   */
  _ask(event, argument, atOnce = () => {}) {
    return new Promise((resolve, reject) => {
      if (!this.#socket.connected) return reject(new Lost("not connected"));
      const fail = (error) => this.#pending.delete(fail) && reject(error);
      this.#pending.add(fail);
      this.#socket.emit(event, argument, (answer) => {
        this.#pending.delete(fail);
        if (!answer.ok) return reject(new BelayError(answer.error));
        atOnce(answer);
        resolve(answer);
      });
    });
  }

  /** Asks again after each break: only for what may happen twice. */
  async _untilAnswered(event, argument, atOnce) {
    for (;;) {
      await this.connected();
      try {
        return await this._ask(event, argument, atOnce);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  }
}

export class Terminal {
  #belay;
  #events = new Events();
  #mode;
  #began = false;
  #attached = false;
  #heard = [];
  #listening = false;
  #inputs = [];
  #acked = 0;
  #dealtWith = 0;
  #over = false;
  #wanted = null;

  constructor(belay, id, from, mode) {
    this.#belay = belay;
    this.id = id;
    this.offset = from;
    this.#mode = mode;
  }

  /** Handlers of output may return a promise: the server sends more when they are done. */
  on(event, handler) {
    const off = this.#events.on(event, handler);
    if (event === "output" && !this.#listening) {
      this.#listening = true;
      queueMicrotask(() => this.#heard.splice(0).forEach(([name, what]) => this.#deal(name, what)));
    }
    return off;
  }

  /** Types: in order, and once, however often the connection breaks. Gives the number of bytes that were taken. */
  async write(data) {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const parts = [];
    for (let at = 0; at < bytes.length; at += MAX_INPUT_BYTES) {
      parts.push(this.#input(bytes.subarray(at, at + MAX_INPUT_BYTES)));
    }
    return (await Promise.all(parts)).reduce((sum, taken) => sum + taken, 0);
  }

  #input(data) {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(new BelayError({ code: "NOT_WRITABLE", message: `The view of ${this.id} has ended.` }));
      this.#inputs.push({ data, input_id: newId(), sent: false, resolve, reject });
      this.#pump();
    });
  }

  #pump() {
    if (!this.#attached) return;
    for (const input of this.#inputs.slice(0, MAX_INPUTS)) {
      if (input.sent) continue;
      input.sent = true;
      const { data, input_id, resolve, reject } = input;
      const done = (settle) => (value) => {
        this.#inputs = this.#inputs.filter((other) => other !== input);
        settle(value);
        this.#pump();
      };
      this.#belay._ask("input", { id: this.id, data, input_id }).then(done((answer) => resolve(answer.taken)), (error) => {
        if (error instanceof Lost) input.sent = false; // sent again once attached again
        else done(reject)(error);
      });
    }
  }

  async resize(cols, rows) {
    if (cols === this.cols && rows === this.rows) return;
    [this.cols, this.rows] = [cols, rows];
    this.#wanted = { cols, rows };
    if (this.#attached) await this.#resize();
  }

  async #resize() {
    const { cols, rows } = this.#wanted;
    try {
      await this.#belay._ask("resize", { id: this.id, cols, rows });
    } catch (error) {
      if (!(error instanceof Lost)) throw error; // told again once attached again
    }
  }

  /** Not sent again if the connection breaks: it might come twice. */
  async signal(signal) {
    await this.#belay._ask("signal", { id: this.id, signal });
  }

  async takeKeyboard({ private: isPrivate = false } = {}) {
    await this.#belay._untilAnswered("lease", { id: this.id, action: "take", private: isPrivate });
  }

  async giveBackKeyboard() {
    await this.#belay._untilAnswered("lease", { id: this.id, action: "give_back" });
  }

  /** Ends the session and all its processes. */
  async close({ force = false } = {}) {
    try {
      await this.#belay._untilAnswered("close", { id: this.id, force });
    } catch (error) {
      if (error.code !== "NOT_FOUND") throw error;
    }
  }

  /** Lets go of the session. */
  async detach() {
    this._end("detached");
    try {
      await this.#belay._ask("detach", { id: this.id });
    } catch (error) {
      if (!(error instanceof Lost) && error.code !== "INVALID_REQUEST") throw error;
    }
  }

  /** Shows the session in a terminal of xterm.js; gives a function that ends that. */
  show(xterm) {
    const told = (error) => this.#events.tell("refused", error);
    const off = [
      this.on("output", (data) => new Promise((done) => xterm.write(data, done))),
      this.on("gap", ({ lost, reason }) => xterm.write(`\r\n[${lost} bytes are missing: ${reason}]\r\n`)),
      this.on("resized", ({ cols, rows }) => xterm.resize(cols, rows)),
      xterm.onData((text) => this.write(text).catch(told)),
      xterm.onBinary((text) => this.write(Uint8Array.from(text, (char) => char.charCodeAt(0))).catch(told)),
      xterm.onResize(({ cols, rows }) => this.resize(cols, rows).catch(told)),
    ];
    this.resize(xterm.cols, xterm.rows).catch(told);
    return () => off.forEach((one) => (one.dispose ? one.dispose() : one()));
  }

  // --- what the connection says ---

  _where() {
    return { id: this.id, from: this.offset, mode: this.#mode };
  }

  _attached({ session, from, mode, cols, rows }) {
    this.session = session;
    this.#mode = mode;
    if (!this.#began) [this.cols, this.rows] = [cols, rows];
    if (!this.#began) this.offset = this.#dealtWith = from;
    this.#began = this.#attached = true;
    this.#acked = this.#dealtWith;
    this.#belay._emit("ack", { id: this.id, offset: this.#dealtWith }); // from here on the server waits for more of these
    if (this.#wanted) this.#resize().catch((error) => this.#events.tell("refused", error));
    this.#pump();
  }

  async _connected() {
    if (!this.#began) return; // whoever asked for it asks again
    try {
      await this.#belay._ask("attach", this._where(), (answer) => this._attached(answer));
      this.#events.tell("attached");
    } catch (error) {
      if (!(error instanceof Lost)) this._end(error.code === "NOT_FOUND" ? "gone" : "refused", error);
    }
  }

  _disconnected() {
    this.#attached = false;
  }

  _heard(event, what) {
    if (event === "output") {
      // Nothing comes twice from the server; what was sent on a line that broke may.
      const seen = this.offset - what.offset;
      if (seen >= what.data.byteLength) return;
      const data = what.data instanceof Uint8Array ? what.data : new Uint8Array(what.data);
      what = { offset: this.offset, data: data.subarray(seen) };
      this.offset = what.offset + what.data.length;
    } else if (event === "gap") {
      this.offset = what.next;
    } else if (event === "resized") {
      [this.cols, this.rows] = [what.cols, what.rows];
    } else if (event === "exit") {
      this.exit = what;
    }
    if (this.#listening && this.#heard.length === 0) this.#deal(event, what);
    else this.#heard.push([event, what]); // the window of the server bounds how much this can be
  }

  #deal(event, what) {
    if (event === "output") {
      const end = what.offset + what.data.length;
      const handled = this.#events.tell("output", what.data, what.offset);
      if (handled.some((one) => one instanceof Promise)) Promise.all(handled).then(() => this.#ack(end));
      else this.#ack(end);
    } else if (event === "closed") {
      this._end(what.reason);
    } else {
      if (event === "gap") this.#ack(what.next);
      this.#events.tell(event, what);
    }
  }

  #ack(offset) {
    this.#dealtWith = Math.max(this.#dealtWith, offset);
    if (this.#attached && this.#dealtWith - this.#acked >= ACK_BYTES) {
      this.#acked = this.#dealtWith;
      this.#belay._emit("ack", { id: this.id, offset: this.#acked });
    }
  }

  _end(reason, error) {
    if (this.#over) return;
    this.#over = true;
    this.#attached = false;
    this.#belay._forget(this);
    const failure = error ?? new BelayError({ code: "NOT_WRITABLE", message: `The view of ${this.id} has ended: ${reason}.` });
    this.#inputs.splice(0).forEach(({ reject }) => reject(failure));
    this.#events.tell("closed", { id: this.id, reason, error });
  }
}
