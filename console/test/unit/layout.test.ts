import assert from "node:assert/strict";
import { test } from "node:test";
import * as Layouts from "../../src/main/web/terminal/layout.ts";

const { EMPTY, open, split, close, panes, activeTab, parse, nextTab, nextPane, focus, zoom } = Layouts;

test("a session is open once", () => {
  const layout = open(open(open(EMPTY, "a/1"), "a/2"), "a/1");
  assert.equal(layout.tabs.length, 2);
  assert.equal(activeTab(layout)?.focus, "a/1");
});

test("a tab holds four panes at the most, and goes with its last", () => {
  let layout = open(EMPTY, "a/1");
  for (const key of ["a/2", "a/3", "a/4", "a/5"]) layout = split(layout, key, "right");
  assert.deepEqual(panes(activeTab(layout)!.root), ["a/1", "a/2", "a/3", "a/4"]);
  for (const key of ["a/2", "a/1", "a/4"]) layout = close(layout, key);
  assert.deepEqual(panes(activeTab(layout)!.root), ["a/3"]);
  assert.deepEqual(close(layout, "a/3").tabs, []);
});

test("tabs go round, the list of sessions among them", () => {
  let layout = open(open(EMPTY, "a/1"), "a/2");
  const seen = [1, 2, 3].map(() => (layout = nextTab(layout, 1)).active);
  assert.deepEqual(seen, [0, 1, 2]);
  assert.equal(nextTab(layout, -1).active, 1);
});

test("random changes keep every promise, and survive being kept", () => {
  let seed = 42;
  const random = (most: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % most;
  let layout = EMPTY;
  for (let step = 0; step < 5000; step++) {
    const key = `a/${random(12)}`;
    const way = random(2) ? "right" : "down";
    const moves = [
      () => open(layout, key),
      () => split(layout, key, way),
      () => close(layout, key),
      () => focus(layout, key),
      () => nextPane(layout),
      () => zoom(layout),
      () => nextTab(layout, random(2) ? 1 : -1),
    ];
    layout = moves[random(moves.length)]!();
    const keys = layout.tabs.flatMap((tab) => panes(tab.root));
    assert.equal(new Set(keys).size, keys.length, "no session twice");
    assert.ok(layout.tabs.every((tab) => panes(tab.root).length <= 4 && panes(tab.root).includes(tab.focus)));
    assert.ok(layout.active === 0 || activeTab(layout));
    assert.deepEqual(parse(JSON.stringify(layout)), layout);
  }
});

test("what makes no sense is not restored", () => {
  for (const text of [null, "", "{}", '{"tabs":[{"id":1,"root":"a/1","focus":"a/2"}],"active":1,"next":2}', "[1]"]) {
    assert.deepEqual(parse(text), EMPTY);
  }
});
