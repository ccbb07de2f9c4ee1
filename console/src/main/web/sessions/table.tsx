import { bytes, now, since, span } from "../app/format.ts";
import { addressOf, show } from "../app/route.ts";
import { store } from "../server/feed.ts";
import { isLive, type Key, type Session } from "../server/types.ts";
import { Badge, Dot, nameOf, Owner } from "./badge.tsx";

/** Sessions, one to a row. Each row follows its own session. */
export function Table({ keys }: { keys: readonly Key[] }) {
  return (
    <div class="table" role="table" aria-label="Sessions" aria-rowcount={keys.length}>
      <div class="row head" role="row">
        <span role="columnheader" aria-label="State" />
        <span role="columnheader">Command</span>
        <span role="columnheader" aria-label="Needs" />
        <span role="columnheader">Owner</span>
        <span role="columnheader" class="number">
          Age
        </span>
        <span role="columnheader" class="number">
          Idle
        </span>
        <span role="columnheader" class="number">
          Output
        </span>
        <span role="columnheader" class="number">
          Rate
        </span>
        <span role="columnheader" class="number">
          Views
        </span>
        <span role="columnheader">Keyboard</span>
        <span role="columnheader">Labels</span>
      </div>
      {keys.map((key) => (
        <Row key={key} id={key} />
      ))}
    </div>
  );
}

const rates = new Map<Key, { at: number; output: number; rate: number }>();
/** Bytes a second, looked at once a second. */
function rateOf(key: Key, session: Session): number {
  const last = rates.get(key);
  const at = now.value;
  if (!last || at - last.at > 10_000) {
    rates.set(key, { at, output: session.output_end, rate: 0 });
    return 0;
  }
  if (at - last.at >= 1000) {
    const rate = ((session.output_end - last.output) * 1000) / (at - last.at);
    rates.set(key, { at, output: session.output_end, rate });
    return rate;
  }
  return last.rate;
}

function Row({ id: key }: { id: Key }) {
  const session = store.get(key)?.value;
  if (!session) return null;
  const { command, id } = nameOf(session);
  const rate = isLive(session) ? rateOf(key, session) : 0;
  const age = session.ended_at
    ? Date.parse(session.ended_at) - Date.parse(session.started_at)
    : since(session.started_at);
  return (
    <div class="row item" role="row" data-key={key}>
      <span role="cell">
        <Dot session={session} />
      </span>
      <span role="cell" class="command">
        <a
          href={addressOf(key)}
          onClick={(event) => {
            event.preventDefault();
            show(key);
          }}
        >
          {command}
        </a>
        <span class="id">{id}</span>
      </span>
      <span role="cell">
        <Badge session={session} />
      </span>
      <span role="cell">
        <Owner session={session} />
      </span>
      <span role="cell" class="number">
        {span(age)}
      </span>
      <span role="cell" class="number">
        {isLive(session) ? span(since(session.last_activity_at)) : ""}
      </span>
      <span role="cell" class="number">
        {bytes(session.output_end)}
      </span>
      <span role="cell" class="number">
        {rate >= 1 ? `${bytes(Math.round(rate))}/s` : ""}
      </span>
      <span role="cell" class="number">
        {session.viewers?.length || ""}
      </span>
      <span role="cell">{session.keyboard ?? ""}</span>
      <span role="cell" class="labels">
        {Object.entries(session.labels)
          .map(([name, value]) => (value ? `${name}=${value}` : name))
          .join(" ")}
      </span>
    </div>
  );
}
