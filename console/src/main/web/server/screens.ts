import type { Thumbnail } from "belay-client";
import { merge, type Picture } from "../sessions/picture.ts";
import { connection, line } from "./connection.ts";
import { type Key, keyOf } from "./types.ts";

/** The screens of the sessions that are in view, as the server tells them. */
export const pictures = new Map<Key, Picture>();

/** The server tells of no more at once. */
const MOST = 64;
const SETTLE_MS = 80;
/** Pictures out of view that are kept: the server may only tell what has changed since. */
const KEPT = 600;
const hearers = new Set<(key: Key) => void>();
let wanted: Key[] = [];
let asked = "";
let due = false;

export function onPicture(hear: (key: Key) => void) {
  hearers.add(hear);
}

/** From now on these are looked at, and no others. */
export function lookAt(keys: Key[]) {
  wanted = keys.slice(0, MOST);
  if (!due) setTimeout(send, SETTLE_MS);
  due = true;
}

async function send() {
  due = false;
  if (line.peek().at !== "live") return; // then again when it is
  const ids = document.visibilityState === "hidden" ? [] : wanted;
  if (ids.join() === asked) return;
  asked = ids.join();
  if (pictures.size > KEPT) for (const key of pictures.keys()) if (!ids.includes(key)) pictures.delete(key);
  try {
    await (await connection()).screens(ids);
  } catch (error) {
    if (line.peek().at === "live") throw error; // else it was closed, and the next one is asked again
  }
}

/** The client asks again by itself after a break; what was asked for meanwhile may be something else. */
export function lookAgain() {
  asked = "?";
  lookAt(wanted);
}

/** Takes in what the server tells. */
export function heard(told: Thumbnail) {
  const key = keyOf(told);
  pictures.set(key, merge(pictures.get(key), told));
  for (const hear of hearers) hear(key);
}

globalThis.document?.addEventListener?.("visibilitychange", () => lookAt(wanted));
