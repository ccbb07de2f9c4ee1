// What an agent does with `belay mcp`, through the official client: `node scenarios.js NAME` runs one, without a name it lists
// them. BELAY holds the command that starts belay, as JSON; the current folder is the workspace. A failed assertion ends it with a code.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client as ClientOfToday, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioOfToday } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const PATIENCE = 50_000;
const [program, ...programArgs] = JSON.parse(process.env.BELAY ?? "[]");

class Agent {
  static async start({ args = [], env = {}, roots, elicit } = {}) {
    const agent = new Agent();
    agent.transport = new StdioClientTransport({
      command: program,
      args: [...programArgs, "mcp", ...(args.includes("--results") ? [] : ["--results", "both"]), ...args],
      env: { ...process.env, ...env },
      stderr: "pipe",
    });
    agent.said = "";
    agent.transport.stderr.on("data", (data) => (agent.said += data));
    agent.client = new Client({ name: "scenarios", version: "1" }, { capabilities: { ...(roots && { roots: {} }), ...(elicit && { elicitation: {} }) } });
    if (roots) {
      agent.client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
    }
    if (elicit) {
      agent.client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params));
    }
    agent.strays = [];
    agent.client.onerror = (error) => agent.strays.push(error); // a line on stdout that is no message lands here
    await agent.client.connect(agent.transport);
    agent.tools = (await agent.client.listTools()).tools; // from now on the client checks answers against the schemas
    return agent;
  }

  async call(name, args = {}, options = {}) {
    const result = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 120_000, ...options });
    const { output = "", error, session_id } = result.structuredContent;
    const [{ text }] = result.content;
    // The text alone has every fact, and a status line only where that says something.
    assert.ok(text.startsWith(output), text);
    const status = text.match(/(?:^|\n)\[([^\n]+)\]$/)?.[1] ?? "";
    assert.ok(!error || status.includes(`${error.code}: `), text);
    if (name === "unified_exec" && !error) {
      const { running, exit_code, waiting_for_input, survivors } = result.structuredContent;
      assert.ok(!running || status.startsWith(`running, session ${session_id}`), text);
      assert.equal(running && waiting_for_input === true, /waits for input|wants a password/.test(status), text);
      assert.ok(running || exit_code === 0 || status.startsWith(`exit ${exit_code}`), text);
      assert.equal(survivors > 0, status.includes("left running"), text);
    }
    assert.equal(result.isError, !result.structuredContent.success);
    return result.structuredContent;
  }

  exec(cmd, more = {}) {
    return this.call("unified_exec", { cmd, ...more });
  }

  write(session, chars, more = {}) {
    return this.call("write_stdin", { session_id: session.session_id, chars, ...more });
  }

  keys(session, keys, more = {}) {
    return this.call("write_stdin", { session_id: session.session_id, keys, ...more });
  }

  read(session, more = {}) {
    return this.call("read_output", { session_id: session.session_id, ...more });
  }

  close(session, more = {}) {
    return this.call("close_pty_session", { session_id: session.session_id, ...more });
  }

  async end() {
    assert.deepEqual(this.strays, []);
    await this.client.close();
  }
}

const seen = (match) => ({ wait_for: { match }, yield_time_ms: PATIENCE });
const ended = { wait_for: { exit: true }, yield_time_ms: PATIENCE };

function withAgent(body, options) {
  return async () => {
    const agent = await Agent.start(options);
    await body(agent);
    await agent.end();
  };
}

const ASKS =
  '[approvals]\nwatch = ["agent"]\n[[agent.rules]]\nname = "machine"\naction = "ask"\nprograms = ["uname"]\n';

// Calls until it is so, and then returns the answer: for what happens a moment after what was waited for.
async function until(look, so) {
  for (;;) {
    const result = await look();
    if (so(result)) {
      return result;
    }
  }
}

const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

// What the client of revision 2026-07-28 does, however its messages travel.
async function today(transport) {
  mkdirSync("rooted", { recursive: true });
  const client = new ClientOfToday({ name: "today", version: "1" }, { capabilities: { roots: {} }, versionNegotiation: { mode: "auto" } });
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${process.cwd()}/rooted` }] }));
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  assert.equal(client.getProtocolEra(), "modern");
  assert.equal((await client.listTools()).tools.length, 5);
  const call = async (name, args, options) => {
    const result = await client.callTool({ name, arguments: args }, options);
    assert.equal(result.structuredContent, undefined);
    return result;
  };
  const where = await call("unified_exec", { cmd: "pwd", ...ended }); // the client is asked for its roots on the way
  assert.match(where.content[0].text, /\/rooted\n/);
  const asks = await call("unified_exec", { cmd: "read -r line; echo got $line; exit 3", session_id: "reads", yield_time_ms: PATIENCE });
  assert.match(asks.content[0].text, /running/);
  const got = await call("write_stdin", { session_id: "reads", chars: "it\n", ...ended });
  assert.match(got.content[0].text, /got it/);
  const wrong = await call("unified_exec", { command: "true" });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /did you mean cmd/);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /no_such_tool/);
  const controller = new AbortController();
  await new Promise((resolve, reject) => {
    const onprogress = ({ message }) => message === "begun" && resolve();
    const options = { signal: controller.signal, onprogress, timeout: PATIENCE };
    // Longer than this test may take: only the cancellation can end the call in time.
    call("unified_exec", { cmd: "echo begun; sleep 1000", session_id: "sleeps", ...ended, yield_time_ms: 400_000 }, options).catch(reject);
  });
  controller.abort("enough");
  await until(
    () => call("write_stdin", { session_id: "sleeps", yield_time_ms: 50 }),
    ({ content }) => /running/.test(content[0].text), // its turn comes when the cancelled call is over
  );
  assert.match((await call("close_pty_session", { session_id: "sleeps", force: true })).content[0].text, /closed/);
  await client.close();
}

function withServer(body) {
  return async () => {
    const server = spawn(program, [...programArgs, "serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = await once(createInterface({ input: server.stdout }), "line");
      const state = process.env.XDG_STATE_HOME ?? `${process.env.HOME}/.local/state`;
      await body(line.match(/http:\S+/)[0], readFileSync(`${state}/belay/token`, "utf8").trim());
    } finally {
      server.kill();
      await once(server, "exit");
    }
  };
}

const scenarios = {
  "echo is answered with its exit code": withAgent(async (agent) => {
    const done = await agent.exec("echo hi; exit 3", ended);
    assert.equal(done.output, "hi\n");
    assert.deepEqual([done.success, done.running, done.exit_code, done.wait_result], [true, false, 3, "exit"]);
    assert.match(agent.said, /workspace .*: /);
  }),

  "a command that has ended is not waited for": withAgent(async (agent) => {
    const done = await agent.exec("sleep 0.05", { yield_time_ms: 30_000 });
    assert.equal(done.running, false);
    assert.ok(done.wall_time_ms < 15_000, `took ${done.wall_time_ms} ms`);
  }),

  "a python REPL keeps its variables across calls": withAgent(async (agent) => {
    const python = await agent.exec("python3 -q", seen(">>> "));
    assert.equal(python.running, true);
    await agent.write(python, "x = 6\n", seen(">>> $"));
    const answer = await agent.write(python, "print('is', x * 7)\n", seen("is \\d+\\n"));
    assert.match(answer.output, /is 42/);
    assert.equal(answer.wait_result, "match");
    const gone = await agent.write(python, "exit(5)\n", ended);
    assert.equal(gone.exit_code, 5);
  }),

  "a password prompt is told, and the password not shown": withAgent(async (agent) => {
    const asks = await agent.exec("read -r -s -p 'Password: ' word; echo; echo \"${#word} characters\"", { shell: "/bin/bash", yield_time_ms: PATIENCE });
    assert.match(asks.output, /Password: $/);
    assert.deepEqual([asks.waiting_for_input, asks.echo_off, asks.running], [true, true, true]);
    const done = await agent.write(asks, "hunter22\n", ended);
    assert.match(done.output, /8 characters/);
    assert.doesNotMatch(done.output, /hunter22/);
  }),

  "a prompt ends the wait for the exit, and Ctrl-C passes a call that waits": withAgent(async (agent) => {
    const asks = await agent.exec("read -r -p 'Ok? ' a; echo got $a", { shell: "/bin/bash", ...ended });
    assert.deepEqual([asks.wait_result, asks.waiting_for_input, asks.running], ["input", true, true]);
    assert.match(asks.hint, /write_stdin/);
    assert.match((await agent.write(asks, "yes\n", ended)).output, /got yes/);
    const begun = await agent.exec("echo up; exec sleep 1000", { session_id: "waits", ...seen("up") });
    const waits = agent.write(begun, "", { wait_for: { exit: true } });
    const typed = await agent.keys(begun, ["ctrl-c"], ended);
    assert.equal(typed.exit_code, 130);
    const first = await waits;
    assert.ok(first.exit_code === 130 || /Another call typed/.test(first.hint), JSON.stringify(first));
  }),

  "git commit does not hang in an editor, and one can be had": withAgent(async (agent) => {
    const git = "git -c user.name=a -c user.email=a@b -c init.defaultBranch=main";
    const made = await agent.exec(`${git} init -q repo && cd repo && echo 1 > file && git add file && ${git} commit`, ended);
    assert.match(made.output, /empty commit message/i); // GIT_EDITOR=true
    assert.notEqual(made.exit_code, 0);
    const vim = await agent.exec(`${git} commit`, { workdir: "repo", env: { GIT_EDITOR: "vim -u NONE -n" }, ...seen("COMMIT_EDITMSG") });
    assert.equal(vim.running, true);
    await agent.write(vim, "iA message by hand", { yield_time_ms: 500 });
    await agent.keys(vim, ["esc"]);
    const done = await agent.write(vim, ":wq\n", ended);
    assert.equal(done.exit_code, 0, done.output);
    const log = await agent.exec("git log --format=%s", { workdir: "repo", ...ended });
    assert.match(log.output, /A message by hand/);
  }),

  "less is left and vim saves by keys": withAgent(async (agent) => {
    writeFileSync("long.txt", Array.from({ length: 500 }, (_, i) => `line ${i}`).join("\n"));
    const less = await agent.exec("less long.txt", seen("long.txt|line 10"));
    assert.equal(less.running, true);
    await agent.keys(less, ["pgdn"], { wait_for: { match: "line 3\\d" }, yield_time_ms: PATIENCE });
    assert.equal((await agent.write(less, "q", ended)).exit_code, 0);
    const vim = await agent.exec("vim -u NONE -n new.txt", seen("new.txt"));
    await agent.write(vim, "ihello from vim", { yield_time_ms: 500 });
    await agent.keys(vim, ["esc"]);
    const done = await agent.write(vim, ":wq\n", ended);
    assert.equal(done.exit_code, 0, done.output);
    assert.equal(readFileSync("new.txt", "utf8"), "hello from vim\n");
  }),

  "the questions of npm init are answered": withAgent(async (agent) => {
    mkdirSync("package");
    let asks = await agent.exec("npm init", { workdir: "package", ...seen("package name: ") });
    asks = await agent.write(asks, "by-hand\n", { ...seen("version: ") });
    for (const next of ["description: ", "entry point: ", "test command: ", "git repository: ", "keywords: ", "author: ", "license: ", "Is this OK\\?"]) {
      asks = await agent.keys(asks, ["enter"], { wait_for: { match: `${next}|type: `, exit: true }, yield_time_ms: PATIENCE });
      if (/type: /.test(asks.output)) {
        asks = await agent.keys(asks, ["enter"], { ...seen(next) });
      }
      assert.equal(asks.running, true, asks.output);
    }
    assert.equal((await agent.write(asks, "yes\n", ended)).exit_code, 0);
    assert.equal(JSON.parse(readFileSync("package/package.json", "utf8")).name, "by-hand");
  }),

  "ctrl-c stops the command and the shell lives on": withAgent(async (agent) => {
    const shell = await agent.exec("PS1='ready> ' exec bash --norc -i", seen("ready> $"));
    // Said by the command itself, so it has the terminal.
    await agent.write(shell, "sh -c 'echo begun; exec sleep 1000'\n", seen("begun\\n"));
    await agent.keys(shell, ["ctrl-c"], seen("ready> $"));
    const lives = await agent.write(shell, "echo code $?\n", seen("code \\d+\\n"));
    assert.match(lives.output, /code 130/);
    assert.equal(lives.running, true);
  }),

  "a shell stays between calls and tells each exit code": withAgent(async (agent) => {
    const run = (cmd, more = {}) => agent.exec(cmd, { in: "main", shell: "bash", ...ended, ...more });
    mkdirSync("deep");
    const moved = await run("cd deep && word=kept");
    assert.equal(moved.cwd, `${process.cwd()}/deep`);
    const kept = await run("echo $word; (exit 7)");
    assert.deepEqual([kept.output, kept.exit_code, kept.running, kept.wait_result], ["kept\n", 7, false, "exit"]);
    assert.deepEqual((({ output, exit_code }) => [output, exit_code])(await run("cat <<END\na b\nEND\nfalse")), ["a b\n", 1]);
    const forged = await run("printf '\\033]133;D;0\\007'; (exit 5)");
    assert.equal(forged.exit_code, 5);
    const asks = await run("read -r -p 'Name? ' name; echo hi $name");
    assert.deepEqual([asks.output, asks.running, asks.wait_result], ["Name? ", true, "input"]);
    assert.match((await run("true")).error.message, /busy with 'read/);
    const told = await agent.write(asks, "ann\n", ended);
    assert.match(told.output, /hi ann\n$/);
    assert.equal(told.exit_code, 0);
    const list = await agent.client.callTool({ name: "list_pty_sessions", arguments: {} });
    assert.match(list.content[0].text, /^main: bash \[running.*\n(  \$ .*\n)*  \$ read .*\[exit 0\]\n$/);
    assert.equal((await run("exit 4")).exit_code, 4);
    assert.equal((await run("pwd")).output, `${process.cwd()}\n`);
    assert.match((await run("true", { session_id: "x" })).error.message, /leave out session_id/);
  }),

  "a screen is waited for, and what is selected told": withAgent(async (agent) => {
    const menu = "printf '\\033[?1049h\\033[2;3H\\033[7mapple\\033[0m\\033[3;3Hpear'; read -r x; printf '\\033[5;1Hdone'; cat";
    const shown = await agent.exec(menu, { session_id: "menu", wait_for: { screen: "(?m)^  pear$" }, yield_time_ms: PATIENCE });
    assert.equal(shown.wait_result, "screen");
    assert.deepEqual(shown.screen.selected, ["apple"]);
    assert.match(shown.output, /apple\n  pear\n\[screen, cursor at row 3, column 7, selected: apple\]\n$/);
    const next = await agent.write(shown, "\n", { wait_for: { screen: "done" }, yield_time_ms: PATIENCE });
    assert.match(next.output, /^(?!.*pear)[^]*5\| done/);
    const rests = await agent.write(shown, "", { wait_for: { settled_ms: 50 }, yield_time_ms: PATIENCE });
    assert.equal(rests.wait_result, "settled");
  }),

  "a session's id is free after its exit, and a large paste is followed by a key": withAgent(async (agent) => {
    assert.equal((await agent.exec("exit 3", { session_id: "again", ...ended })).exit_code, 3);
    const counts = await agent.exec("stty raw -echo; echo up; head -c 1048589 | tail -c 1 | od -An -c", { session_id: "again", ...seen("up") });
    const done = await agent.write(counts, "x".repeat(1 << 20), { paste: true, keys: ["enter"], ...ended });
    assert.equal(done.output.trim(), "\\r");
  }),

  "typed commands meet the rules": async () => {
    writeFileSync("belay.toml", '[[agent.rules]]\nname = "no-push"\naction = "deny"\nprograms = ["git"]\nmatch = \'\\spush(\\s|$)\'\n');
    const agent = await Agent.start({ args: ["--config", "belay.toml"] });
    for (const cmd of ["git -C repo push", "/usr/bin/git push", "cd x && git push"]) {
      assert.equal((await agent.exec(cmd)).error.code, "DENIED");
    }
    const cat = await agent.exec("cat");
    assert.match((await agent.write(cat, "git push\n")).error.message, /Nothing was typed: rule 'no-push'/);
    await agent.end();
  },

  "keys are understood as people write them": withAgent(async (agent) => {
    const shell = await agent.exec("stty raw -echo; echo up; exec dd bs=1 count=12 2>/dev/null | od -An -c", seen("up"));
    const done = await agent.keys(shell, ["C-c", "ctrl+c", "^C", "Ctrl-C", "q", "é", "Escape", "Return", "M-x", "space"], ended);
    assert.deepEqual(done.output.trim().split(/\s+/), ["003", "003", "003", "003", "q", "303", "251", "033", "\\r", "033", "x"]);
  }),

  "text is all that reaches a model unless records are asked for": async () => {
    for (const [args, text, records] of [
      [["--results", "text"], true, false],
      [["--results", "structured"], false, true],
    ]) {
      const agent = await Agent.start({ args });
      const result = await agent.client.callTool({ name: "unified_exec", arguments: { cmd: "echo hi", wait_for: { exit: true } } });
      assert.equal(result.content.length, text ? 1 : 0);
      assert.equal("structuredContent" in result, records);
      assert.ok(agent.tools.every((tool) => "outputSchema" in tool === records));
      if (text) {
        assert.match(result.content[0].text, /^hi\n/);
      }
      await agent.end();
    }
  },

  "a trap gives the exit code": withAgent(async (agent) => {
    const begun = await agent.exec("trap 'echo caught; exit 7' INT; echo set; while :; do sleep 0.1; done", seen("set\\n"));
    const done = await agent.keys(begun, ["ctrl-c"], ended);
    assert.equal(done.exit_code, 7);
    assert.match(done.output, /caught/);
  }),

  "a server that never ends is running": withAgent(async (agent) => {
    const server = await agent.exec("python3 -u -m http.server --bind 127.0.0.1 0", seen("Serving HTTP"));
    assert.deepEqual([server.running, server.exit_code, server.wait_result], [true, null, "match"]);
    const closed = await agent.close(server);
    assert.equal(closed.success, true);
    assert.deepEqual((await agent.call("list_pty_sessions")).sessions, []);
  }),

  "the middle of a long output is fetched by the call that is named": withAgent(async (agent) => {
    const cut = await agent.exec("echo HEAD; seq 1 100000; echo TAIL", { max_output_tokens: 100, tty: false, ...ended });
    assert.equal(cut.truncated, true);
    assert.ok(cut.output.length < 1_000, `${cut.output.length} characters`);
    assert.match(cut.output, /^HEAD\n/);
    assert.match(cut.output, /TAIL\n$/);
    assert.match(cut.output, /^\[Output truncated\]/m);
    const from = Number(cut.output.match(/from["=: ]+(\d+)/)[1]);
    const bytes = [cut.output.slice(0, cut.output.indexOf("[Output truncated]"))];
    for (let next = from; next < cut.output_end; ) {
      const part = await agent.read(cut, { from: next, max_output_tokens: 50_000 });
      assert.equal(part.success, true);
      assert.equal(part.truncated, part.next < cut.output_end);
      bytes.push(part.output);
      assert.ok(part.next > next);
      next = part.next;
    }
    const all = bytes.join("");
    const wanted = `HEAD\n${Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join("")}TAIL\n`;
    assert.equal(all.slice(all.indexOf("HEAD")).replace(/\n\n/g, "\n"), wanted);
  }),

  "output is there again after the exit": withAgent(async (agent) => {
    const done = await agent.exec("seq 1 5; exit 2", ended);
    const again = await agent.read(done, { from: 0 });
    assert.equal(again.output, done.output);
    assert.deepEqual([again.running, again.exit_code], [false, 2]);
    assert.equal((await agent.read(done, { tail: 2 })).output, "4\n5\n");
  }),

  "the end of input ends cat": withAgent(async (agent) => {
    const cat = await agent.exec("cat");
    await agent.write(cat, "  kept \t whitespace\n", seen("kept[^\\n]*\\n[^\\n]*kept \t whitespace"));
    assert.equal((await agent.write(cat, "\u0004", ended)).exit_code, 0);
  }),

  "the eleventh session is refused until one is closed": withAgent(async (agent) => {
    const sessions = [];
    for (let i = 0; i < 10; i++) {
      sessions.push(await agent.exec("cat", { session_id: `cat-${i}` }));
    }
    const refused = await agent.exec("cat");
    assert.equal(refused.error.code, "LIMIT_REACHED");
    assert.match(refused.error.message, /^Maximum PTY sessions reached \(10 of 10\)/);
    assert.match(refused.error.message, /cat-0/);
    assert.match(refused.error.message, /close_pty_session/);
    await agent.close(sessions[3]);
    assert.equal((await agent.exec("cat")).running, true);
    const list = (await agent.call("list_pty_sessions")).sessions;
    assert.equal(list.length, 10);
    assert.ok(list.every((session) => session.state === "running"));
  }),

  "two clients call at the same time": async () => {
    const agents = await Promise.all([Agent.start(), Agent.start()]);
    // Each waits for a file that the other makes: one after the other they would never end.
    const calls = agents.flatMap((agent, i) => [
      agent.exec(`touch made-${i}; while [ ! -e made-${1 - i} ] || [ ! -e more-${i} ]; do sleep 0.05; done`, ended),
      agent.exec(`touch more-${i}`, ended),
    ]);
    for (const done of await Promise.all(calls)) {
      assert.equal(done.exit_code, 0);
    }
    await Promise.all(agents.map((agent) => agent.end()));
  },

  "a cancelled call leaves its process alone, and no thread": withAgent(async (agent) => {
    const cancelled = async (id) => {
      const controller = new AbortController();
      const call = agent.call("unified_exec", { cmd: "tail -f /dev/null", session_id: id, ...ended }, { signal: controller.signal });
      await until(
        () => agent.call("list_pty_sessions"),
        ({ sessions }) => sessions.some((session) => session.id === id),
      );
      controller.abort("enough");
      await assert.rejects(call);
      const answer = await agent.write({ session_id: id }, "still here\n", seen("still here"));
      assert.equal(answer.running, true);
      await agent.close(answer, { force: true });
    };
    await cancelled("first");
    const before = threads(agent);
    for (let i = 0; i < 20; i++) {
      await cancelled(`cat-${i}`);
    }
    assert.ok(threads(agent) < before + 10, `${threads(agent)} threads after ${before}`); // some are the JVM's own
  }),

  "progress is told while a call waits": withAgent(async (agent) => {
    const told = [];
    const twice = new Promise((resolve) => {
      const onprogress = ({ progress }) => told.push(progress) === 2 && resolve();
      agent.waits = agent.call("unified_exec", { cmd: "while [ ! -e go ]; do sleep 0.1; done", ...ended }, { onprogress });
    });
    await twice;
    writeFileSync("go", "");
    assert.equal((await agent.waits).exit_code, 0);
    assert.ok(told.every((value, i) => i === 0 || value > told[i - 1]));
  }),

  "characters are whole however they are written": withAgent(async (agent) => {
    const slow = `import os,time
for byte in "a€😀z".encode():
    os.write(1, bytes([byte])); time.sleep(0.05)
input()`;
    writeFileSync("slow.py", slow);
    let part = await agent.exec("python3 slow.py", { yield_time_ms: 60 });
    let text = part.output;
    while (!text.includes("z")) {
      part = await agent.write(part, "", { yield_time_ms: 30 });
      text += part.output;
    }
    assert.equal(text, "a€😀z");
  }),

  "bytes that are no text do no harm": withAgent(async (agent) => {
    const done = await agent.exec("printf 'a\\377\\376b\\303'", ended);
    assert.match(done.output, /^a\ufffd+b\ufffd$/);
  }),

  "a folder outside the workspace is refused": withAgent(async (agent) => {
    for (const workdir of ["..", "/", "../../etc"]) {
      const refused = await agent.exec("pwd", { workdir });
      assert.equal(refused.error.code, "OUTSIDE_WORKSPACE", JSON.stringify(refused));
    }
    assert.equal((await agent.exec("pwd", { workdir: "nowhere" })).success, false);
  }),

  "a hostile regular expression costs nothing": withAgent(async (agent) => {
    const done = await agent.exec("head -c 30000 /dev/zero | tr '\\0' a; echo; exit 4", { wait_for: { match: "(a+)+(a+)+(a+)+b", exit: true }, yield_time_ms: PATIENCE });
    assert.deepEqual([done.wait_result, done.exit_code], ["exit", 4]);
    const refused = await agent.exec("true", { wait_for: { match: "(" } });
    assert.equal(refused.error.code, "INVALID_REQUEST");
    assert.equal((await agent.exec("true", { wait_for: { match: "(a{1000}){1000}" } })).error.code, "INVALID_REQUEST");
  }),

  "two hundred calls leave nothing behind": withAgent(async (agent) => {
    const mixed = async (count) => {
      for (let i = 0; i < count; i++) {
        const done = await agent.exec(`echo ${i}`, { tty: i % 2 === 0, ...ended });
        assert.equal(done.output.trim(), `${i}`);
        if (i % 10 === 0) {
          const cat = await agent.exec("cat");
          await agent.close(cat, { force: true });
        }
        await agent.close(done);
      }
    };
    await mixed(20);
    const before = { files: descriptors(agent), threads: threads(agent) };
    await mixed(180);
    assert.ok(descriptors(agent) <= before.files + 2, `${descriptors(agent)} descriptors after ${before.files}`);
    assert.ok(threads(agent) <= before.threads + 3, `${threads(agent)} threads after ${before.threads}`);
  }),

  "mistakes are told as results with what is right": withAgent(async (agent) => {
    const cat = await agent.exec("cat", { session_id: "alive" });
    const unknown = await agent.write({ session_id: "nobody" }, "x");
    assert.equal(unknown.error.code, "NOT_FOUND");
    assert.match(unknown.error.message, /nobody/);
    assert.match(unknown.error.message, /alive/);
    assert.equal((await agent.exec("  ")).error.code, "INVALID_REQUEST");
    assert.equal((await agent.write(cat, "x".repeat(2_000_000))).error.code, "TOO_LARGE");
    assert.equal((await agent.keys(cat, ["hyper-x"])).error.code, "INVALID_REQUEST");
    const piped = await agent.exec("exec 0<&-; echo shut; exec sleep 1000", { tty: false, ...seen("shut") });
    assert.equal(piped.running, true);
    for (const [tool, args, told] of [
      ["unified_exec", { cmd: 3 }, /cmd must be a string/],
      ["unified_exec", { command: "true" }, /did you mean cmd\?/],
      ["unified_exec", { cmd: "true", colour: "red" }, /no argument 'colour'/],
      ["unified_exec", { cmd: "true", yield_time_ms: "soon" }, /yield_time_ms must be a whole number/],
      ["unified_exec", { cmd: "true", cwd: "." }, /did you mean workdir\?/],
      ["write_stdin", { session_id: "alive", chars: ["x"] }, /chars must be a string/],
      ["close_pty_session", { id: "alive" }, /did you mean session_id\?/],
    ]) {
      const { error } = await agent.call(tool, args);
      assert.equal(error.code, "INVALID_REQUEST");
      assert.match(error.message, told);
    }
    assert.equal((await agent.exec("exit 6", { wait_for: { exit: "true" }, yield_time_ms: `${PATIENCE}` })).exit_code, 6);
    await assert.rejects(agent.call("no_such_tool"), /no_such_tool/);
    assert.equal((await agent.write(cat, "still\n", seen("still\\nstill"))).running, true);
  }),

  "an idle session says why it ended, and its output is there": withAgent(async (agent) => {
    const idle = await agent.exec("echo the rest; cat", { idle_timeout_ms: 300, ...seen("the rest") });
    const after = await until(
      async () => (await agent.call("list_pty_sessions")).sessions.find(({ id }) => id === idle.session_id),
      (session) => session.state !== "running",
    );
    assert.equal(after.end_reason, "idle_timeout");
    const rest = await agent.write(idle, "");
    assert.match(rest.output + idle.output, /the rest/);
    assert.match(JSON.stringify(rest), /idle/i);
    assert.equal(rest.running, false);
  }),

  "agents find pagers and prompts switched off": withAgent(async (agent) => {
    const env = await agent.exec("echo $PAGER $GIT_PAGER $MANPAGER $GIT_TERMINAL_PROMPT $GIT_EDITOR $DEBIAN_FRONTEND", ended);
    assert.equal(env.output, "cat cat cat 0 true noninteractive\n");
    assert.equal((await agent.exec("echo $PAGER", { env: { PAGER: "more" }, ...ended })).output, "more\n");
  }),

  "a host's project folder is the workspace": async () => {
    mkdirSync("project");
    const agent = await Agent.start({ env: { CLAUDECODE: "1", CLAUDE_PROJECT_DIR: `${process.cwd()}/project` } });
    assert.match((await agent.exec("pwd", ended)).output, /\/project\n$/);
    assert.match(agent.said, /workspace .*\/project: .*Claude/i);
    await agent.end();
  },

  "the client's root is the workspace, and what workdir is relative to": async () => {
    mkdirSync("elsewhere/inside", { recursive: true });
    mkdirSync("start");
    const root = `${process.cwd()}/elsewhere`;
    const agent = await Agent.start({ roots: [`file://${root}`], env: { CLAUDE_PROJECT_DIR: `${process.cwd()}/start` } });
    assert.equal((await agent.exec("pwd", ended)).output.trim(), root);
    assert.equal((await agent.exec("pwd", { workdir: "inside", ...ended })).output.trim(), `${root}/inside`);
    assert.match(agent.said, /workspace .*elsewhere: the client's root/);
    assert.match((await agent.exec("pwd", { workdir: "../start" })).error.message, /elsewhere/);
    await agent.end();
  },

  "roots count within --workspace only": async () => {
    mkdirSync("inside/deeper", { recursive: true });
    const agent = await Agent.start({ args: ["--workspace", "."], roots: ["file:///etc", `file://${process.cwd()}/inside`] });
    const done = await until(() => agent.exec("pwd", ended), ({ output }) => output.includes("inside"));
    assert.equal(done.output.trim(), `${process.cwd()}/inside`);
    assert.match((await agent.exec("pwd", { workdir: "deeper", ...ended })).output, /\/inside\/deeper/);
    assert.match((await agent.exec("pwd", { workdir: "nowhere" })).error.message, /workdir is relative to .*\/inside\./);
    assert.match(agent.said, /\/etc.*is not inside the workspace/);
    await agent.end();
  },

  "a client without a handshake, on standard input and output": () =>
    today(new StdioOfToday({ command: program, args: [...programArgs, "mcp", "--workspace", "."], env: { ...process.env } })),

  "a client without a handshake, over HTTP": withServer((address, token) =>
    today(new StreamableHTTPClientTransport(new URL("mcp", address), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))),

  "a client without a handshake, passed on to a server": withServer((address) =>
    today(new StdioOfToday({ command: program, args: [...programArgs, "mcp", "--server", address], env: { ...process.env } }))),

  "a denied command is not started, and the rule is named": async () => {
    writeFileSync("belay.toml", '[[agent.rules]]\nname = "no-touching"\naction = "deny"\nprograms = ["touch"]\n');
    const agent = await Agent.start({ args: ["--config", "belay.toml"] });
    const denied = await agent.exec("touch made");
    assert.equal(denied.error.code, "DENIED");
    assert.match(denied.error.message, /no-touching/);
    assert.ok(!readdirSync(".").includes("made"));
    assert.equal((await agent.exec("which sh", ended)).exit_code, 0);
    await agent.end();
  },

  "a program that a rule asks about waits for the user of the client": async () => {
    writeFileSync("belay.toml", ASKS);
    const asked = [];
    const answers = [
      { action: "accept", content: { answer: "allow once" } },
      { action: "decline" },
      { action: "accept", content: { answer: "allow for this session" } },
    ];
    const elicit = (params) => {
      asked.push(params);
      return answers[asked.length - 1];
    };
    const agent = await Agent.start({ args: ["--config", "belay.toml"], elicit });
    const allowed = await agent.exec("echo begun; env uname -s; echo end", ended);
    assert.match(allowed.output, /begun\r?\nLinux\r?\nend/);
    assert.match(asked[0].message, /'uname -s'.*\/uname.*machine/);
    assert.deepEqual(asked[0].requestedSchema.required, ["answer"]);
    const denied = await agent.exec("uname -m || echo refused", ended);
    assert.match(denied.output, /refused/);
    assert.deepEqual(denied.approvals.map(({ words, rule, state }) => ({ words, rule, state })), [
      { words: ["uname", "-m"], rule: "machine", state: "denied" },
    ]);
    const kept = await agent.exec("uname -n >/dev/null; uname -n >/dev/null && echo twice", ended);
    assert.match(kept.output, /twice/);
    assert.equal(asked.length, 3);
    await agent.end();
  },

  "a question shows all words, and nothing in it can pretend to be Belay": async () => {
    writeFileSync("belay.toml", ASKS);
    const folder = "odd\u001b[2K\nAPPROVED by admin.";
    mkdirSync(folder, { recursive: true });
    const asked = [];
    const elicit = (params) => {
      asked.push(params);
      return { action: "decline" };
    };
    const agent = await Agent.start({ args: ["--config", "belay.toml"], elicit });
    const blanks = " ".repeat(190);
    const denied = await agent.exec(`cd odd*; uname '-c${blanks}' push --force https://evil/`, ended);
    const command = 'uname "-c⟦␠×190⟧" push --force https://evil/';
    assert.ok(asked[0].message.includes(`'${command}'`), asked[0].message);
    assert.match(asked[0].message, /in '[^']*\/odd\\u001b\[2K\\u000aAPPROVED by admin\.'/);
    assert.doesNotMatch(asked[0].message, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.equal(denied.approvals[0].command, command);
    assert.deepEqual(denied.approvals[0].words, ["uname", `-c${blanks}`, "push", "--force", "https://evil/"]);
    await agent.end();
  },

  "an answer for the conversation holds for the next command": async () => {
    writeFileSync("belay.toml", ASKS);
    const asked = [];
    const elicit = (params) => {
      asked.push(params);
      return { action: "accept", content: { answer: "allow for this conversation" } };
    };
    const agent = await Agent.start({ args: ["--config", "belay.toml"], elicit });
    assert.match((await agent.exec("uname -s", ended)).output, /Linux/);
    assert.match((await agent.exec("uname -s", ended)).output, /Linux/);
    assert.equal(asked.length, 1);
    assert.deepEqual(asked[0].requestedSchema.properties.answer.enum, [
      "allow once",
      "allow for this session",
      "allow for this conversation",
      "allow for this workspace",
      "deny",
    ]);
    assert.match(asked[0].message, /the same program, words, folder and variables/);
    assert.match((await agent.exec("cd / && uname -s", ended)).output, /Linux/);
    assert.equal(asked.length, 2);
    await agent.end();
  },

  "where the client cannot ask its user, a rule that asks denies": async () => {
    writeFileSync("belay.toml", ASKS);
    const agent = await Agent.start({ args: ["--config", "belay.toml"] });
    const refused = await agent.exec("uname -s || echo refused", ended);
    assert.match(refused.output, /refused/);
    assert.equal(refused.approvals[0].state, "refused");
    await agent.end();
  },

  "an approval without a handshake": async () => {
    writeFileSync("belay.toml", ASKS);
    const asked = [];
    const client = new ClientOfToday(
      { name: "today", version: "1" },
      { capabilities: { roots: {}, elicitation: {} }, versionNegotiation: { mode: "auto" } },
    );
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${process.cwd()}` }] }));
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { answer: "allow once" } };
    });
    await client.connect(
      new StdioOfToday({ command: program, args: [...programArgs, "mcp", "--config", "belay.toml"], env: { ...process.env } }),
    );
    const done = await client.callTool({ name: "unified_exec", arguments: { cmd: "echo $$ >> runs; uname -s; echo end", ...ended } });
    assert.match(done.content[0].text, /Linux\n+end/);
    assert.equal(asked.length, 1);
    assert.equal(readFileSync("runs", "utf8").trim().split("\n").length, 1); // it goes on; it does not start again
    await client.close();
  },

  "closing the input ends belay and all it started": async () => {
    const agent = await Agent.start();
    await agent.exec("echo $$ > pid; setsid sleep 1000 & trap '' HUP TERM; echo up; while :; do sleep 1; done", seen("up\\n"));
    const pid = Number(readFileSync("pid", "utf8"));
    const belay = agent.transport.pid;
    await agent.end();
    assert.ok(!alive(belay) && !alive(pid));
  },

  // For the test that kills this process: says when it has a session, and stays.
  async lingers() {
    const agent = await Agent.start();
    await agent.exec("setsid sleep 1000 & trap '' HUP TERM; echo up; while :; do sleep 1; done", seen("up\\n"));
    console.log("up");
    await once(process, "never");
  },
};

const descriptors = (agent) => readdirSync(`/proc/${agent.transport.pid}/fd`).length;
const threads = (agent) => readdirSync(`/proc/${agent.transport.pid}/task`).length;

const name = process.argv[2];
if (name === undefined) {
  console.log(Object.keys(scenarios).join("\n"));
} else {
  await scenarios[name]();
}
