import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine, visible } from "../../src/main/web/approvals/words.ts";
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

test("a question shows what would run, also what would not be seen", () => {
  assert.equal(commandLine(["git", "push", "-f", "a b", "it's"]), "git push -f 'a b' 'it'\\''s'");
  assert.equal(commandLine(["rm", "\u202Eabc\u001b[2K"]), "rm '\\u{202e}abc\\u{1b}[2K'");
  assert.equal(commandLine(["x"], 3), "x … and 3 more");
  assert.equal(visible("a\nb\t"), "a\\nb\\t");
});
