// How an agent works with each server: the same five things, each in the best way that the server's tools offer.
//
//   run(cmd, ready)           runs a command to its end, where `ready` can be read
//   open(name, cmd, ready)    starts a program that stays, and waits until `ready` can be read
//   type(name, line, ready)   types a line
//   press(name, keys, ready)  presses keys
//   look(name, ready)         reads on
//   close(name)               ends a program and all that it started
//
// Each returns the text that the model read. A look that brings nothing counts as a call, as it does for an agent.
import { Unable } from "./server.js";

const LOOKS = 4;
const SEQUENCES = { up: "\\x1b[A", down: "\\x1b[B", enter: "\\r", esc: "\\x1b", "ctrl-c": "^C", "ctrl-d": "^D" };

async function until(ready, first, look) {
  let text = first;
  for (let i = 0; i < LOOKS && ready && !ready.test(text); i++) {
    text += await look();
  }
  return text;
}

/** Belay, with its defaults. */
export class Belay {
  constructor(server) {
    this.server = server;
  }

  async run(cmd, ready, more = {}) {
    const text = await this.server.call("unified_exec", { cmd, ...more });
    const id = text.match(/\[running, session ([\w-]+)/)?.[1];
    return id ? text + (await this.server.call("write_stdin", { session_id: id, wait_for: { exit: true } })) : text;
  }

  async open(name, cmd, ready, more = {}) {
    const first = await this.server.call("unified_exec", { cmd, session_id: name, ...more });
    return until(ready, first, () => this.server.call("write_stdin", { session_id: name }));
  }

  async type(name, line, ready) {
    const first = await this.server.call("write_stdin", { session_id: name, chars: `${line}\n` });
    return until(ready, first, () => this.server.call("write_stdin", { session_id: name }));
  }

  press(name, keys) {
    return this.server.call("write_stdin", { session_id: name, keys });
  }

  look(name, more = {}) {
    return this.server.call("write_stdin", { session_id: name, ...more });
  }

  close(name, force = false) {
    return this.server.call("close_pty_session", { session_id: name, ...(force ? { force } : {}) });
  }
}

/** Desktop Commander: pipes, no terminals; no exit codes, so the command prints its own. */
export class Commander {
  static LIMIT = 5_000;

  constructor(server) {
    this.server = server;
    this.pids = new Map();
  }

  async run(cmd, ready) {
    const text = await this.server.call("start_process", { command: cmd, timeout_ms: Commander.LIMIT });
    this.pids.set("last", Number(text.match(/PID (\d+)/)?.[1]));
    return until(ready, text, () => this.look("last"));
  }

  runForCode(cmd) {
    return this.run(`${cmd}; echo "exit $?"`);
  }

  async open(name, cmd, ready) {
    const text = await this.run(cmd);
    this.pids.set(name, Number(text.match(/PID (\d+)/)?.[1]));
    return until(ready, text, () => this.look(name));
  }

  async type(name, input, ready) {
    const first = await this.server.call("interact_with_process", { pid: this.pids.get(name), input, timeout_ms: Commander.LIMIT });
    return until(ready, first, () => this.look(name));
  }

  press() {
    throw new Unable("has no terminal whose keys could be pressed");
  }

  look(name) {
    return this.server.call("read_process_output", { pid: this.pids.get(name), timeout_ms: Commander.LIMIT });
  }

  close(name) {
    return this.server.call("force_terminate", { pid: this.pids.get(name) });
  }
}

/** mako10k's mcp-shell-server: commands by pipes, and terminals with a shell in them; the shortest form of its answers. */
export class Mako {
  constructor(server) {
    this.server = server;
    this.ids = new Map();
  }

  run(cmd) {
    return this.server.call("shell_execute", { command: cmd });
  }

  async open(name, cmd, ready) {
    const text = await this.#operate({ command: cmd });
    this.ids.set(name, text.match(/"terminal_id": ?"([^"]+)"/)?.[1]);
    return until(ready, text, () => this.look(name));
  }

  async type(name, input, ready) {
    const first = await this.#operate({ terminal_id: this.ids.get(name), input, force_input: true });
    return until(ready, first, () => this.look(name));
  }

  press(name, keys) {
    const input = keys.map((key) => SEQUENCES[key]).join("");
    return this.#operate({ terminal_id: this.ids.get(name), input, control_codes: true, execute: false, force_input: true });
  }

  look(name) {
    return this.#operate({ terminal_id: this.ids.get(name) });
  }

  close(name) {
    return this.server.call("terminal_close", { terminal_id: this.ids.get(name) });
  }

  #operate(args) {
    return this.server.call("terminal_operate", { ...args, response_level: "minimal", return_terminal_info: false });
  }
}

/** bash-mcp: commands by pipes, and processes in the background that can be listed and ended. */
export class Bash {
  static LIMIT = 5_000;

  constructor(server) {
    this.server = server;
  }

  run(cmd) {
    return this.server.call("run", { command: cmd });
  }

  /** A program that waits for input is ended by the time limit. */
  async open(name, cmd) {
    const text = await this.server.call("run", { command: cmd, timeout: Bash.LIMIT });
    throw new Unable(`has no way to type into a program (${text.length} characters read)`);
  }

  async stay(name, cmd) {
    return this.server.call("run_background", { command: cmd, name });
  }

  look() {
    return this.server.call("list_background", {});
  }

  close(name) {
    return this.server.call("kill_background", { name });
  }
}
