// Scenarios of the official client: `node scenarios.js URL SCENARIO`. Exits with an error if an assertion fails.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { io } from "socket.io-client";

const [url, scenario, ...rest] = process.argv.slice(2);
const WEBSOCKET = { transports: ["websocket"], upgrade: false };
const POLLING = { transports: ["polling"] };

const next = (emitter, event) => new Promise((resolve) => emitter.once(event, (...args) => resolve(args)));

function connect(options, namespace = "") {
  return io(url + namespace, { reconnection: false, forceNew: true, ...options });
}

async function echoes(options) {
  const socket = connect({ ...options, auth: { token: "t" } });
  assert.deepEqual(await next(socket, "auth"), [{ token: "t" }]);
  const values = [1, "zwei €😀", null, { deep: [{ buffer: Buffer.from([0, 1, 255]) }, Buffer.alloc(0)] }, Buffer.alloc(70_000, 7), [true, 1.5]];
  socket.emit("message", ...values);
  assert.deepEqual(await next(socket, "message-back"), values);
  const answer = await new Promise((resolve) => socket.emit("message-with-ack", ...values, (...args) => resolve(args)));
  assert.deepEqual(answer, values);
  assert.equal(socket.io.engine.transport.name, options.transports?.at(-1) ?? socket.io.engine.transport.name);
  socket.disconnect();
}

// Checks every byte while the server sends continuously and, with the default options, while the client upgrades.
async function flood(options) {
  const socket = connect(options);
  const hash = createHash("sha256");
  const transports = new Set();
  let offset = 0;
  socket.on("output", (output) => {
    assert.equal(output.offset, offset);
    offset += output.data.length;
    hash.update(output.data);
    transports.add(socket.io.engine.transport.name);
  });
  await next(socket, "connect");
  const { engine } = socket.io; // it may have upgraded before it entered the namespace
  const upgraded = options.transports || engine.transport.name === "websocket" ? null : next(engine, "upgrade");
  socket.emit("flood", Number(rest[0]));
  await upgraded;
  socket.emit("enough");
  const [end] = await next(socket, "end");
  assert.equal(end.bytes, offset);
  assert.equal(end.sha256, hash.digest("hex"));
  console.log(JSON.stringify({ bytes: offset, transports: [...transports] }));
  socket.disconnect();
}

const scenarios = {
  websocket: () => echoes(WEBSOCKET),
  polling: () => echoes(POLLING),
  defaults: () => echoes({}),

  flood: () => flood({}),
  floodWebsocket: () => flood(WEBSOCKET),
  floodPolling: () => flood(POLLING),

  async namespaces() {
    const socket = connect(WEBSOCKET, "/custom");
    assert.deepEqual(await next(socket, "auth"), [{}]);
    const [unknown] = await next(connect(WEBSOCKET, "/nowhere"), "connect_error");
    assert.equal(unknown.message, "Invalid namespace");
    const [refused] = await next(connect(WEBSOCKET, "/closed"), "connect_error");
    assert.equal(refused.message, "no entry");
    assert.deepEqual(refused.data, { code: "DENIED", retry_after_ms: 5 });
    process.exit();
  },

  async reasons() {
    const left = connect({});
    await next(left, "connect");
    left.emit("leave");
    assert.equal((await next(left, "disconnect"))[0], "io server disconnect");
    for (const options of [WEBSOCKET, POLLING]) {
      const closed = connect(options);
      await next(closed, "connect");
      const gone = next(closed, "disconnect"); // it may follow the last event at once
      closed.emit("close");
      assert.deepEqual(await next(closed, "last"), [Buffer.from("last")]);
      assert.equal((await gone)[0], "transport close");
    }
    process.exit();
  },

  // The server asks twice: one answer contains bytes, the other never comes.
  async answers() {
    const socket = connect({});
    socket.on("ask", (value, ack) => ack({ nested: [value] }, Buffer.from("x")));
    socket.on("silence", () => {});
    await next(socket, "connect");
    const [asked, silence] = await new Promise((resolve) => socket.emit("interrogate", (...args) => resolve(args)));
    assert.deepEqual(asked, [{ nested: [Buffer.from("q")] }, Buffer.from("x")]);
    assert.equal(silence, "TimeoutException");
    socket.disconnect();
  },

  // Stays alive over many heartbeats on both transports.
  async heartbeats() {
    await Promise.all(
      [WEBSOCKET, POLLING].map(async (options) => {
        const socket = connect(options);
        await next(socket, "connect");
        for (let i = 0; i < 5; i++) {
          await next(socket.io, "ping");
        }
        socket.disconnect();
      }),
    );
  },
};

await scenarios[scenario]();
