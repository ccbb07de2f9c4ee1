// What our own library does: `node library.js URL TOKEN SCENARIO ...`.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import xterm from "@xterm/headless";
import { connect } from "../belay-client.js";
import { run } from "./raw.js";

const FAST = { reconnectionDelay: 1, reconnectionDelayMax: 10 };

const told = (terminal, event) => new Promise((resolve) => terminal.on(event, resolve));

/** Done when so many bytes have come, or what was asked for is among them. */
function see(terminal, text) {
  let all = "";
  return new Promise((resolve) => terminal.on("output", (data) => {
    all += Buffer.from(data).toString();
    if (all.includes(text)) resolve(all);
  }));
}

run({
  async tour(url, token) {
    const belay = await connect(url, { token });
    const terminal = await belay.create({ cmd: "stty -echo; echo up; read x; echo got $x; read y; stty size; exit 4", cols: 90, rows: 30 });
    assert.deepEqual([terminal.cols, terminal.rows, terminal.session.owner], [90, 30, "alice"]);
    while ((await belay.list())[0].output_end === 0); // what is printed now waits for its handler
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
    await terminal.close(); // once more does no harm
    await assert.rejects(belay.attach("nobody"), { code: "NOT_FOUND" });
    await assert.rejects(belay.create({ command: [] }), { code: "INVALID_REQUEST" });
    belay.close();
    await assert.rejects(belay.list(), { code: "UNAVAILABLE" });
    await assert.rejects(connect(url, { token: () => "wrong" }), { code: "UNAUTHENTICATED" });
  },

  // Typed and printed over a line that breaks all the time: everything once and in order.
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

  // Who takes time for the output is not sent more than the window, and misses nothing.
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

  // The real xterm.js, without a page.
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
});
