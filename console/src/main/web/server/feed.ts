import { computed, effect, signal } from "@preact/signals";
import type { Changes } from "belay-client";
import { followApprovals } from "./approvals.ts";
import { connection } from "./connection.ts";
import { need } from "./need.ts";
import { heard, lookAgain } from "./screens.ts";
import { signedIn } from "./sign-in.ts";
import { Store } from "./store.ts";
import type { BelayEvent, Me, Second } from "./types.ts";

/** Everything the page knows of the server. The server tells what changes; the page never asks again. */
export const me = signal<Me | null>(null);
export const store = new Store();
export const loaded = signal(false);
/** The last ten minutes by the second, oldest first. */
export const seconds = signal<readonly Second[]>([]);
/** How many sessions the server has room for. */
export const limit = computed(() => seconds.value.at(-1)?.limit ?? null);
/** What people and agents did, oldest first. */
export const events = signal<readonly BelayEvent[]>([]);
export const refusals = computed(() => events.value.filter((event) => event.event === "refused"));

const MOST_SECONDS = 600;
const MOST_EVENTS = 2000;

export const sessions = computed(() => store.keys.value.map((key) => store.get(key)!.value));
export const waiting = computed(() => sessions.value.filter((session) => need(session) !== null));

// Only watched sessions ask.
effect(() => {
  if (sessions.value.some((session) => session.guard?.watched)) followApprovals();
});

export async function start() {
  const belay = await connection();
  me.value = signedIn();
  [loaded.value, seconds.value, events.value] = [false, [], []];
  belay.on("changed", apply);
  belay.on("thumbnail", heard);
  belay.on("connect", lookAgain);
  lookAgain();
  const first = new Promise<void>((done) => {
    const off = belay.on("changed", () => {
      off();
      done();
    });
  });
  await belay.watch(["sessions", "stats", "events"]);
  await first;
}

/** Takes in what the server tells. */
export function apply(changed: Changes) {
  store.apply(changed);
  if (changed.sessions) loaded.value = true;
  if (changed.stats) seconds.value = joined(seconds.peek(), changed.stats.seconds, MOST_SECONDS, (one) => one.at);
  if (changed.events) events.value = joined(events.peek(), changed.events, MOST_EVENTS, (one) => one.number);
}

/** What is new at the end, each once: after a break the server begins anew. */
export function joined<T, K>(known: readonly T[], told: readonly T[], most: number, key: (one: T) => K): readonly T[] {
  const seen = new Set(known.map(key));
  const fresh = told.filter((one) => !seen.has(key(one)));
  return fresh.length === 0 ? known : [...known, ...fresh].slice(-most);
}
