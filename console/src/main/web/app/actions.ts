import { decide, focusQuestion, wanted } from "../approvals/question.tsx";
import { download } from "../details/download.ts";
import { approvals, mayAnswer } from "../server/approvals.ts";
import { me, sessions, store } from "../server/feed.ts";
import { signOut } from "../server/sign-in.ts";
import { isLive, keyOf, type Session } from "../server/types.ts";
import { nameOf } from "../sessions/badge.tsx";
import { endAllOfMine, endSession } from "../sessions/end.tsx";
import { newTerminal, runAgain, splitWith } from "../sessions/start.tsx";
import { keepKey } from "../terminal/ahead.ts";
import * as Layouts from "../terminal/layout.ts";
import { finding, views } from "../terminal/views.ts";
import { type Action, action, keysFor, passesOn } from "./keys.ts";
import { paletteIsOpen } from "./palette.tsx";
import { openPreferences } from "./preferences.tsx";
import { change, details, focused, home, layout, show } from "./route.ts";
import { resizeText, change as set, settings } from "./settings.ts";
import { fail, say } from "./toast.tsx";

/** An entry of the palette. */
export interface Choice {
  says: string;
  more?: string;
  keys?: string;
  isSession?: boolean;
  does: () => void;
}

const current = () => {
  const key = focused.peek();
  const view = key === undefined ? undefined : views.get(key);
  const session = key === undefined ? undefined : store.get(key)?.peek();
  return { key, view, session };
};

// The part that knows terminals comes with them, and not before.
const lease = () => import("../terminal/lease.tsx");

const DOES: Record<Action, () => void> = {
  palette: () => (paletteIsOpen.value = !paletteIsOpen.peek()),
  keyboard: () => withView((session, view) => lease().then((it) => it.toggleKeyboard(session, view))),
  private: () => withView((session, view) => lease().then((it) => it.togglePrivate(session, view))),
  find: () => (finding.value = current().key ?? null),
  copy,
  paste: () => undefined, // the browser pastes
  "split-right": () => splitWith("right"),
  "split-down": () => splitWith("down"),
  "next-pane": () => change(Layouts.nextPane),
  zoom: () => change(Layouts.zoom),
  "previous-tab": () => change((now) => Layouts.nextTab(now, -1)),
  "next-tab": () => change((now) => Layouts.nextTab(now, 1)),
  sessions: () => home(),
  answer: () => goToQuestion(),
  details: () => (details.value = !details.peek()),
  larger: () => resizeText(1),
  smaller: () => resizeText(-1),
};

const VIEWS: Choice[] = [
  { says: "Wall", does: () => set({ view: "wall" }) },
  { says: "Table", does: () => set({ view: "table" }) },
];

function withView(does: (session: Session, view: import("../terminal/view.ts").View) => void) {
  const { session, view } = current();
  if (session && view) does(session, view);
}

/** In the pane that has the focus, else on the session that has waited longest. */
function goToQuestion() {
  const [first] = approvals.peek();
  if (!first) return say("Nothing waits for your answer.");
  const here = document.querySelector(".pane.focused .question, .wall .question");
  if (here) return focusQuestion();
  wanted.value = first.id;
  show(keyOf({ id: first.session, owner: first.owner }));
}

function copy() {
  const text = current().view?.xterm.getSelection() || (getSelection()?.toString() ?? "");
  if (text) navigator.clipboard.writeText(text).then(() => say("Copied."), fail);
}

/** The keys of the page come before the terminal's. */
export function listen() {
  addEventListener(
    "keydown",
    (event) => {
      const what = action(event);
      const ours = what && what !== "paste" && !passesOn(what, settings.peek().passKeysOn);
      if (!ours && !keepKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
      if (ours) DOES[what]();
    },
    { capture: true },
  );
}

export function actions(): Choice[] {
  const { session, view, key } = current();
  const act = (what: Action, says: string): Choice => ({ says, keys: keysFor(what), does: DOES[what] });
  const here: Choice[] =
    session && key
      ? [
          ...(view ? [act("keyboard", "Take over or hand back the keyboard")] : []),
          ...(view ? [act("private", "Type privately, or stop being private")] : []),
          act("find", "Find in the terminal"),
          act("details", "Show or hide details"),
          act("split-right", "Split to the right"),
          act("split-down", "Split downwards"),
          act("zoom", "Zoom the pane"),
          act("next-pane", "Next pane"),
          { says: "Close the pane", does: () => change((now) => Layouts.close(now, key)) },
          ...(isLive(session) ? [{ says: "End this session", does: () => endSession(session) }] : []),
          { says: "Run this command again", does: () => runAgain(session) },
          { says: "Download the output as text", does: () => download(session, "text").catch(fail) },
          { says: "Download the raw output", does: () => download(session, "raw").catch(fail) },
        ]
      : [];
  const everywhere: Choice[] = [
    { says: "New terminal", keys: layout.peek().active === 0 ? "n" : undefined, does: newTerminal },
    act("sessions", "Sessions"),
    { says: "Activity", does: () => home("activity") },
    { says: "Help and keys", keys: "?", does: () => home("help") },
    { says: "Settings", does: openPreferences },
    ...VIEWS,
    { says: "Dark theme", does: () => set({ theme: "dark" }) },
    { says: "Light theme", does: () => set({ theme: "light" }) },
    { says: "End all of my sessions", does: () => endAllOfMine() },
    { says: "Sign out", does: () => signOut().catch(fail) },
  ];
  const questions: Choice[] = approvals
    .peek()
    .filter((one) => mayAnswer(one, me.peek()))
    .flatMap((one) => [
      { says: `Allow once: ${one.shown.command}`, more: one.session, does: () => void decide(one, "once") },
      ...one.scopes
        .filter((scope) => scope !== "once")
        .map((scope) => ({
          says: `Allow for the ${scope}: ${one.shown.command}`,
          does: () => void decide(one, scope),
        })),
      { says: `Deny: ${one.shown.command}`, does: () => void decide(one, "deny") },
    ]);
  const open: Choice[] = sessions.peek().map((one) => ({
    says: nameOf(one).command,
    more: [nameOf(one).id, one.owner, isLive(one) ? "" : "ended"].filter(Boolean).join(" · "),
    isSession: true,
    does: () => show(keyOf(one)),
  }));
  return [...questions, ...here, ...everywhere, ...open];
}
