// Scenarios of the official client with terminals: `node terminals.js URL TOKEN SCENARIO ...`.
import assert from "node:assert/strict";
import { io } from "socket.io-client";
import { ask, attach, connect, emit, leave, next, open, Output, POLLING, refused, run, sequence, WEBSOCKET } from "./raw.js";

const ways = { websocket: WEBSOCKET, polling: POLLING, defaults: {} };

/** The current value of a metric. */
async function metric(url, token, name) {
  const answer = await fetch(new URL("/metrics", url), { headers: { Authorization: `Bearer ${token}` } });
  const line = (await answer.text()).split("\n").find((one) => one.startsWith(name + " "));
  return Number(line.split(" ")[1]);
}

async function flood(socket, count) {
  const { id, output } = await open(socket, { cmd: `read x; seq 1 ${count}` });
  return { id, output, go: () => ask(socket, "input", { id, data: "\n" }) };
}

run({
  // A program needs an approval: the viewer is told, and answers.
  async approval(url, token) {
    const socket = await connect(url, token, WEBSOCKET);
    const asked = next(socket, "approval");
    const { id, output } = await open(socket, { cmd: "uname -s; echo end" });
    const [{ approval }] = await asked;
    assert.deepEqual([approval.session, approval.words, approval.rule], [id, ["uname", "-s"], "machine"]);
    await refused(socket, "answer", { approval: approval.id, answer: "perhaps" }, "INVALID_REQUEST");
    await refused(socket, "answer", { answer: "allow" }, "INVALID_REQUEST");
    const closed = next(socket, "approval_closed");
    const answered = await ask(socket, "answer", { approval: approval.id, answer: "allow" });
    assert.equal(answered.approval.state, "allowed");
    assert.deepEqual(await closed, [{ id, approval: approval.id, how: "allowed", reason: "answer", by: "admin", scope: "once" }]);
    await output.see("Linux");
    await output.exited();
    await leave(socket);
    return {};
  },

  // Everything once: create, type, resize, signal, keyboard, list, exit, close.
  async tour(url, token, way) {
    const socket = await connect(url, token, ways[way]);
    const command = ["sh", "-c", "stty raw -echo; trap 'echo WINCH' WINCH; trap 'exit 7' INT; echo up; while :; do head -c 4 | od -An -tx1; done"];
    const { session, output, from, mode, cols, rows } = await open(socket, { command, cols: 100, rows: 30, env: { A: "b" } });
    assert.deepEqual([from, mode, cols, rows, session.cols, session.state], [0, "write", 100, 30, 100, "running"]);
    assert.deepEqual([session.origin, session.backend, session.command], ["terminal", "pty", "sh"]);
    await output.see("up");

    assert.equal((await ask(socket, "input", { id: session.id, data: Buffer.from([0, 255, 128, 10]) })).taken, 4);
    await output.see("00 ff 80 0a");
    assert.equal((await ask(socket, "input", { id: session.id, data: "aéz" })).taken, 4);
    await output.see("61 c3 a9 7a");

    const resized = next(socket, "resized");
    await ask(socket, "resize", { id: session.id, cols: 120, rows: 40 });
    assert.deepEqual(await resized, [{ id: session.id, cols: 120, rows: 40 }]);

    const taken = next(socket, "lease");
    assert.equal((await ask(socket, "lease", { id: session.id, action: "take" })).holder, "alice");
    assert.deepEqual(await taken, [{ id: session.id, holder: "alice", private: false }]);
    assert.equal((await ask(socket, "lease", { id: session.id, action: "give_back" })).holder, null);

    const { sessions } = await ask(socket, "list", {});
    assert.deepEqual(sessions.map((one) => one.id), [session.id]);
    assert.equal((await emit(socket, "list")).sessions.length, 1);

    await ask(socket, "ack", { id: session.id, offset: output.offset });
    await refused(socket, "ack", { id: session.id, offset: output.offset + 1_000_000 }, "INVALID_REQUEST");

    await ask(socket, "signal", { id: session.id, signal: "SIGINT" });
    // A shell that is just about to start its next command runs the trap after that; another signal ends the command.
    const again = setInterval(() => emit(socket, "signal", { id: session.id, signal: "SIGINT" }), 500);
    await output.exited();
    clearInterval(again);
    assert.deepEqual([output.exit.exit_code, output.exit.signal], [7, null]);
    await refused(socket, "input", { id: session.id, data: "late" }, "NOT_WRITABLE");
    const closed = next(socket, "closed");
    await ask(socket, "close", { id: session.id });
    assert.deepEqual(await closed, [{ id: session.id, reason: "exit" }]);
    assert.equal(socket.io.engine.transport.name, way === "polling" ? "polling" : "websocket");
    await leave(socket);
  },

  // The options of a page written for its own server, plus a token. Without a command: a login shell.
  async page(url, token) {
    const socket = io(url, { transports: ["websocket"], upgrade: false, auth: { token } });
    await next(socket, "connect");
    const { session, output } = await open(socket, { env: { HOME: "/" } }); // independent of the tester's own profile
    assert.deepEqual(session.args, ["-l"]);
    await ask(socket, "input", { id: session.id, data: "echo $((6*7))=answer; exit 3\n" });
    await output.see("42=answer");
    await output.exited();
    assert.equal(output.exit.exit_code, 3);
    await leave(socket);
  },

  async mistakes(url, token) {
    const socket = await connect(url, token, WEBSOCKET);
    await refused(socket, "create", { cmd: "true", nonsense: 1 }, "INVALID_REQUEST");
    await refused(socket, "create", { cmd: 5 }, "INVALID_REQUEST");
    await refused(socket, "create", { command: ["/nowhere/program"] }, "SPAWN_FAILED");
    await refused(socket, "create", { cmd: "true", workdir: "../.." }, "OUTSIDE_WORKSPACE");
    await refused(socket, "create", [1], "INVALID_REQUEST");
    await refused(socket, "attach", {}, "INVALID_REQUEST");
    await refused(socket, "attach", { id: "nobody" }, "NOT_FOUND");
    await refused(socket, "input", { id: "nobody", data: "x" }, "INVALID_REQUEST");
    await refused(socket, "signal", { id: "nobody", signal: "SIGINT" }, "NOT_FOUND");
    await refused(socket, "close", { id: "nobody" }, "NOT_FOUND");
    const { session } = await ask(socket, "create", { cmd: "cat" });
    const at = { id: session.id };
    await refused(socket, "input", { ...at, data: 5 }, "INVALID_REQUEST");
    await refused(socket, "input", { ...at }, "INVALID_REQUEST");
    await refused(socket, "input", { ...at, data: Buffer.alloc((1 << 20) + 1) }, "TOO_LARGE");
    await refused(socket, "resize", { ...at, cols: 80 }, "INVALID_REQUEST");
    await refused(socket, "resize", { ...at, cols: 0, rows: 10 }, "INVALID_REQUEST");
    await refused(socket, "signal", { ...at, signal: "SIGNOTHING" }, "INVALID_REQUEST");
    await refused(socket, "lease", { ...at, action: "steal" }, "INVALID_REQUEST");
    await refused(socket, "attach", { ...at, from: 1e9 }, "INVALID_REQUEST");
    await refused(socket, "attach", { ...at, mode: "shout" }, "INVALID_REQUEST");
    await ask(socket, "detach", at);
    await refused(socket, "input", { ...at, data: "x" }, "INVALID_REQUEST");
    await refused(socket, "detach", at, "INVALID_REQUEST");
    // Without a callback nothing happens, and the connection stays.
    socket.emit("input", { ...at, data: "x" });
    socket.emit("no such event", {});
    await ask(socket, "attach", { ...at, mode: "watch" });
    await refused(socket, "input", { ...at, data: "x" }, "DENIED");
    await ask(socket, "close", { ...at, force: true });
    assert.equal(socket.connected, true);
    await leave(socket);
  },

  async signIn(url, token) {
    for (const options of [WEBSOCKET, POLLING]) {
      for (const auth of [{ token: "wrong" }, { token: "" }, {}, { token: 5 }, { token: null }]) {
        const stranger = io(url, { forceNew: true, reconnection: false, ...options, auth });
        const [error] = await next(stranger, "connect_error");
        assert.equal(error.data.code, "UNAUTHENTICATED");
        assert.equal(error.message, error.data.message);
        stranger.disconnect();
      }
      const [nowhere] = await next(io(url + "nowhere", { forceNew: true, ...options, auth: { token } }), "connect_error");
      assert.equal(nowhere.message, "Invalid namespace");
    }
  },

  // A message beyond all limits breaks the connection; the client reconnects and resumes where it was.
  async tooLong(url, token) {
    const socket = await connect(url, token, { ...WEBSOCKET, reconnectionDelay: 10 });
    const { session } = await ask(socket, "create", { cmd: "cat" });
    const gone = next(socket, "disconnect");
    socket.emit("input", { id: session.id, data: Buffer.alloc(4 << 20) });
    await gone;
    await next(socket, "connect");
    const { from, output } = await attach(socket, session.id);
    assert.equal(from, 0);
    await ask(socket, "input", { id: session.id, data: "on\n" });
    await output.see("on");
    await leave(socket);
  },

  // With the defaults, the client polls first and upgrades during the flood.
  async flood(url, token, way, count) {
    const socket = io(url, { forceNew: true, auth: { token }, ...ways[way] });
    const transports = new Set();
    await next(socket, "connect");
    const { id, output, go } = await flood(socket, Number(count));
    socket.on("output", () => transports.add(socket.io.engine.transport.name));
    await go();
    await output.exited();
    const expected = sequence(Number(count));
    assert.equal(output.lost, 0);
    assert.equal(output.offset, expected.bytes + 2); // plus the echo of the line
    await leave(socket);
    return { id, bytes: output.offset, transports: [...transports] };
  },

  // One client stops reading. Others see everything, and the server keeps almost nothing for it.
  async stalled(url, token, admin, count) {
    const reader = await connect(url, token, WEBSOCKET);
    const { id, output, go } = await flood(reader, Number(count));
    const stalled = await connect(url, token, WEBSOCKET);
    const { output: behind } = await attach(stalled, id);
    const wire = stalled.io.engine.transport.ws._socket;
    wire.pause();
    await go();
    await output.exited();
    assert.equal(output.lost, 0);
    const pending = await metric(url, admin, "belay_socketio_pending_bytes");
    assert.ok(pending > 0 && pending < 200_000, `${pending} bytes wait for a client that does not read`);
    wire.resume();
    await behind.exited();
    assert.ok(behind.lost > 0, "the log has dropped some of it");
    assert.equal(behind.offset, output.offset);
    await leave(reader);
    await leave(stalled);
    return { pending, lost: behind.lost };
  },

  // A program that does not read its input does not hold up the client's other sessions.
  async deaf(url, token) {
    const socket = await connect(url, token, WEBSOCKET);
    const deaf = await open(socket, { cmd: "stty raw -echo; echo up; sleep 1000" });
    await deaf.output.see("up");
    const other = await open(socket, { cmd: "cat" });
    const stuck = emit(socket, "input", { id: deaf.id, data: Buffer.alloc(500_000, 120) });
    await ask(socket, "input", { id: other.id, data: "meanwhile\n" });
    await other.output.see("meanwhile");
    await ask(socket, "close", { id: deaf.id, force: true });
    await stuck;
    await leave(socket);
  },

  // Input is sent again until it is answered; each line is written once, in order.
  async inputOnce(url, token, count) {
    const socket = await connect(url, token, { ...WEBSOCKET, reconnectionDelay: 5, reconnectionDelayMax: 20 });
    const { id, output } = await open(socket, { cmd: "stty -echo; echo up; cat" });
    await output.see("up");
    // After every cut, even one that comes after the last answer.
    socket.on("connect", () => emit(socket, "attach", { id, from: output.offset }));
    let expected = "up\r\n";
    for (let i = 0; i < Number(count); i++) {
      expected += `line ${i}\r\n`;
      for (let answered = false; !answered; ) {
        const type = { id, data: `line ${i}\n`, input_id: `input-${i}` };
        const gone = next(socket, "disconnect").then(() => null);
        const answer = emit(socket, "input", type);
        if (Math.random() < 0.5) {
          setTimeout(() => socket.io.engine.transport.ws?._socket?.destroy(), Math.random() * 4);
        }
        answered = (await Promise.race([answer, gone]))?.ok;
        if (!socket.connected) await next(socket, "connect");
      }
    }
    await output.until(() => output.offset >= expected.length);
    assert.equal(output.kept.toString(), expected);
    await leave(socket);
  },

  // Reconnects after every cut and resumes at its offset.
  async cut(url, token, way, count) {
    const socket = io(url, { forceNew: true, auth: { token }, ...ways[way], reconnectionDelay: 1, reconnectionDelayMax: 10, timeout: 5000 });
    const id = crypto.randomUUID();
    const output = new Output(socket, id);
    let opened = false;
    let connects = 0;
    socket.on("connect", async () => {
      connects++;
      if (!opened) {
        // If sent again after a cut, it is refused because the id exists.
        const created = await emit(socket, "create", { id, cmd: `stty -onlcr; seq 1 ${count}` });
        opened = created.ok;
        if (created.ok || created.error.code !== "ALREADY_EXISTS") return;
        opened = true;
      }
      socket.emit("attach", { id, from: output.offset }, (answer) => assert.ok(answer.ok, JSON.stringify(answer)));
    });
    await output.exited();
    const text = Array.from({ length: 5 }, (_, i) => Number(count) - 4 + i).join("\n") + "\n";
    assert.ok(output.kept.toString().endsWith(text));
    assert.equal(output.lost, 0);
    await leave(socket);
    return { id, connects, bytes: output.offset, sha256: output.hash.digest("hex") };
  },

  async leave(url, token, keep) {
    const socket = await connect(url, token, WEBSOCKET);
    const { id, output } = await open(socket, { cmd: "setsid sleep 1000 & echo up; cat", keep: keep === "keep" });
    await output.see("up");
    await leave(socket);
    return { id };
  },

  async comeBack(url, token, id, admin) {
    const socket = await connect(url, token, POLLING);
    const { session, output } = await attach(socket, id);
    await ask(socket, "input", { id, data: "back\n" });
    await output.see("back");
    const away = await metric(url, admin, "belay_sessions_absent");
    await ask(socket, "close", { id });
    await leave(socket);
    return { state: session.state, away };
  },

  async refusedAtTheDoor(url, token) {
    const socket = io(url, { forceNew: true, ...WEBSOCKET, auth: { token } });
    const [error] = await next(socket, "connect_error");
    return { code: error.data.code, active: socket.active };
  },

  // The client is told when its token is revoked, and refused when it comes back.
  async revoked(url, token, id) {
    const socket = await connect(url, token, { ...WEBSOCKET, reconnectionDelay: 10 });
    await ask(socket, "attach", { id, from: 0 });
    const closed = next(socket, "closed");
    const refusal = next(socket, "connect_error");
    await ask(socket, "input", { id, data: "ready\n" }); // the test revokes the token when it sees this
    assert.deepEqual(await closed, [{ id, reason: "revoked" }]);
    assert.equal((await refusal)[0].data.code, "UNAUTHENTICATED");
  },

  async early(url, token) {
    const socket = await connect(url, token, WEBSOCKET);
    await ask(socket, "create", { cmd: "cat" });
    const { retry_after_ms } = await refused(socket, "create", { cmd: "cat" }, "RATE_LIMITED");
    await leave(socket);
    return { retry_after_ms };
  },

  async queued(url, token, count) {
    const socket = await connect(url, token, WEBSOCKET);
    const start = performance.now();
    await Promise.all(Array.from({ length: Number(count) }, () => ask(socket, "create", { cmd: "cat" })));
    const took_ms = Math.round(performance.now() - start);
    const { error } = await emit(socket, "create", { cmd: "cat" });
    await leave(socket);
    return { took_ms, error };
  },

  // alice and bob each have a session x; an admin views both at once.
  async owners(url, token) {
    const socket = await connect(url, token);
    await refused(socket, "attach", { id: "x" }, "INVALID_REQUEST");
    const heard = { alice: "", bob: "" };
    socket.on("output", ({ id, owner, data }) => {
      assert.equal(id, "x");
      heard[owner] += Buffer.from(data).toString();
    });
    const until = (owner, text) => new Promise((resolve) => {
      const look = () => heard[owner].includes(text) && resolve(socket.off("output", look));
      socket.on("output", look);
      look();
    });
    for (const owner of ["alice", "bob"]) {
      assert.equal((await ask(socket, "attach", { id: "x", owner, from: 0 })).session.owner, owner);
    }
    await refused(socket, "input", { id: "x", data: "whose?\n" }, "INVALID_REQUEST");
    await ask(socket, "input", { id: "x", owner: "bob", data: "for bob\n" });
    await until("bob", "for bob");
    await until("alice", "hers");
    assert.ok(!heard.alice.includes("for bob"));
    await ask(socket, "detach", { id: "x", owner: "alice" });
    await ask(socket, "input", { id: "x", data: "only one left\n" });
    await until("bob", "only one left");
    await leave(socket);
  },

  // Labels that look like settings steer nothing.
  async leaveLabelled(url, token) {
    const socket = await connect(url, token);
    const { id, output } = await open(socket, { cmd: "echo up; cat", labels: { keep: "true", door: "api" } });
    await output.see("up");
    await leave(socket);
    return { id };
  },

  // Every client has five sessions and uses all of them.
  async crowd(url, _, tokens) {
    await Promise.all(tokens.split(",").map(async (token) => {
      const socket = await connect(url, token);
      const outputs = await Promise.all(Array.from({ length: 5 }, async (_, i) => {
        const { output } = await open(socket, { cmd: `stty -echo; echo up; read x; echo "got $x"; seq 1 5000; exit ${i}` });
        await output.see("up");
        return output;
      }));
      await refused(socket, "create", { cmd: "true" }, "LIMIT_REACHED");
      await Promise.all(outputs.map(async (output, i) => {
        await ask(socket, "input", { id: output.id, data: `${token} ${i}\n` });
        await output.exited();
        assert.equal(output.exit.exit_code, i);
        assert.ok(output.kept.includes(`got ${token} ${i}\r\n`));
        assert.ok(output.kept.toString().endsWith("4999\r\n5000\r\n"));
      }));
      assert.equal((await ask(socket, "list", {})).sessions.length, 5);
      await leave(socket);
    }));
  },
});
