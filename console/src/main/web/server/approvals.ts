import { computed, signal } from "@preact/signals";
import type { Approval } from "belay-client";
import { call } from "./api.ts";
import { follow } from "./follow.ts";
import { type Key, keyOf, type Me } from "./types.ts";

/** What the guard asks: programs that wait until somebody allows or denies them. */
export type { Approval } from "belay-client";
export type Scope = "once" | "session" | "conversation" | "workspace";

const pending = signal<ReadonlyMap<string, Approval>>(new Map());
/** Those that wait, oldest first. */
export const approvals = computed(() =>
  [...pending.value.values()].sort((one, other) => one.asked_at.localeCompare(other.asked_at)),
);
export const approvalsOf = (key: Key) =>
  approvals.value.filter((one) => keyOf({ id: one.session, owner: one.owner }) === key);

function remove(id: string) {
  const left = new Map(pending.peek());
  if (left.delete(id)) pending.value = left;
}

/** Whether a person may answer it, as the server will judge. */
export const mayAnswer = (approval: Approval, me: Me | null) =>
  me !== null && me.role !== "watch" && (me.role === "admin" || (approval.approvers ?? []).includes(me.name));

const WAIT_MS = 20_000;
let revision: number | null = null;

async function ask(signal: AbortSignal) {
  const since = revision === null ? "" : `?after=${revision}&wait_ms=${WAIT_MS}`;
  const told = await call<Told>("GET", `/api/approvals${since}`, undefined, { signal });
  if (signal.aborted) return;
  revision = told.revision;
  pending.value = new Map(told.approvals.map((one) => [one.id, one]));
}

interface Told {
  revision: number;
  approvals: Approval[];
}

let following = false;

/** Follows the questions, wherever they are answered. */
export function followApprovals() {
  if (!following) follow(ask);
  following = true;
}

/** Answers; the question disappears here at once, and from other pages when the server tells them. */
export async function answer(approval: Approval, how: { answer: "allow"; scope: Scope } | { answer: "deny" }) {
  await call("POST", `/api/approvals/${encodeURIComponent(approval.id)}`, how);
  remove(approval.id);
}
