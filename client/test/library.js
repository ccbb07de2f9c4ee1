// Scenarios of belay-client: `node library.js URL TOKEN SCENARIO ...`.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import xterm from "@xterm/headless";
import { connect } from "../belay-client.js";
import { run } from "./raw.js";

const FAST = { reconnectionDelay: 1, reconnectionDelayMax: 10 };

const told = (terminal, event) => new Promise((resolve) => terminal.on(event, resolve));

/** Resolves once the output contains the text. */
function see(terminal, text) {
  let all = "";
  return new Promise((resolve) => terminal.on("output", (data) => {
    all += Buffer.from(data).toString();
    if (all.includes(text)) resolve(all);
  }));
}

const newScreen = (cols = 80, rows = 24) => new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1000 });

/** The rows of an xterm.js terminal. */
function rows(screen) {
  const { active } = screen.buffer;
  return Array.from({ length: screen.rows }, (_, i) => active.getLine(active.baseY + i).translateToString(true));
}

/** Resolves when the terminal shows a text. */
function shows(screen, text) {
  return new Promise((resolve) => {
    const look = () => {
      if (!rows(screen).join("\n").includes(text)) return;
      drawn.dispose();
      resolve();
    };
    const drawn = screen.onWriteParsed(look);
    look();
  });
}

/** What thumbnails show: resolves to one that has a text. Rows that have not changed are known by their numbers. */
function pictures(belay) {
  const known = new Map();
  const latest = new Map();
  let waiting = [];
  const look = () => (waiting = waiting.filter(({ id, text, resolve }) => !latest.get(id)?.text.includes(text) || resolve(latest.get(id).screen)));
  belay.on("thumbnail", (screen) => {
    screen.lines.forEach((line) => known.set(`${screen.id} ${line.number}`, line.text));
    const shown = screen.numbers.map((number) => known.get(`${screen.id} ${number}`));
    assert.ok(!shown.includes(undefined), "every row was sent");
    latest.set(screen.id, { screen, text: shown.join("\n") });
    look();
  });
  return (id, text) =>
    new Promise((resolve) => {
      waiting.push({ id, text, resolve });
      look();
    });
}

run({
  // The lists and the screens of some sessions, over a line that breaks.
  async lists(url, token, rounds) {
    const belay = await connect(url, { token, ...FAST });
    const known = new Map();
    let heard = () => {};
    belay.on("changed", ({ all, gone, sessions }) => {
      if (all) known.clear();
      gone.forEach(({ id }) => known.delete(id));
      sessions.forEach((one) => known.set(one.id, { ...known.get(one.id), ...one }));
      heard();
    });
    const until = async (wanted) => {
      while (!wanted()) await new Promise((resolve) => (heard = resolve));
    };
    await belay.watch(["sessions"]);
    const pictured = pictures(belay);
    await belay.screens(["a", "nothing", "alice/b"]);
    const a = await belay.create({ id: "a", cmd: "stty -echo; printf '\\033[31mhello\\033[m\\n'; while read x; do echo got $x.; done" });
    await until(() => known.get("a")?.title === null && known.get("a").state === "running");
    const screen = await pictured("a", "hello");
    assert.deepEqual([screen.owner, screen.cols, screen.rows, screen.numbers.length], ["alice", 80, 24, 24]);
    const b = await belay.create({ id: "b", cmd: "printf '\\033[31mtwo'; read x" });
    await pictured("b", "two");
    for (let round = 0; round < Number(rounds); round++) {
      const before = known.get("a").output_end;
      await a.write(`${round}\n`);
      await pictured("a", `got ${round}.`);
      await until(() => known.get("a").output_end > before && known.get("a").typed?.by === "alice");
    }
    await b.write("\n");
    await until(() => known.get("b").state === "exited");
    await belay.screens([]);
    await belay.watch([]);
    await assert.rejects(belay.screens(Array(65).fill("a")), { code: "INVALID_REQUEST" });
    await assert.rejects(belay.watch(["wrong"]), { code: "INVALID_REQUEST" });
    belay.close();
  },

  async tour(url, token) {
    const belay = await connect(url, { token });
    const terminal = await belay.create({ cmd: "stty -echo; echo up; read x; echo got $x; read y; stty size; exit 4", cols: 90, rows: 30 });
    assert.deepEqual([terminal.cols, terminal.rows, terminal.session.owner], [90, 30, "alice"]);
    while ((await belay.list())[0].output_end === 0); // this output waits for its handler
    const exit = told(terminal, "exit");
    const closed = told(terminal, "closed");
    const up = see(terminal, "up\r\n");
    const got = see(terminal, "got it");
    const size = see(terminal, "40 120");
    await up; // no echo from here on
    assert.equal(await terminal.write("it\n"), 3);
    assert.ok((await got).startsWith("up\r\n"));
    await terminal.resize(120, 40);
    assert.equal((await belay.list()).length, 1);
    await terminal.write(new Uint8Array([10]));
    await size;
    assert.equal((await exit).exit_code, 4);
    await assert.rejects(terminal.write("late"), { code: "NOT_WRITABLE" });
    await terminal.close();
    assert.equal((await closed).reason, "exit");
    await terminal.close(); // a second close does no harm
    await assert.rejects(belay.attach("nobody"), { code: "NOT_FOUND" });
    await assert.rejects(belay.create({ command: [] }), { code: "INVALID_REQUEST" });
    belay.close();
    await assert.rejects(belay.list(), { code: "UNAVAILABLE" });
    await assert.rejects(connect(url, { token: () => "wrong" }), { code: "UNAUTHENTICATED" });
  },

  // alice and bob each have a session x; an admin views both at once.
  async owners(url, token) {
    const belay = await connect(url, { token });
    await assert.rejects(belay.attach("x"), { code: "INVALID_REQUEST" });
    const [hers, his] = await Promise.all(["alice", "bob"].map((owner) => belay.attach("x", { owner, from: 0 })));
    const said = [see(hers, "for alice"), see(his, "for bob")];
    await Promise.all([hers.write("for alice\n"), his.write("for bob\n")]);
    const [one, two] = await Promise.all(said);
    assert.ok(one.includes("hers") && !one.includes("for bob"));
    assert.ok(two.includes("his") && !two.includes("for alice"));
    await hers.close({ force: true });
    assert.deepEqual((await belay.list()).map(({ owner }) => owner), ["bob"]);
    belay.close();
  },

  // Input and output over a line that keeps breaking: everything once and in order.
  async cut(url, token, count) {
    const belay = await connect(url, { token, ...FAST });
    const terminal = await belay.create({ cmd: `stty -echo -onlcr; seq 1 ${count}; cat` });
    const hash = createHash("sha256");
    let breaks = 0;
    let tail = "";
    belay.on("disconnect", () => breaks++);
    const last = new Promise((resolve) => terminal.on("output", (data) => {
      hash.update(data);
      tail = (tail + Buffer.from(data).toString()).slice(-100);
      if (tail.endsWith("\nline 999\n")) resolve();
    }));
    terminal.on("gap", (gap) => assert.fail(JSON.stringify(gap)));
    await told(terminal, "output"); // no echo from here on
    for (let i = 0; i < 1000; i++) {
      const typed = terminal.write(`line ${i}\n`);
      if (i % 10 === 0) await typed;
    }
    await last;
    const expected = createHash("sha256");
    for (let i = 1; i <= Number(count); i++) expected.update(i + "\n");
    for (let i = 0; i < 1000; i++) expected.update(`line ${i}\n`);
    assert.equal(hash.digest("hex"), expected.digest("hex"));
    await terminal.close({ force: true });
    belay.close();
    return { breaks, bytes: terminal.offset };
  },

  // A slow handler is sent no more than the window and misses nothing.
  async slow(url, token, count) {
    const belay = await connect(url, { token, transports: ["websocket"] });
    const terminal = await belay.create({ cmd: `read x; stty -onlcr; seq 1 ${count}` });
    const hash = createHash("sha256");
    let release;
    const held = new Promise((resolve) => (release = resolve));
    terminal.on("output", async (data) => {
      hash.update(data);
      await held;
    });
    const exit = told(terminal, "exit");
    terminal.write("\n");
    const other = await connect(url, { token, transports: ["websocket"] });
    const watcher = await other.attach(terminal.id, { from: 0, mode: "watch" });
    const seen = told(watcher, "exit");
    watcher.on("output", () => {});
    const { offset: output_end } = await seen;
    other.close();
    const ahead = terminal.offset;
    assert.ok(ahead <= 512 * 1024, `${ahead} of ${output_end} bytes came`);
    assert.ok(output_end > 2 * ahead);
    release();
    await exit;
    assert.equal(terminal.offset, output_end);
    belay.close();
    return { ahead, output_end };
  },

  // The real xterm.js without a page.
  async xterm(url, token) {
    const belay = await connect(url, { token });
    const screen = new xterm.Terminal({ cols: 70, rows: 20, allowProposedApi: true });
    const terminal = await belay.create({ cmd: "read x; echo \"[$x]\"; stty size; read y; stty size" });
    const off = terminal.show(screen);
    const exit = told(terminal, "exit");
    const line = (i) => screen.buffer.active.getLine(i).translateToString(true);
    const until = async (i, text) => {
      for (;;) {
        await new Promise((parsed) => screen.write("", parsed));
        if (line(i) === text) return;
        await told(terminal, "output");
      }
    };
    screen.input("é\r");
    await until(1, "[é]");
    await until(2, "20 70");
    screen.resize(100, 25);
    screen.input("\r");
    assert.equal((await exit).exit_code, 0);
    await until(4, "25 100");
    off();
    await terminal.close();
    belay.close();
  },

  // A page that comes late gets one picture instead of megabytes; output goes on from there, and typing works.
  async late(url, token, id) {
    const belay = await connect(url, { token });
    const screen = newScreen();
    const terminal = await belay.attach(id);
    const { output_end } = terminal.session;
    let got = 0;
    const painted = told(terminal, "screen");
    const start = performance.now();
    terminal.show(screen);
    terminal.on("output", (data) => (got += data.length));
    terminal.on("gap", (gap) => assert.fail(JSON.stringify(gap)));
    const { data, reason, offset } = await painted;
    const took_ms = performance.now() - start;
    assert.equal(reason, "attach");
    assert.ok(offset <= output_end);
    await shows(screen, "up");
    const drawn = rows(screen);
    assert.deepEqual(drawn.slice(0, 3), ["1199979", "1199980", "1199981"]);
    assert.equal(screen.buffer.active.getLine(screen.buffer.active.baseY - 1).translateToString(true), "1199978");
    await terminal.write("it\n");
    await shows(screen, "got it");
    belay.close();
    return { log_bytes: output_end, repaint_bytes: data.length, output_bytes: got, took_ms };
  },

  // A hidden page acknowledges nothing; what it missed comes as one picture, though the log has dropped some of it.
  async hidden(url, token, lines) {
    const belay = await connect(url, { token });
    const screen = newScreen();
    const terminal = await belay.create({ cmd: `stty -echo; echo up; read x; seq 1 ${lines}; echo done; cat` });
    terminal.show(screen);
    await shows(screen, "up");
    terminal.pause();
    await terminal.write("go\n");
    const other = await (await connect(url, { token })).attach(terminal.id, { mode: "watch", screen: true });
    const second = newScreen();
    other.show(second);
    await shows(second, "done");
    const { offset } = terminal;
    assert.ok(offset < other.offset, `${offset} of ${other.offset}`);
    terminal.resume();
    await shows(screen, "done");
    assert.deepEqual(rows(screen).slice(-3), [lines, "done", ""]);
    await terminal.write("still here\n");
    await shows(screen, "still here");
    await terminal.close({ force: true });
    belay.close();
    return { offset };
  },

  // Each load of a page shows the session, and goes. What the program reads meanwhile is nothing.
  async reload(url, token, id, times) {
    for (let i = 0; i < Number(times); i++) {
      const belay = await connect(url, { token });
      const screen = newScreen();
      const terminal = await belay.attach(id, { screen: i % 2 === 0 });
      terminal.show(screen);
      await shows(screen, "asked");
      await belay.list(); // what the terminal would have typed is with the server
      belay.close();
    }
  },

  // A view that watches has the session's size, asks for none, and becomes the driver where it is; and back.
  async watch(url, token) {
    const belay = await connect(url, { token });
    const driver = await belay.create({ cmd: "stty -echo; echo up; cat", cols: 100, rows: 30 });
    await see(driver, "up");
    const second = await connect(url, { token });
    const screen = newScreen();
    const watcher = await second.attach(driver.id, { mode: "watch", screen: true });
    watcher.on("refused", (error) => assert.fail(error));
    watcher.show(screen);
    await shows(screen, "up");
    assert.deepEqual([screen.cols, screen.rows, watcher.mode], [100, 30, "watch"]);
    screen.resize(70, 20); // a page that fits its terminal to its window
    screen.input("not typed");
    await driver.resize(90, 25);
    await driver.write("typed by the driver\n");
    await shows(screen, "typed by the driver");
    assert.deepEqual([screen.cols, screen.rows], [90, 25]);
    assert.deepEqual([driver.cols, driver.rows], [90, 25]);

    const { offset } = watcher;
    const modes = [];
    watcher.on("mode", (mode) => modes.push(mode));
    watcher.on("screen", () => assert.fail("nothing was missed"));
    await watcher.drive();
    assert.deepEqual([watcher.mode, watcher.offset], ["write", offset]);
    const driven = see(driver, "from the watcher");
    screen.input("from the watcher\r");
    await shows(screen, "from the watcher");
    screen.resize(110, 35);
    await driven;
    await watcher.watchOnly();
    await assert.rejects(watcher.write("x"), { code: "DENIED" });
    assert.deepEqual([watcher.mode, ...modes], ["watch", "write", "watch"]);
    assert.ok(!rows(screen).join().includes("not typed"));

    const leases = [];
    watcher.on("lease", ({ holder, private: secret }) => leases.push([holder, secret]));
    await driver.takeKeyboard({ private: true });
    await driver.giveBackKeyboard();
    await driver.write("public again\n");
    await shows(screen, "public again");
    assert.deepEqual(leases, [["alice", true], [null, false]]);
    await driver.close({ force: true });
    belay.close();
    second.close();
  },

  // A page that has the widths of Unicode 11 gets them, and its colours are known to programs.
  async looks(url, token) {
    const belay = await connect(url, { token });
    const screen = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true, theme: { background: "#123456", foreground: "red" } });
    screen.loadAddon(new Unicode11Addon());
    const terminal = await belay.create({ cmd: "stty raw -echo; echo up; head -c 1 >/dev/null; printf '\\033]11;?\\007'; head -c 24 | cat -v; head -c 1" });
    terminal.show(screen);
    assert.equal(screen.unicode.activeVersion, "11");
    await shows(screen, "up");
    screen.input("x");
    await shows(screen, "^[]11;rgb:1212/3434/5656");
    await terminal.close({ force: true });
    belay.close();
  },

  // Several pages with a real terminal each, which would answer what they are asked, come and go until all was asked.
  async pages(url, token, id, count) {
    let loads = 0;
    let done = false;
    await Promise.all(Array.from({ length: Number(count) }, async (_, page) => {
      for (let load = page; !done; load++) {
        const belay = await connect(url, { token, transports: ["websocket"] });
        const screen = newScreen();
        const terminal = await belay.attach(id, load % 3 ? { screen: true } : load % 2 ? { from: 0 } : {});
        terminal.show(screen);
        const stay = new Promise((resolve) => setTimeout(resolve, (load * 37) % 120)); // a reload at some moment
        await Promise.race([stay, shows(screen, "all done").then(() => (done = true))]);
        belay.close();
        loads++;
      }
    }));
    return { loads };
  },
});
