import { signal } from "@preact/signals";
import { events, refusals } from "../server/feed.ts";
import { Events } from "./events.tsx";

const onlyRefused = signal(false);
const MOST = 300;

/** What people and agents did, newest first, and refusals with their reasons. */
export function ActivityPage() {
  const shown = (onlyRefused.value ? refusals.value : events.value).slice(-MOST).reverse();
  return (
    <main class="page">
      <h1>Activity</h1>
      <div class="kinds" role="group" aria-label="Which events">
        <button type="button" aria-pressed={!onlyRefused.value} onClick={() => (onlyRefused.value = false)}>
          All
        </button>
        <button type="button" aria-pressed={onlyRefused.value} onClick={() => (onlyRefused.value = true)}>
          Refused <span class="count">{refusals.value.length}</span>
        </button>
      </div>
      {shown.length ? <Events events={shown} /> : <p class="none">Nothing has happened yet.</p>}
    </main>
  );
}
