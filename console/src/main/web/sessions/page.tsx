import { computed, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dialogIsOpen } from "../app/dialog.tsx";
import { plural } from "../app/format.ts";
import { home, show } from "../app/route.ts";
import { change, settings } from "../app/settings.ts";
import { focusQuestion } from "../approvals/question.tsx";
import { loaded, me, sessions, store, waiting } from "../server/feed.ts";
import { isLive, type Key, keyOf } from "../server/types.ts";
import { Empty } from "./empty.tsx";
import { endSession } from "./end.tsx";
import { byUrgency, fits, type Kind } from "./filter.ts";
import { newTerminal } from "./start.tsx";
import { Table } from "./table.tsx";
import { Totals } from "./totals.tsx";
import { Wall } from "./wall.tsx";

/** All sessions: figures, filters, and the sessions as a wall of screens or as a table. */
export const kind = signal<Kind>("all");
const text = signal("");

const listed = computed<readonly Key[]>((): readonly Key[] => {
  const chosen = sessions.value.filter((session) => fits(session, text.value, kind.value, me.value?.name));
  const keys = chosen.sort(byUrgency).map(keyOf);
  // The same keys in the same order are the same list: rows follow their own sessions.
  const before = last;
  last = before.length === keys.length && before.every((key, at) => key === keys[at]) ? before : keys;
  return last;
});
let last: readonly Key[] = [];

const count = (which: Kind) => sessions.value.filter((session) => fits(session, "", which, me.value?.name)).length;

const KINDS: [Kind, string][] = [
  ["all", "All"],
  ["needs", "Needs you"],
  ["running", "Running"],
  ["ended", "Ended"],
  ["mine", "Mine"],
];

export function SessionsPage() {
  const filter = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => pressed(event, filter.current, list.current);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const { view } = settings.value;
  return (
    <main class="sessions">
      <h1 class="unseen">Sessions</h1>
      <Totals />
      <div class="bar">
        <input
          ref={filter}
          type="search"
          aria-label="Filter sessions"
          placeholder="Filter: name, command, owner, label"
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <div class="kinds" role="group" aria-label="Which sessions">
          {KINDS.map(([which, says]) => (
            <button key={which} type="button" aria-pressed={kind.value === which} onClick={() => (kind.value = which)}>
              {says}
              {which !== "all" && which !== "mine" && count(which) > 0 && <span class="count">{count(which)}</span>}
            </button>
          ))}
        </div>
        <span class="grow" />
        <div class="switch" role="group" aria-label="View">
          {(["wall", "table"] as const).map((which) => (
            <button key={which} type="button" aria-pressed={view === which} onClick={() => change({ view: which })}>
              {which === "wall" ? "Wall" : "Table"}
            </button>
          ))}
        </div>
        <button type="button" class="main" onClick={() => newTerminal()}>
          New terminal
        </button>
      </div>
      <div ref={list}>
        <List />
      </div>
      <p class="unseen" role="status">
        {plural(waiting.value.length, "session waits", "sessions wait")} for somebody
      </p>
    </main>
  );
}

function List() {
  if (!loaded.value) return <div class="skeleton" aria-busy="true" role="status" aria-label="Loading" />;
  if (sessions.value.length === 0) return <Empty />;
  if (listed.value.length === 0) return <p class="none">No session matches the filter.</p>;
  return settings.value.view === "wall" ? <Wall keys={listed.value} /> : <Table keys={listed.value} />;
}

/** Keys of the page, while nothing is typed into. */
function pressed(event: KeyboardEvent, filter: HTMLElement | null, list: HTMLElement | null) {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || dialogIsOpen()) return;
  if (target.closest("input, textarea, select, dialog")) return;
  const at = target.closest<HTMLElement>("[data-key]");
  const key = at?.dataset.key;
  const session = key ? store.get(key)?.peek() : undefined;
  const act: Record<string, () => void> = {
    "/": () => filter?.focus(),
    j: () => move(list, at, 1),
    k: () => move(list, at, -1),
    ArrowDown: () => move(list, at, across(list)),
    ArrowUp: () => move(list, at, -across(list)),
    ArrowRight: () => move(list, at, 1),
    ArrowLeft: () => move(list, at, -1),
    a: () => focusQuestion(at?.parentElement ?? document),
    n: () => newTerminal(),
    w: () => change({ view: settings.peek().view === "wall" ? "table" : "wall" }),
    "?": () => home("help"),
  };
  if (key && session) {
    act.Enter = () => show(key);
    if (isLive(session)) act.e = () => endSession(session);
  }
  const does = act[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
}

/** How many cards stand beside each other. */
function across(list: HTMLElement | null) {
  const cards = [...(list?.querySelectorAll<HTMLElement>(".wall > li") ?? [])];
  return Math.max(1, cards.filter((card) => card.offsetTop === cards[0]!.offsetTop).length);
}

function move(list: HTMLElement | null, from: HTMLElement | null, step: number) {
  const items = [...(list?.querySelectorAll<HTMLElement>("[data-key]") ?? [])];
  const next = items[from ? Math.min(items.length - 1, Math.max(0, items.indexOf(from) + step)) : 0];
  (next?.matches("a") ? next : next?.querySelector<HTMLElement>("a"))?.focus();
}
