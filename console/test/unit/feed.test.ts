import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, events, joined, loaded, sessions } from "../../src/main/web/server/feed.ts";
import type { BelayEvent, Session } from "../../src/main/web/server/types.ts";

test("what is told again after a break is known once, and only the last are kept", () => {
  const key = (one: number) => one;
  assert.deepEqual(joined([1, 2, 3], [2, 3, 4], 10, key), [1, 2, 3, 4]);
  assert.deepEqual(joined([1, 2, 3], [4, 5], 3, key), [3, 4, 5]);
  assert.deepEqual(joined([], [1, 2], 10, key), [1, 2]);
  const known = [1, 2];
  assert.equal(joined(known, [1], 10, key), known, "nothing new is the same list");
});

test("counters alone change a session that is known, and make none", () => {
  const whole = { id: "1", owner: "ann", state: "running", command: "top", output_end: 1 } as Session;
  apply({ version: 1, all: true, sessions: [whole], gone: [] });
  assert.ok(loaded.value);
  const counters = { id: "1", owner: "ann", output_end: 7 };
  apply({ version: 2, sessions: [counters, { id: "2", owner: "ann", output_end: 5 }], gone: [] });
  assert.deepEqual(sessions.value, [{ ...whole, output_end: 7 }]);
  apply({ version: 3, sessions: [{ ...whole, command: "vim" }], gone: [{ id: "1", owner: "ann" }] });
  assert.deepEqual(
    sessions.value.map((one) => one.command),
    ["vim"],
    "another of the same id",
  );
});

test("events come once", () => {
  const event = (number: number) => ({ number, at: "", event: "opened" }) as BelayEvent;
  apply({ version: 4, events: [event(1), event(2)] });
  apply({ version: 5, events: [event(2), event(3)] });
  assert.deepEqual(
    events.value.map((one) => one.number),
    [1, 2, 3],
  );
});
