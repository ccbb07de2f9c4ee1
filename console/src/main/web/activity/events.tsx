import { clock } from "../app/format.ts";
import { show } from "../app/route.ts";
import type { BelayEvent } from "../server/types.ts";

const SKIPPED = new Set(["number", "at", "event", "session", "owner", "by", "code", "message"]);
const BAD = new Set(["refused"]);

const facts = (event: BelayEvent) =>
  Object.entries(event)
    .filter(([name, value]) => !SKIPPED.has(name) && value !== null && typeof value !== "object")
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${String(value)}`)
    .join(", ");

/** What people and agents did, one to a line. All of it is text. */
export const Events = ({ events, brief = false }: { events: BelayEvent[]; brief?: boolean }) => (
  <ol class={brief ? "events brief" : "events"}>
    {events.map((event) => (
      <li key={event.number} class={BAD.has(event.event) ? "failed" : undefined}>
        <time>{clock(event.at)}</time>
        <strong>{event.event}</strong>
        {event.by && <span class="by">{event.by}</span>}
        {!brief && event.session && event.owner && (
          <button type="button" class="link" onClick={() => show(`${event.owner}/${event.session}`)}>
            {event.session}
          </button>
        )}
        <span class="note">{event.message ? String(event.message) : facts(event)}</span>
      </li>
    ))}
  </ol>
);
