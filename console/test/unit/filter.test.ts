import assert from "node:assert/strict";
import { test } from "node:test";
import { need } from "../../src/main/web/server/need.ts";
import type { Session } from "../../src/main/web/server/types.ts";
import { nameOf } from "../../src/main/web/sessions/badge.tsx";
import { byUrgency, fits } from "../../src/main/web/sessions/filter.ts";

const session = (facts: Partial<Session>): Session =>
  ({
    id: "x",
    command: "/bin/bash",
    args: ["-c", "npm test"],
    owner: "ann",
    origin: "agent",
    labels: { team: "web" },
    state: "running",
    started_at: "2026-01-01T00:00:00Z",
    workdir: ".",
    exit_code: null,
    ...facts,
  }) as Session;

test("who waits comes first, then what runs, then what has ended", () => {
  const waits = session({ id: "w", input: { waiting: true, echo_off: false } });
  const runs = session({ id: "r" });
  const newer = session({ id: "n", started_at: "2026-01-02T00:00:00Z" });
  const over = session({ id: "o", state: "exited", exit_code: 0, started_at: "2026-01-03T00:00:00Z" });
  assert.deepEqual(
    [over, runs, newer, waits].sort(byUrgency).map((one) => one.id),
    ["w", "n", "r", "o"],
  );
});

test("a person's own prompt is nobody's business, a password is", () => {
  const input = { waiting: true, echo_off: false };
  assert.equal(need(session({ origin: "terminal", input })), null);
  assert.equal(need(session({ origin: "terminal", input: { waiting: true, echo_off: true } })), "password");
  assert.equal(need(session({ input })), "input");
  assert.equal(need(session({ guard: { watched: true, approvals: 1 } })), "approval");
  assert.equal(need(session({ state: "exited", input })), null);
});

test("a filter is words, all of which fit", () => {
  assert.ok(fits(session({}), "npm ann", "all"));
  assert.ok(fits(session({}), "web", "mine", "ann"));
  assert.ok(!fits(session({}), "npm ben", "all"));
  assert.ok(!fits(session({}), "", "mine", "ben"));
  assert.ok(!fits(session({}), "", "ended"));
});

test("a session is called by its command", () => {
  assert.deepEqual(nameOf(session({})), { command: "npm test", label: "x", id: "x" });
  const uuid = "0b6ed2a5-6a3f-4f0c-9d55-000000000000";
  assert.equal(nameOf(session({ id: uuid, command: "/usr/bin/vim", args: ["a.txt"] })).label, "vim");
});
