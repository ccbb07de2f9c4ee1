import { focused } from "../app/route.ts";
import { line } from "../server/connection.ts";
import type { Key } from "../server/types.ts";
import { views } from "./views.ts";

/** Keys for a terminal that does not take them yet, because it is being opened: they wait, and arrive once. */
let kept: { key: Key | null; text: string } = { key: null, text: "" };
/** Somebody has asked for a new terminal, which has no key so far. */
let asked = false;

/** From now on keys are for the terminal that has been asked for. */
export function expectTerminal() {
  asked = true;
  kept = { key: null, text: "" };
}

/** The terminal that was asked for is this one, or there is none. */
export function foundTerminal(key: Key | null) {
  if (!asked) return;
  asked = false;
  kept = { key, text: key === null ? "" : kept.text };
  (document.activeElement as HTMLElement | null)?.blur?.(); // what had the focus before gets no more keys
}

/** What was typed for a terminal so far; it is not given twice. */
export function typedAhead(key: Key): string {
  if (kept.key !== key || asked) return "";
  const { text } = kept;
  kept = { key: null, text: "" };
  return text;
}

/** Keeps a key if it is for a terminal that does not take it yet. One that does, but has no focus, gets both. */
export function keepKey(event: KeyboardEvent): boolean {
  const key = focused.peek() ?? null;
  const text = bytesOf(event);
  const shown = key === null || asked ? undefined : views.get(key);
  if (text !== "" && event.target === document.body && shown?.ready.peek()) {
    shown.begin(text);
    return true;
  }
  if (text === "" || line.peek().at === "offline" || !isMeant(event.target as Element, key)) return false;
  const same = asked || kept.key === key;
  kept = { key: asked ? null : key, text: same ? kept.text + text : text };
  return true;
}

function isMeant(target: Element, key: Key | null) {
  if (target.closest("dialog, input, select, textarea:not(.xterm-helper-textarea)")) return false;
  if (asked) return true;
  const elsewhere = target.closest("a, button");
  return key !== null && !elsewhere && !(views.get(key)?.ready.peek() ?? false);
}

const NAMED: Record<string, string> = { Enter: "\r", Backspace: "\x7f" };

/** What a terminal sends for a key; empty for those that depend on the program. */
export function bytesOf({
  key,
  ctrlKey,
  shiftKey,
  altKey,
  metaKey,
}: Pick<KeyboardEvent, "key"> & Partial<KeyboardEvent>) {
  if (altKey || metaKey || (ctrlKey && shiftKey)) return "";
  if (ctrlKey) return /^[a-z[\\\]_]$/i.test(key) ? String.fromCharCode(key.toUpperCase().charCodeAt(0) & 31) : "";
  return NAMED[key] ?? ([...key].length === 1 ? key : "");
}
