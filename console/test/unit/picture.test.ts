import assert from "node:assert/strict";
import { test } from "node:test";
import type { Thumbnail } from "belay-client";
import { coloursOf, excerpt, merge, type Picture, runs, sizeOf } from "../../src/main/web/sessions/picture.ts";
import { contrast, LEAST_CONTRAST, legible } from "../../src/main/web/terminal/contrast.ts";

const row = (number: number, text: string, spans: { from: number; to: number }[] = []) => ({
  row: 0,
  number,
  text,
  spans,
});
const told = (facts: Partial<Thumbnail>): Thumbnail => ({
  id: "x",
  owner: "ann",
  offset: 0,
  cols: 80,
  rows: 24,
  title: "",
  alternate: false,
  cursor: { row: 0, column: 0, visible: true, shape: "block", blinks: false },
  numbers: [],
  lines: [],
  ...facts,
});

test("random scrolls and changes give the rows that a plain list has", () => {
  let seed = 11;
  const random = (most: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % most;
  const lines = new Map<number, string>();
  let top = 0;
  let picture: Picture | undefined;
  for (let step = 0; step < 2000; step++) {
    top += random(4);
    const numbers = Array.from({ length: 10 }, (_, at) => top + at);
    const changed = numbers.filter((number) => !lines.has(number) || random(5) === 0);
    for (const number of changed) lines.set(number, `row ${number} at ${step}`);
    const sent = changed.map((number) => row(number, lines.get(number)!));
    picture = merge(picture, told({ numbers, lines: sent }));
    assert.deepEqual(
      picture.rows.map((one) => one.text),
      numbers.map((number) => lines.get(number)),
    );
  }
});

test("of a shell the last rows are shown, of a full-screen program all", () => {
  const rows = Array.from({ length: 24 }, (_, at) => row(at, at < 20 ? `line ${at}` : ""));
  const cursor = { row: 20, column: 0, visible: true, shape: "block", blinks: false };
  const shell = excerpt({ cols: 80, rows, alternate: false, cursor });
  assert.equal(shell.rows.length, 14);
  assert.equal(shell.rows.at(-1)!.number, 20, "the row of the cursor is the last");
  assert.equal(shell.first, 7);
  assert.equal(excerpt({ cols: 80, rows, alternate: true, cursor }).rows.length, 24);
  const fresh = excerpt({ cols: 80, rows: rows.slice(20), alternate: false, cursor: { ...cursor, row: 0 } });
  assert.equal(fresh.rows.length, 1);
});

test("runs have the columns that their characters take", () => {
  const parts = runs(row(1, "a漢字b", [{ from: 1, to: 3 }]));
  assert.deepEqual(
    parts.map(({ column, width, text }) => [column, width, text]),
    [
      [0, 1, "a"],
      [1, 4, "漢字"],
      [5, 1, "b"],
    ],
  );
  assert.deepEqual(runs(row(1, "")), []);
  const both = runs(row(1, "ab", [{ from: 0, to: 1 }, { from: 1, to: 2 }])); // biome-ignore format: two spans
  assert.equal(both.length, 2);
});

test("text is moved away from its ground until it can be read", () => {
  assert.equal(legible("#24292f", "#fbfcfd"), "#24292f", "what can be read stays as it is");
  for (const [text, ground] of [
    ["#9f9", "#fbfcfd"],
    ["rgb(0 0 95)", "#0c0f14"],
    ["#808080", "#808080"],
  ] as const) {
    assert.ok(contrast(text, ground)! < LEAST_CONTRAST);
    assert.ok(contrast(legible(text, ground), ground)! >= LEAST_CONTRAST, text);
  }
  assert.equal(legible("odd", "#fff"), "odd");
});

test("colours are the palette's, exact ones, or swapped", () => {
  const theme = { background: "#000", foreground: "#fff", ansi: Array.from({ length: 16 }, (_, at) => `c${at}`) };
  assert.deepEqual(coloursOf(null, theme), { text: "#fff", ground: null });
  assert.deepEqual(coloursOf({ from: 0, to: 1, foreground: 1 }, theme), { text: "c1", ground: null });
  assert.deepEqual(coloursOf({ from: 0, to: 1, background: "#123456" }, theme), { text: "#fff", ground: "#123456" });
  assert.deepEqual(coloursOf({ from: 0, to: 1, inverse: true }, theme), { text: "#000", ground: "#fff" });
});

test("a full-screen program fits whole, the lines of a shell stay legible", () => {
  const rows = Array.from({ length: 50 }, (_, at) => row(at, ""));
  const cursor = { row: 0, column: 0, visible: true, shape: "block", blinks: false };
  const whole = sizeOf({ cols: 200, rows, alternate: true, cursor }, 300, 130);
  assert.ok(whole * 0.6 * 200 <= 300.01 && whole * 1.28 * 50 <= 130.01);
  assert.equal(sizeOf({ cols: 400, rows, alternate: false, cursor }, 300, 130), 5.5);
});
