// Terminals of a Belay server, for web pages and for node. See README.md and belay-client.d.ts.
import { io } from "socket.io-client";

/** Inputs in flight at once; the server remembers far more. */
const MAX_INPUTS = 32;
/** Largest input in bytes. */
const MAX_INPUT_BYTES = 256 * 1024;
/** Bytes to handle before the next ack. The server sends up to 512 KiB beyond the last ack. */
const ACK_BYTES = 64 * 1024;
/** What `show` asks for: rows above the screen, and how much output it takes at once. */
const SHOWN = { screen: true, history: 1000, skip: 256 * 1024 };
/** What xterm.js says by itself: answers, and that it has or has lost the focus. */
const REPORT = /^\x1b(\[[?>=]?[\d;]*(\$y|[cnRtIO])|[P\]_].*)$/s;
/** xterm.js's names of the first 16 colours. */
const PALETTE = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  "brightBlack", "brightRed", "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite"];

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Ids are per owner: what a terminal is known by. Events carry the owner if the client named one. */
const key = ({ id, owner }) => (owner === undefined ? id : `${owner}/${id}`);

const bytes = (data) => (data instanceof Uint8Array ? data : new Uint8Array(data));

/** The colours of an xterm.js theme that are written as `#rrggbb`. */
function colours(theme) {
  const hex = (colour) => (/^#([\da-f]{3}|[\da-f]{6})$/i.test(colour ?? "") ? colour : undefined);
  const palette = PALETTE.map((name) => hex(theme[name]));
  return { foreground: hex(theme.foreground), background: hex(theme.background), cursor: hex(theme.cursor), palette: palette.every(Boolean) ? palette : undefined };
}

/** The server refused a request. */
export class BelayError extends Error {
  constructor({ code, message, ...details }) {
    super(message);
    this.name = "BelayError";
    this.code = code;
    this.retryAfterMs = details.retry_after_ms;
    this.details = details;
  }
}

/** The connection broke before the answer arrived. */
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

/** Signs in. Resolves once the server has accepted the client; rejects if it refuses. */
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
  /** What to ask for again after a break: the lists with how far they were told, and the screens. */
  #watched = null;
  #screens = null;

  constructor(url, token, options = {}) {
    const auth = async (give) => give({ token: typeof token === "function" ? await token() : token });
    this.#socket = io(url, { ...options, forceNew: true, auth });
    this.#socket.on("connect", () => this.#connect());
    this.#socket.on("disconnect", (reason) => this.#disconnect(reason));
    this.#socket.on("connect_error", (error) => error.data && this.#end(new BelayError(error.data)));
    for (const event of ["output", "screen", "gap", "resized", "lease", "exit", "closed"]) {
      this.#socket.on(event, (what) => this.#terminals.get(key(what))?._heard(event, what));
    }
    this.#tellOfRetries(options);
    this.#socket.on("changed", (changes) => this.#changed(changes));
    this.#socket.on("thumbnail", (screen) => this.#events.tell("thumbnail", screen));
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
    const terminal = this.#add(new Terminal(this, { id }, { from: 0, mode: "write" }));
    for (let tries = 1; ; tries++) {
      await this.connected();
      try {
        await this._ask("create", { ...spec, id }, (answer) => terminal._attached(answer));
        return terminal;
      } catch (error) {
        if (error instanceof Lost) continue;
        if (error.code === "ALREADY_EXISTS" && tries > 1) return this.#attach(terminal); // only the answer was lost
        this._forget(terminal);
        throw error;
      }
    }
  }

  attach(id, { owner, ...how } = {}) {
    return this.#attach(this.#add(new Terminal(this, owner === undefined ? { id } : { id, owner }, how)));
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

  /** Says when the next attempt to connect comes: socket.io-client doubles its delay each time. */
  #tellOfRetries({ reconnectionDelay = 1000, reconnectionDelayMax = 5000 }) {
    let attempts = 0;
    const next = () => this.#events.tell("retry", { inMs: Math.min(reconnectionDelayMax, reconnectionDelay * 2 ** attempts++) });
    this.#socket.on("connect", () => (attempts = 0));
    this.#socket.on("disconnect", next);
    this.#socket.io.on("reconnect_error", next);
    this.#socket.io.on("reconnect_attempt", () => this.#events.tell("retry", { inMs: 0 }));
  }

  async watch(lists) {
    const watched = { lists };
    this.#watched = null;
    await this._untilAnswered("watch", watched, () => (this.#watched = lists.length > 0 ? watched : null));
  }

  async screens(ids) {
    this.#screens = null;
    await this._untilAnswered("screens", { ids }, () => (this.#screens = ids.length > 0 ? { ids } : null));
  }

  #changed(changes) {
    const watched = this.#watched;
    if (watched && changes.version !== undefined) watched.since = changes.version;
    if (watched && changes.events) watched.events_since = changes.events.at(-1).number;
    this.#events.tell("changed", changes);
  }

  close() {
    this.#socket.disconnect();
    this.#end(new BelayError({ code: "UNAVAILABLE", message: "The connection was closed by this client." }));
  }

  #add(terminal) {
    this.#terminals.get(key(terminal._at))?._end("replaced");
    this.#terminals.set(key(terminal._at), terminal);
    return terminal;
  }

  #connect() {
    this.#terminals.forEach((terminal) => terminal._connected());
    if (this.#watched) this._emit("watch", this.#watched);
    if (this.#screens) this._emit("screens", this.#screens);
    this.#waiting.splice(0).forEach(({ resolve }) => resolve());
    this.#events.tell("connect");
  }

  #disconnect(reason) {
    this.#terminals.forEach((terminal) => terminal._disconnected());
    const lost = new Lost(reason);
    [...this.#pending].forEach((reject) => reject(lost));
    this.#events.tell("disconnect", reason);
    // socket.io-client does not reconnect by itself after the server has ended the connection.
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
    if (this.#terminals.get(key(terminal._at)) === terminal) this.#terminals.delete(key(terminal._at));
  }

  _emit(event, argument) {
    if (this.#socket.connected) this.#socket.emit(event, argument);
  }

  /**
   * Asks once; rejects with Lost if the connection breaks before the answer. `atOnce` runs before any event that follows
   * the answer; code that awaits the answer may run later.
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

  /** Asks again after each break. Only for requests that may run twice. */
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
  /** What repaints this view takes: `{screen, history, skip}`, or nothing. */
  #view;
  #attachedAs;
  #began = false;
  #attached = false;
  /** It has not begun yet, or is asked to begin anew: what still comes of a view before is dropped. */
  #anew = true;
  #fromOldest;
  #heard = [];
  #listening = false;
  #inputs = [];
  #acked = 0;
  #dealtWith = 0;
  #paused = false;
  #over = false;
  #wanted = null;
  #colours = null;

  constructor(belay, at, { from, mode, ...view }) {
    this.#belay = belay;
    this._at = at;
    this.id = at.id;
    this.offset = from;
    this.mode = mode;
    this.#view = view.screen ? { ...SHOWN, ...view } : {};
    this.#fromOldest = from === undefined && !view.screen;
  }

  /** Output handlers may return a promise; the server sends more once it resolves. */
  on(event, handler) {
    const off = this.#events.on(event, handler);
    if (event === "output" && !this.#listening) {
      this.#listening = true;
      queueMicrotask(() => this.#heard.splice(0).forEach(([name, what]) => this.#deal(name, what)));
    }
    return off;
  }

  /** Types, in order and exactly once, however often the connection breaks. Resolves to the bytes accepted. */
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
      input.answered = this.#belay._ask("input", { ...this._at, data, input_id }).then(done((answer) => resolve(answer.taken)), (error) => {
        if (error instanceof Lost) input.sent = false; // sent again after the next attach
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
      await this.#belay._ask("resize", { ...this._at, cols, rows });
    } catch (error) {
      if (!(error instanceof Lost)) throw error; // sent again after the next attach
    }
  }

  /** Not sent again if the connection breaks, because it could arrive twice. */
  async signal(signal) {
    await this.#belay._ask("signal", { ...this._at, signal });
  }

  async takeKeyboard({ private: isPrivate = false } = {}) {
    await this.#belay._untilAnswered("lease", { ...this._at, action: "take", private: isPrivate });
  }

  async giveBackKeyboard() {
    await this.#belay._untilAnswered("lease", { ...this._at, action: "give_back" });
  }

  /** Ends the session and all its processes. */
  async close({ force = false } = {}) {
    try {
      await this.#belay._untilAnswered("close", { ...this._at, force });
    } catch (error) {
      if (error.code !== "NOT_FOUND") throw error;
    }
  }

  /** Detaches from the session, which goes on. */
  async detach() {
    if (this.#over) return; // it has ended, or another view of the session took its place
    this._end("detached");
    try {
      await this.#belay._ask("detach", this._at);
    } catch (error) {
      if (!(error instanceof Lost) && error.code !== "INVALID_REQUEST") throw error;
    }
  }

  /** Says which colours this window has; programs that ask are told these. */
  async colours(colours) {
    this.#colours = colours;
    if (this.#attached && this.mode === "write") await this.#tellColours();
  }

  async #tellColours() {
    try {
      await this.#belay._ask("colours", { ...this._at, ...this.#colours });
    } catch (error) {
      if (!(error instanceof Lost)) throw error; // sent again after the next attach
    }
  }

  /** From now on this view types and resizes; output goes on where it is. */
  drive() {
    return this.#attachAs("write");
  }

  /** From now on this view only watches; output goes on where it is. */
  watchOnly() {
    return this.#attachAs("watch");
  }

  async #attachAs(mode) {
    if (mode === this.mode) return;
    const before = this.mode;
    this.mode = mode;
    try {
      await this.#attachAgain();
    } catch (error) {
      this.mode = before;
      await this.#attachAgain();
      throw error;
    }
  }

  /** Attaches again, at the same offset unless the view begins anew. Inputs keep their order. */
  async #attachAgain() {
    if (!this.#attached) return; // the next attach asks for it
    this.#attached = false;
    await Promise.all(this.#inputs.filter((input) => input.sent).map((input) => input.answered));
    try {
      await this.#belay._ask("attach", this._where(), (answer) => this._attached(answer));
    } catch (error) {
      if (!(error instanceof Lost)) throw error; // the connection attaches again by itself
    }
  }

  /** Stops acknowledging output, for a page that nobody sees; the server sends no more than a window. */
  pause() {
    this.#paused = true;
  }

  /** Goes on; what was missed comes as output, or as one repaint if it is much. */
  resume() {
    this.#paused = false;
    this.#ack(this.#dealtWith, true);
  }

  /** Shows the session in an xterm.js terminal; returns a function that stops this. */
  show(xterm) {
    const anew = this.#fromOldest && !this.#listening;
    if (xterm.options?.allowProposedApi && xterm.unicode.versions.includes("11")) xterm.unicode.activeVersion = "11";
    const told = (error) => this.#events.tell("refused", error);
    let stopped = false; // a page may have disposed of the terminal by now
    const write = async (data) => stopped || new Promise((done) => xterm.write(data, done));
    // xterm.js draws later what it is given now, but takes a size and a reset at once: these wait for what came before.
    let before = null;
    const inOrder = (step) => {
      const mine = (before ?? Promise.resolve()).then(() => write("")).then(step).finally(() => before === mine && (before = null));
      return (before = mine);
    };
    let sizing = false;
    const size = ({ cols, rows }) => {
      if (stopped || !cols || (cols === xterm.cols && rows === xterm.rows)) return;
      sizing = true;
      xterm.resize(cols, rows);
      sizing = false;
    };
    let repainting = 0;
    const repaint = async (what) => {
      if (stopped) return;
      xterm.reset();
      size(what);
      repainting++;
      await write(what.data);
      repainting--;
    };
    const drives = () => this.mode !== "watch";
    const type = (data, text) => drives() && !(repainting && REPORT.test(text)) && this.write(data).catch(told);
    const off = [
      this.on("output", (data) => (before ? before.then(() => write(data)) : write(data))),
      this.on("screen", (what) => inOrder(() => repaint(what))),
      this.on("resized", (what) => inOrder(() => size(what))),
      this.on("gap", ({ lost, reason }) => this.#repaints() || inOrder(() => write(`\r\n[${lost} bytes are missing: ${reason}]\r\n`))),
      xterm.onData((text) => type(text, text)),
      xterm.onBinary((text) => type(Uint8Array.from(text, (char) => char.charCodeAt(0)), text)),
      xterm.onResize(({ cols, rows }) => !sizing && drives() && this.resize(cols, rows).catch(told)),
      this.#pauseWhileHidden(),
    ];
    if (xterm.options?.theme) this.colours(colours(xterm.options.theme)).catch(told);
    if (drives()) this.resize(xterm.cols, xterm.rows).catch(told);
    else size(this);
    if (!this.#view.screen) this.#showScreen(anew).catch(told);
    return () => {
      stopped = true;
      off.forEach((one) => (one.dispose ? one.dispose() : one()));
    };
  }

  #repaints() {
    return this.#view.screen && this.session.backend === "pty";
  }

  /** Goes on as a view that takes repaints; or begins anew with one instead of the oldest byte. */
  async #showScreen(anew) {
    this.#view = SHOWN;
    if (this.session.backend !== "pty") return;
    if (anew) {
      this.#anew = true;
      this.offset = undefined;
      this.#heard = [];
    }
    await this.#attachAgain();
  }

  #pauseWhileHidden() {
    const page = globalThis.document;
    if (!page?.addEventListener) return () => {};
    const look = () => (page.visibilityState === "hidden" ? this.pause() : this.resume());
    page.addEventListener("visibilitychange", look);
    if (page.visibilityState === "hidden") this.pause();
    return () => page.removeEventListener("visibilitychange", look);
  }

  // --- called by the connection ---

  _where() {
    return { ...this._at, from: this.offset, mode: this.mode, ...this.#view };
  }

  _attached({ session, from, mode, cols, rows }) {
    const changed = this.#began && mode !== this.#attachedAs;
    this.session = session;
    this.mode = this.#attachedAs = mode;
    if (this.#anew) {
      [this.cols, this.rows] = [cols, rows];
      this.offset = this.#dealtWith = from;
    }
    this.#began = this.#attached = true;
    this.#anew = false;
    this.#acked = this.#dealtWith;
    this.#belay._emit("ack", { ...this._at, offset: this.#dealtWith }); // from here on the server waits for acks
    const refused = (error) => this.#events.tell("refused", error);
    if (this.#wanted && mode === "write") this.#resize().catch(refused);
    if (this.#colours && mode === "write") this.#tellColours().catch(refused);
    if (changed) this.#events.tell("mode", mode);
    this.#pump();
  }

  async _connected() {
    if (!this.#began) return; // the caller asks again
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
    if (this.#anew && ["output", "screen", "gap", "resized"].includes(event)) return;
    if (event === "output") {
      // The server sends nothing twice, but output may be repeated after a connection broke.
      const seen = this.offset - what.offset;
      if (seen >= what.data.byteLength) return;
      what = { offset: this.offset, data: bytes(what.data).subarray(seen) };
      this.offset = what.offset + what.data.length;
    } else if (event === "screen") {
      this.offset = what.offset;
      [this.cols, this.rows] = [what.cols, what.rows];
      what = { ...what, data: bytes(what.data) };
    } else if (event === "gap") {
      this.offset = what.next;
    } else if (event === "resized") {
      [this.cols, this.rows] = [what.cols, what.rows];
    } else if (event === "exit") {
      this.exit = what;
    }
    if (this.#listening && this.#heard.length === 0) this.#deal(event, what);
    else this.#heard.push([event, what]); // bounded by the server's window
  }

  #deal(event, what) {
    if (event === "output" || event === "screen") {
      const painted = event === "screen";
      const end = painted ? what.offset : what.offset + what.data.length;
      const handled = painted ? this.#events.tell("screen", what) : this.#events.tell("output", what.data, what.offset);
      if (handled.some((one) => one instanceof Promise)) Promise.all(handled).then(() => this.#ack(end, painted));
      else this.#ack(end, painted);
    } else if (event === "closed") {
      this._end(what.reason);
    } else {
      if (event === "gap") this.#ack(what.next);
      this.#events.tell(event, what);
    }
  }

  /** A repaint is acknowledged at once: the server may be waiting for that. */
  #ack(offset, atOnce = false) {
    this.#dealtWith = Math.max(this.#dealtWith, offset);
    if (this.#attached && !this.#paused && (atOnce || this.#dealtWith - this.#acked >= ACK_BYTES)) {
      this.#acked = this.#dealtWith;
      this.#belay._emit("ack", { ...this._at, offset: this.#acked });
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
