import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../../src/main/web/server/store.ts";
import { keyOf, type Session } from "../../src/main/web/server/types.ts";

const session = (id: number, output_end: number) =>
  ({ id: String(id), owner: "ann", state: "running", output_end }) as Session;

test("random changes leave the store as a plain list would be", () => {
  let seed = 7;
  const random = (most: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % most;
  const store = new Store();
  const list = new Map<string, Session>();
  for (let step = 0; step < 2000; step++) {
    const sessions = Array.from({ length: random(5) }, () => session(random(40), step));
    const named = new Set(sessions.map(keyOf));
    const gone = [session(random(40), 0)].filter((one) => !named.has(keyOf(one)));
    const all = random(50) === 0;
    if (all) list.clear();
    for (const one of sessions) list.set(keyOf(one), one);
    for (const one of gone) list.delete(keyOf(one));
    store.apply({ all, sessions, gone });
    assert.deepEqual([...store.keys.value], [...list.keys()].sort());
    for (const [key, one] of list) assert.deepEqual(store.get(key)?.value, one);
  }
});

test("a change of one session leaves the list alone", () => {
  const store = new Store();
  store.apply({ all: true, sessions: [session(1, 0), session(2, 0)] });
  const before = store.keys.value;
  store.apply({ sessions: [session(1, 5)] });
  assert.equal(store.keys.value, before);
  assert.equal(store.get("ann/1")?.value.output_end, 5);
});
