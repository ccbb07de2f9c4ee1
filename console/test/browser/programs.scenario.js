// What programs get from the keyboard and the mouse, and what they can show.
import assert from "node:assert/strict";
import { newTerminal, opened, shows, until } from "./browser.js";

/** Prints the bytes that it gets up to an exclamation mark, in hex. */
const ECHO = `exec python3 -uc '${[
  "import os, tty",
  "tty.setraw(0)",
  'print("ready", end="\\r\\n")',
  'print("hex=" + b"".join(iter(lambda: os.read(0, 1), b"!")).hex() + ".", end="\\r\\n")',
  "os.read(0, 1)",
].join("; ")}'`;

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const FUNCTION_KEYS = ["OP", "OQ", "OR", "OS", "[15~", "[17~", "[18~", "[19~", "[20~", "[21~", "[23~", "[24~"];
const ARROWS = { ArrowUp: "A", ArrowDown: "B", ArrowRight: "C", ArrowLeft: "D", Home: "H", End: "F" };

/** Keys that are the program's, with the bytes that a terminal sends for them. */
const PROGRAMS = [
  ...range(0x20, 0x7e)
    .map((code) => String.fromCharCode(code))
    .filter((char) => char !== "!")
    .map((char) => [char === " " ? "Space" : char, char]),
  ...LETTERS.map((letter) => [`Control+${letter}`, String.fromCharCode(letter.charCodeAt(0) - 96)]),
  ...LETTERS.map((letter) => [`Alt+${letter}`, `\x1b${letter}`]),
  ...range(0, 9).map((digit) => [`Alt+${digit}`, `\x1b${digit}`]),
  ...FUNCTION_KEYS.map((sequence, at) => [`F${at + 1}`, `\x1b${sequence}`]),
  ...Object.entries(ARROWS).map(([key, end]) => [key, `\x1b[${end}`]),
  ...Object.entries(ARROWS).flatMap(([key, end]) => [
    [`Shift+${key}`, `\x1b[1;2${end}`],
    [`Control+${key}`, `\x1b[1;5${end}`],
    [`Control+Shift+${key}`, `\x1b[1;6${end}`],
  ]),
  ["Enter", "\r"],
  ["Tab", "\t"],
  ["Shift+Tab", "\x1b[Z"],
  ["Backspace", "\x7f"],
  ["Escape", "\x1b"],
  ["Insert", "\x1b[2~"],
  ["Delete", "\x1b[3~"],
  ["PageUp", "\x1b[5~"],
  ["PageDown", "\x1b[6~"],
];
/** Keys of the page that leave the terminal in view; the others have scenarios of their own. */
const PAGES = ["C", "D", "D", "PageUp", "PageDown", "+", "-", "X"].map((key) => `Control+Shift+${key}`);
/** Neither the page's nor a terminal's. */
const NOBODYS = [..."BGIMNRSUWYZ"].map((letter) => `Control+Shift+${letter}`);

export async function keys(site) {
  const page = await site.page();
  const key = await newTerminal(page, ECHO);
  await shows(page, key, /^ready$/);
  for (const pressed of [...PAGES, ...NOBODYS]) await page.keyboard.press(pressed);
  await opened(page);
  for (const [pressed] of PROGRAMS) await page.keyboard.press(pressed);
  await page.keyboard.press("!");
  const output = `/api/sessions/${key.split("/")[1]}/output?from=0`;
  const printed = async () => /hex=([0-9a-f]+)\./.exec(await site.call("GET", output))?.[1];
  const hex = await until(printed, "the program has got the last key");
  const expected = Buffer.from(PROGRAMS.map(([, bytes]) => bytes).join("")).toString("hex");
  assert.ok(PROGRAMS.length >= 200, `${PROGRAMS.length} keys`);
  assert.equal(hex, expected);
}

/** True colour, wide characters, the mouse, links, copying, the size of the text, and a mode for screen readers. */
export async function abilities(site) {
  const page = await site.page(site.tokens.alice, { permissions: ["clipboard-read", "clipboard-write"] });
  const show = `printf '\\e[38;2;250;200;10mgold\\e[0m \\346\\274\\242\\345\\255\\227 \\360\\237\\230\\200 end\\r\\n${site.base}/#/help\\r\\n'`;
  const key = await newTerminal(page, `stty -echo; ${show}; printf '\\e[?1000h\\e[?1006h'; exec cat -v`);
  const [first] = await shows(page, key, "/#/help");
  assert.equal(first, "gold 漢字 😀 end");
  const gold = page.locator(".xterm-rows span", { hasText: "gold" });
  const coloured = () => gold.evaluate((span) => getComputedStyle(span).color === "rgb(250, 200, 10)");
  await until(coloured, "its exact colour"); // xterm.js may be drawing the row anew

  const screen = page.locator(".xterm-screen");
  await screen.click({ position: { x: 4, y: 4 } });
  await page.keyboard.press("Enter");
  await shows(page, key, "^[[<0;1;1M^[[<0;1;1m");

  const link = { position: { x: 12, y: 25 } };
  await screen.hover(link);
  await page.getByText("Ctrl-click opens it").waitFor();
  const tab = page.context().waitForEvent("page");
  await screen.click({ ...link, modifiers: ["Control"] });
  assert.equal(await (await tab).evaluate(() => globalThis.opener), null);

  await page.bringToFront();
  await screen.dblclick({ position: { x: 12, y: 8 }, modifiers: ["Shift"] });
  await page.keyboard.press("Control+Shift+C");
  await page.getByText("Copied.").waitFor();
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), "gold");

  const wide = async () => Number(/(\d+) × \d+/.exec(await page.locator(".pane .foot").textContent())[1]);
  const before = await wide();
  await page.keyboard.press("Control+Shift++");
  await until(async () => (await wide()) < before, "larger text has fewer columns");

  await page.getByRole("button", { name: "alice" }).click();
  await page.getByLabel("Screen reader mode in terminals").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.locator(".xterm-accessibility").getByText("/#/help").first().waitFor({ state: "attached" });
}
