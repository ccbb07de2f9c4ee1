/** The page's keys. Terminals send nothing for Ctrl Shift and a letter, so these take nothing from any program. */
export type Action =
  | "palette"
  | "keyboard"
  | "find"
  | "copy"
  | "paste"
  | "split-right"
  | "split-down"
  | "next-pane"
  | "zoom"
  | "previous-tab"
  | "next-tab"
  | "sessions"
  | "details"
  | "larger"
  | "smaller"
  | "private"
  | "answer";

interface Pressed {
  key: string;
  code?: string;
  ctrlKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

const CTRL_SHIFT: Record<string, Action> = {
  k: "palette",
  enter: "keyboard",
  f: "find",
  c: "copy",
  v: "paste",
  e: "split-right",
  o: "split-down",
  l: "next-pane",
  x: "zoom",
  pageup: "previous-tab",
  pagedown: "next-tab",
  h: "sessions",
  d: "details",
  p: "private",
  a: "answer",
  "+": "larger",
  "=": "larger",
  "-": "smaller",
  _: "smaller",
};
const COMMAND: Record<string, Action> = { k: "palette", f: "find", c: "copy", v: "paste" };

export const isMac = () => /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** What a key press means to the page; undefined: it is the program's. */
export function action(event: Pressed, mac = isMac()): Action | undefined {
  const key = event.key.toLowerCase();
  if (event.altKey) return undefined;
  if (event.ctrlKey && event.shiftKey && !event.metaKey) return CTRL_SHIFT[key];
  if (mac && event.metaKey && !event.ctrlKey && !event.shiftKey) return COMMAND[key];
  return undefined;
}

/** With "pass keys on" only the palette stays the page's. */
export const passesOn = (what: Action | undefined, passOn: boolean) => passOn && what !== "palette";

export const KEYS: { keys: string; does: string; action: Action }[] = [
  {
    keys: "Ctrl ⇧ K",
    does: "Palette: every session and action by name; also the way out of a terminal",
    action: "palette",
  },
  { keys: "Ctrl ⇧ Enter", does: "Take over, hand back", action: "keyboard" },
  { keys: "Ctrl ⇧ P", does: "Type privately, stop being private", action: "private" },
  { keys: "Ctrl ⇧ A", does: "Go to the question that waits for your answer", action: "answer" },
  { keys: "Ctrl ⇧ F", does: "Find in the terminal", action: "find" },
  { keys: "Ctrl ⇧ C", does: "Copy", action: "copy" },
  { keys: "Ctrl ⇧ V", does: "Paste", action: "paste" },
  { keys: "Ctrl ⇧ E", does: "Split to the right", action: "split-right" },
  { keys: "Ctrl ⇧ O", does: "Split downwards", action: "split-down" },
  { keys: "Ctrl ⇧ L", does: "Next pane", action: "next-pane" },
  { keys: "Ctrl ⇧ X", does: "Zoom the pane", action: "zoom" },
  { keys: "Ctrl ⇧ PgUp", does: "Tab to the left", action: "previous-tab" },
  { keys: "Ctrl ⇧ PgDn", does: "Tab to the right", action: "next-tab" },
  { keys: "Ctrl ⇧ H", does: "Sessions", action: "sessions" },
  { keys: "Ctrl ⇧ D", does: "Details", action: "details" },
  { keys: "Ctrl ⇧ +", does: "Larger text", action: "larger" },
  { keys: "Ctrl ⇧ -", does: "Smaller text", action: "smaller" },
];
export const keysFor = (what: Action) => KEYS.find((entry) => entry.action === what)?.keys;

export const LIST_KEYS: { keys: string; does: string }[] = [
  { keys: "/", does: "Filter" },
  { keys: "Arrows, or j k", does: "Move" },
  { keys: "Enter", does: "Open" },
  { keys: "n", does: "New terminal" },
  { keys: "w", does: "Wall or table" },
  { keys: "a", does: "Go to the question of the session" },
  { keys: "e", does: "End the session" },
  { keys: "?", does: "Help" },
];
