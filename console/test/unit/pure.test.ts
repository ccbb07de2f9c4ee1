import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, duration, span } from "../../src/main/web/app/format.ts";
import { action, KEYS } from "../../src/main/web/app/keys.ts";
import { plain } from "../../src/main/web/details/download.ts";
import { tree } from "../../src/main/web/details/processes.tsx";
import { bytesOf } from "../../src/main/web/terminal/ahead.ts";
import { wanted } from "../../src/main/web/terminal/clipboard.ts";
import { indexed } from "../../src/main/web/terminal/colours.ts";
import { nearest } from "../../src/main/web/terminal/jump.ts";
import { addresses, isOpenable } from "../../src/main/web/terminal/links.ts";
import { cleaned, needsAsking, preview } from "../../src/main/web/terminal/paste.ts";

const press = (key: string, held: Partial<Record<"ctrlKey" | "shiftKey" | "metaKey" | "altKey", boolean>> = {}) => ({
  key,
  ctrlKey: false,
  shiftKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

test("only the keys of the table are the page's", () => {
  const both = { ctrlKey: true, shiftKey: true };
  assert.equal(action(press("K", both), false), "palette");
  assert.equal(action(press("Enter", both), false), "keyboard");
  const mine = new Set(KEYS.map((entry) => entry.keys.split(" ").at(-1)!.toLowerCase()));
  for (const letter of "abcdefghijklmnopqrstuvwxyz") {
    assert.equal(action(press(letter), false), undefined);
    assert.equal(action(press(letter, { ctrlKey: true }), false), undefined);
    assert.equal(action(press(letter, { altKey: true, ...both }), false), undefined);
    assert.equal(action(press(letter.toUpperCase(), both), false) !== undefined, mine.has(letter), letter);
  }
  assert.equal(action(press("k", { metaKey: true }), true), "palette");
  assert.equal(action(press("k", { metaKey: true }), false), undefined);
});

test("keys that wait for their terminal are kept as their bytes", () => {
  assert.equal(bytesOf(press("a")), "a");
  assert.equal(bytesOf(press("\u00e4")), "\u00e4");
  assert.equal(bytesOf(press("Enter")), "\r");
  assert.equal(bytesOf(press("c", { ctrlKey: true })), "\u0003");
  for (const key of ["Shift", "Tab", "Escape", "F5", "Dead", "ArrowUp"]) assert.equal(bytesOf(press(key)), "", key);
  assert.equal(bytesOf(press("B", { ctrlKey: true, shiftKey: true })), "", "as in a terminal");
  for (const held of ["altKey", "metaKey"]) assert.equal(bytesOf(press("v", { [held]: true })), "");
});

test("a row is found where it should be, or nearby if another width has moved it", () => {
  const rows = ["$ ls", "a", "$ ls", "b", "c"];
  const find = (wanted: string, place: number) => nearest((row) => rows[row], rows.length, wanted, place);
  assert.equal(find("$ ls", 2), 2);
  assert.equal(find("$ ls", 4), 2);
  assert.equal(find("$ ls", -1), 0);
  assert.equal(find("", 3), 3);
  assert.equal(find("gone", 3), 3);
});

test("a paste has no control characters but tab and newline", () => {
  assert.equal(cleaned("a\u001b[201~b\u0003\tc\r\nd\re\u009b"), "a[201~b\tc\nd\ne");
  assert.ok(needsAsking("a\nb", false));
  assert.ok(!needsAsking("a\nb", true));
  assert.ok(!needsAsking("a\n", false));
  assert.match(preview("x\n".repeat(100)), /93 more lines/);
});

test("links are http or https, without a name in them", () => {
  assert.deepEqual(
    addresses("see https://a.example/x?y=1, and (http://b.example).").map((one) => one.target),
    ["https://a.example/x?y=1", "http://b.example"],
  );
  for (const bad of [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://user:pass@a.example",
    "data:text/html,x",
    "x",
  ]) {
    assert.ok(!isOpenable(bad), bad);
  }
});

test("a program may offer text for the clipboard, and never read it", () => {
  assert.equal(wanted("c;aGVsbG8="), "hello");
  for (const bad of ["c;?", "c", "c;%%%", `c;${"A".repeat(1 << 21)}`]) assert.equal(wanted(bad), null);
});

test("output as text has lines as they ended up", () => {
  assert.equal(plain("\u001b[31mred\u001b[0m\r\n10 %\r20 %\r\n\u001b]0;title\u0007x\u0007"), "red\n20 %\nx");
});

test("processes stand below those that started them", () => {
  const one = (pid: number, parent: number) => ({
    pid,
    parent,
    command: String(pid),
    state: "S",
    foreground: false,
    started_at: "",
    cpu_ms: 0,
    memory_bytes: 0,
  });
  const depths = tree([one(4, 3), one(1, 99), one(3, 1), one(2, 1)]).map(({ process, depth }) => [process.pid, depth]);
  assert.deepEqual(depths, [
    [1, 0],
    [3, 1],
    [4, 2],
    [2, 1],
  ]);
});

test("figures are short", () => {
  assert.deepEqual([0, 999, 1500, 8_900_000, 25_000_000].map(bytes), ["0 B", "999 B", "1.5 kB", "8.9 MB", "25 MB"]);
  assert.deepEqual([900, 61_000, 4_000_000, 200_000_000].map(span), ["0 s", "1 min", "1.1 h", "2 days"]);
  assert.equal(duration(1234), "1.2 s");
  assert.equal(indexed(196, { ansi: [] }), "rgb(255 0 0)");
});
