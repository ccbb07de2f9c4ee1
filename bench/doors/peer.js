// The peer is the usual stack: node-pty behind `socket.io` or `ws`. `node peer.js socketio|ws` prints its port.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import pty from "node-pty";

const sessions = new Map();

function open(cmd, tell) {
  const id = randomUUID();
  const session = pty.spawn("/bin/sh", ["-c", cmd], { cols: 80, rows: 24, encoding: null });
  sessions.set(id, session);
  session.onData((data) => tell("output", { id, data }));
  session.onExit(({ exitCode }) => {
    sessions.delete(id);
    tell("exit", { id, exit_code: exitCode });
  });
  return id;
}

const http = createServer();
if (process.argv[2] === "socketio") {
  const { Server } = await import("socket.io");
  new Server(http).on("connection", (socket) => {
    socket.on("create", ({ cmd }, ack) => ack({ ok: true, session: { id: open(cmd, (event, what) => socket.emit(event, what)) } }));
    socket.on("input", ({ id, data }, ack) => {
      sessions.get(id)?.write(data);
      ack?.({ ok: true });
    });
    socket.on("close", ({ id }, ack) => {
      sessions.get(id)?.kill("SIGKILL");
      ack({ ok: true });
    });
  });
} else {
  // A connection is a session. The first message is the command.
  const { WebSocketServer } = await import("ws");
  new WebSocketServer({ server: http, perMessageDeflate: false }).on("connection", (socket) => {
    let id = null;
    socket.on("message", (data) => {
      if (id) sessions.get(id)?.write(data);
      else id = open(data.toString(), (event, { data: bytes }) => (event === "output" ? socket.send(bytes) : socket.close()));
    });
    socket.on("close", () => sessions.get(id)?.kill("SIGKILL"));
  });
}
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
