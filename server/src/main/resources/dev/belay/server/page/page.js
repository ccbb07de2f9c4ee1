// The smallest page that works: signs in with the ticket after the '#', lists the sessions, shows one live.
// The token lives in this tab's memory and session storage; it is never in an address.
const status = document.getElementById("status");
const list = document.getElementById("sessions");
const screen = document.getElementById("screen");
const MOST_CHARS = 200_000;

async function call(method, path, body) {
  const token = sessionStorage.getItem("belay-token");
  const answer = await fetch(path, {
    method,
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    body: body && JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error.message);
  return json;
}

async function signIn() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket) {
    history.replaceState(null, "", "/");
    sessionStorage.setItem("belay-token", (await call("POST", "/api/login", { ticket })).token);
  }
  if (!sessionStorage.getItem("belay-token")) throw new Error("Open the link that 'belay serve' printed.");
}

// Escape sequences are for terminals; this is none.
const plain = (text) => text.replace(/\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-_])/g, "").replace(/\r/g, "");

let socket;
async function show(id) {
  socket?.close();
  screen.textContent = "";
  const { ticket } = await call("POST", "/api/tickets");
  const address = new URL(`/api/sessions/${id}/attach?mode=watch&ticket=${ticket}`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  const mine = (socket = new WebSocket(address));
  mine.binaryType = "arraybuffer";
  const decoder = new TextDecoder();
  mine.onmessage = ({ data }) => {
    if (mine !== socket) return;
    const view = new DataView(data);
    const kind = view.getUint8(0);
    if (kind === 1) {
      const text = screen.textContent + plain(decoder.decode(data.slice(9), { stream: true }));
      screen.textContent = text.slice(-MOST_CHARS);
      screen.scrollTop = screen.scrollHeight;
      const ack = new DataView(new ArrayBuffer(9));
      ack.setUint8(0, 0x12);
      ack.setBigUint64(1, view.getBigUint64(1) + BigInt(data.byteLength - 9));
      mine.send(ack);
    } else if (kind === 2) {
      screen.textContent += `\n[${view.getBigUint64(9)} bytes are missing]\n`;
    } else if (kind === 5) {
      status.textContent = `exited with ${view.getInt32(9)}`;
    }
  };
  mine.onclose = ({ reason }) => mine === socket && (status.textContent = reason || "disconnected");
  status.textContent = `watching ${id}`;
}

async function refresh() {
  const { sessions } = await call("GET", "/api/sessions");
  list.replaceChildren(...sessions.map((session) => {
    const button = document.createElement("button");
    button.textContent = `${session.command} ${session.args.join(" ")} · ${session.state}`;
    button.onclick = () => show(session.id).catch(fail);
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
  if (!socket) status.textContent = sessions.length ? "Choose a session to watch." : "There are no sessions yet.";
}

const fail = (error) => (status.textContent = error.message);
signIn().then(refresh).then(() => setInterval(() => refresh().catch(fail), 2000)).catch(fail);
