// What a lost line, a flood and reloads cost: nothing.
import assert from "node:assert/strict";
import { choose, newTerminal, opened, rows, shows, until } from "./browser.js";

/** A page whose connection the scenario can cut or hold up, and whose clock it may move. */
export async function cuttable(site, { clock = false, ...options } = {}) {
  const page = await (await site.context(options)).newPage();
  const line = { down: false, held: null, ends: [] };
  await page.routeWebSocket(/socket\.io/, (client) => {
    if (line.down) return client.close();
    const server = client.connectToServer();
    server.onMessage((message) => (line.held ? line.held.push(() => client.send(message)) : client.send(message)));
    line.ends.push(() => Promise.all([client.close(), server.close()]));
  });
  /** What the server says from now on arrives later. */
  line.hold = () => {
    line.held = [];
  };
  line.release = () => {
    const held = line.held;
    line.held = null;
    for (const deliver of held) deliver();
  };
  if (clock) await page.clock.install();
  await site.enter(page);
  line.cut = async () => {
    line.down = true;
    // What the page sends before it hears of the cut.
    site.expect(/WebSocket is already in CLOSING or CLOSED state/);
    await Promise.all(line.ends.splice(0).map((end) => end()));
  };
  return { page, line };
}

export async function halfAMinuteOffline(site) {
  const { page, line } = await cuttable(site, { clock: true });
  const cmd = "stty -echo; for i in $(seq 1 300); do echo n$i; sleep 0.01; done; exec cat -v";
  const key = await newTerminal(page, cmd);
  await shows(page, key, /^n5/);
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await line.cut();
  await page.getByText("You are offline.").waitFor();
  await page.keyboard.type("once");
  await page.clock.fastForward(30_000);
  await page.getByText("Nothing you type now is sent.").waitFor();
  await page.keyboard.type("never");
  line.down = false;
  await page.clock.fastForward(10_000); // the attempt that is under way gives up
  await page.clock.resume();
  await page.locator(".line.live").waitFor();
  await page.getByText("You are offline.").waitFor({ state: "hidden" });
  const seen = await shows(page, key, /^n300$/);
  const numbers = seen.filter((row) => /^n\d+$/.test(row)).map((row) => Number(row.slice(1)));
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, at) => 301 - numbers.length + at),
    "no gap and no duplicate",
  );
  await page.keyboard.type(" more\n");
  await shows(page, key, /^once more$/);
}

/** Keys that are pressed before a terminal takes them arrive when it does: once, and in order. */
export async function firstKeys(site) {
  const { page, line } = await cuttable(site);
  const arrived = (key, text) =>
    until(async () => (await rows(page, key))?.filter((row) => row === text).length === 2, `echo and answer: ${text}`);
  await page.keyboard.press("n");
  await page.getByLabel("Command").waitFor();
  await page.keyboard.type("cat");
  line.hold();
  await page.keyboard.press("Enter");
  await page.keyboard.type("while it is opened\n");
  line.release();
  const key = await opened(page);
  await arrived(key, "while it is opened");
  await page.keyboard.press("Control+Shift+H");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  line.hold();
  await page.keyboard.press("Control+Shift+PageDown");
  await page.locator(".pane.focused").waitFor();
  await page.keyboard.type("while it is attached\n");
  line.release();
  await arrived(key, "while it is attached");
  await opened(page);
  await page.keyboard.type("later\n");
  await arrived(key, "later");
  assert.equal((await rows(page, key)).filter((row) => row !== "").length, 6);
}

export async function fiveReloads(site) {
  const page = await site.page();
  const questions = "\\e[c\\e[>c\\e[6n\\e[?25$p\\e]10;?\\a\\e]11;?\\a\\e[18t\\eP$qm\\e\\\\";
  const key = await newTerminal(page, `printf '${questions}asked\\n'; stty -echo; exec cat -v`);
  await shows(page, key, "asked");
  for (let count = 0; count < 5; count++) {
    await page.reload();
    await shows(page, key, "asked");
  }
  await page.locator(".pane.focused .xterm-helper-textarea").focus();
  await page.keyboard.type("typed\n");
  const seen = (await shows(page, key, "typed")).filter((row) => row !== "");
  assert.deepEqual(seen, ["asked", "typed"], "no stray byte");
}

export async function flood(site) {
  const page = await site.page();
  const key = await newTerminal(page, "PS1='ready> ' bash --norc");
  await shows(page, key, "ready>");
  await page.keyboard.type("seq 1000000000\n");
  await shows(page, key, /^\d{6}/);
  await page.keyboard.press("Control+c");
  const prompt = await until(async () => {
    const last = (await rows(page, key)).findLast((row) => row !== "");
    return last?.startsWith("ready>");
  }, "the prompt after Ctrl-C");
  assert.ok(prompt);
  await page.keyboard.type("echo still-$((40+2))\n");
  await shows(page, key, /^still-42/);
  const kept = await page.evaluate((which) => globalThis.belayConsole.kept(which), key);
  assert.ok(kept <= 5100, `${kept} rows are kept`);
}

/** What the page shows is what the server's own terminal shows. */
export async function sameAsTheServer(site) {
  const page = await site.page();
  const programs = {
    vim: "printf 'one\\ntwo \\346\\274\\242\\n' > file.txt; exec vim -u NONE -c 'set number' file.txt",
    htop: "exec htop -d 50",
  };
  for (const [id, cmd] of Object.entries(programs)) {
    await site.call("POST", "/api/sessions", { cmd, id, cols: 100, rows: 30 });
    await page.keyboard.press("Control+Shift+H");
    const key = await choose(page, id);
    await until(async () => {
      const [here, offset] = await page.evaluate(
        (which) => [globalThis.belayConsole.text(which), globalThis.belayConsole.offset(which)],
        key,
      );
      const there = await site.call("GET", `/api/sessions/${id}/screen`);
      const same = there.lines.every((line) => line.text.trimEnd() === (here[line.row] ?? "").trimEnd());
      return there.offset === offset && there.lines.length > 10 && there.text.trim().length > 20 && same;
    }, `${id} looks the same`);
  }
}
