// The doors to measure, behind one interface: `connect()` returns `{create(cmd) -> terminal, stall(), close()}`. A terminal
// has `write(data)` and `close()`, and calls `onOutput(data)`, `onGap(lost)` and `onExit()`.
import { io } from "socket.io-client";
import WebSocket from "ws";

const quiet = { onOutput() {}, onGap() {}, onExit() {} };
const next = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));

/** Belay and its peer speak the same events. */
export const socketio = async (url, token) => {
  const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { token } });
  await next(socket, "connect");
  const terminals = new Map();
  const early = [];
  const find = (id, then) => (terminals.has(id) ? then(terminals.get(id)) : early.push([id, then]));
  socket.on("output", ({ id, data }) => find(id, (terminal) => terminal.onOutput(data)));
  socket.on("gap", ({ id, lost }) => find(id, (terminal) => terminal.onGap(lost)));
  socket.on("exit", ({ id }) => find(id, (terminal) => terminal.onExit()));
  const ask = (event, what) => new Promise((resolve, reject) => socket.emit(event, what, (answer) => (answer.ok ? resolve(answer) : reject(new Error(JSON.stringify(answer))))));
  return {
    async create(cmd, handlers = {}) {
      const { session: { id } } = await ask("create", { cmd });
      const terminal = {
        ...quiet,
        ...handlers,
        write: (data) => socket.emit("input", { id, data }),
        close: () => ask("close", { id, force: true }).catch(() => {}),
      };
      terminals.set(id, terminal);
      early.splice(0).forEach(([whose, then]) => find(whose, then));
      return terminal;
    },
    stall: () => socket.io.engine.transport.ws._socket.pause(),
    close: () => socket.disconnect(),
  };
};

async function wire(address, headers, onMessage) {
  const socket = new WebSocket(address, { headers, perMessageDeflate: false });
  socket.on("message", onMessage);
  await next(socket, "open");
  return socket;
}

/** A WebSocket for each session of Belay, which its first message opens. */
export const belayWs = async (url, token) => {
  const headers = { Authorization: `Bearer ${token}` };
  const sockets = [];
  return {
    async create(cmd, handlers = {}) {
      const terminal = { ...quiet, ...handlers };
      let resolve, reject;
      const attached = new Promise((...settle) => ([resolve, reject] = settle));
      const socket = await wire(`${url.replace("http", "ws")}api/attach`, headers, (message) => {
        if (message[0] === 1) terminal.onOutput(message.subarray(9));
        else if (message[0] === 2) terminal.onGap(Number(message.readBigUInt64BE(9)));
        else if (message[0] === 5) terminal.onExit();
        else if (message[0] === 0) resolve(JSON.parse(message.subarray(1)));
        else if (message[0] === 6) reject(new Error(message.subarray(1).toString()));
      });
      sockets.push(socket);
      socket.send(Buffer.from(`\x18${JSON.stringify({ cmd })}`));
      const { session: { id } } = await attached;
      const input = Buffer.from([0x10]);
      terminal.write = (data) => socket.send(Buffer.concat([input, Buffer.from(data)]));
      terminal.close = () => fetch(new URL(`/api/sessions/${id}?force=true`, url), { method: "DELETE", headers });
      return terminal;
    },
    stall: () => sockets.forEach((socket) => socket._socket.pause()),
    close: () => sockets.forEach((socket) => socket.terminate()),
  };
};

/** The peer's WebSocket: one for each session, nothing but bytes. */
export const peerWs = async (url) => {
  const sockets = [];
  return {
    async create(cmd, handlers = {}) {
      const terminal = { ...quiet, ...handlers };
      const socket = await wire(url.replace("http", "ws"), {}, (data) => terminal.onOutput(data));
      socket.on("close", () => terminal.onExit());
      sockets.push(socket);
      socket.send(cmd);
      terminal.write = (data) => socket.send(data);
      terminal.close = () => socket.terminate();
      return terminal;
    },
    stall: () => sockets.forEach((socket) => socket._socket.pause()),
    close: () => sockets.forEach((socket) => socket.terminate()),
  };
};
