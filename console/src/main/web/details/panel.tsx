import { Events } from "../activity/events.tsx";
import { bytes, clock, plural, since, span } from "../app/format.ts";
import { details } from "../app/route.ts";
import { fail } from "../app/toast.tsx";
import { Close, Down } from "../icons.tsx";
import { events, store } from "../server/feed.ts";
import { isAgents, isLive, type Key, type Session } from "../server/types.ts";
import { nameOf } from "../sessions/badge.tsx";
import { endSession } from "../sessions/end.tsx";
import { runAgain } from "../sessions/start.tsx";
import { mayDrive } from "../terminal/lease.tsx";
import { Commands } from "./commands.tsx";
import { download } from "./download.ts";
import { Processes } from "./processes.tsx";

/** What is known of a session, beside its terminal. */
export function Panel({ id: key }: { id: Key }) {
  const session = store.get(key)?.value;
  if (!session) return null;
  const told = events.value.filter(
    (event) => event.session === session.id && (event.owner ?? session.owner) === session.owner,
  );
  return (
    <aside class="details" aria-label="Details">
      <header>
        <strong class="mono">{nameOf(session).command}</strong>
        <button type="button" class="quiet" aria-label="Close details" onClick={() => (details.value = false)}>
          <Close />
        </button>
      </header>
      {session.backend === "pty" && <Commands session={session} />}
      {isLive(session) && mayDrive(session) && (
        <>
          <h2>Processes</h2>
          <Processes session={session} />
        </>
      )}
      <h2>Here now</h2>
      <People session={session} />
      <h2>Session</h2>
      <Facts session={session} />
      {told.length > 0 && (
        <>
          <h2>Events</h2>
          <Events events={told.slice(-30).reverse()} brief />
        </>
      )}
      <div class="buttons">
        <button type="button" onClick={() => download(session, "text").catch(fail)}>
          <Down size={12} /> Text
        </button>
        <button type="button" onClick={() => download(session, "raw").catch(fail)}>
          <Down size={12} /> Raw
        </button>
        <button type="button" onClick={() => runAgain(session)}>
          Run again
        </button>
        {isLive(session) && mayDrive(session) && (
          <button type="button" class="danger" onClick={() => endSession(session)}>
            End
          </button>
        )}
      </div>
    </aside>
  );
}

function People({ session }: { session: Session }) {
  const people = session.viewers ?? [];
  return (
    <p class="people">
      {isAgents(session) && <span class="agent">{session.owner}’s agent</span>}
      {people.map((one, at) => (
        <span key={at} class="person">
          {one.name} {one.mode === "watch" ? "watches" : "types"}
        </span>
      ))}
      {!isAgents(session) && people.length === 0 && <span class="note">Nobody</span>}
    </p>
  );
}

function Facts({ session }: { session: Session }) {
  const lost = session.output_start;
  const facts: [string, string | null | undefined][] = [
    ["Id", session.id],
    ["Owner", session.owner],
    ["Folder", session.workdir],
    ["Started", `${clock(session.started_at)}, ${span(since(session.started_at))} ago`],
    ["Ended", session.ended_at && `${clock(session.ended_at)}, ${session.end_reason ?? ""}`],
    ["Process", session.pid === null ? null : String(session.pid)],
    ["Left behind", session.survivors ? plural(session.survivors, "process", "processes") : null],
    ["Output", `${bytes(session.output_end)}, ${lost ? `the first ${bytes(lost)} no longer kept` : "nothing missing"}`],
    ["Keyboard", session.keyboard],
    [
      "Last typed",
      session.typed && `${session.typed.by}${session.typed.agent ? "’s agent" : ""}, ${clock(session.typed.at)}`,
    ],
    [
      "Labels",
      Object.entries(session.labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(", ") || null,
    ],
    ["Kind", session.backend === "pipe" ? "pipes, no terminal" : null],
    [
      "Guard",
      session.guard
        ? Object.entries(session.guard)
            .map(([name, value]) => `${name} ${String(value)}`)
            .join(", ")
        : null,
    ],
    ["Variables", session.env_names?.join(" ")],
  ];
  return (
    <dl>
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}
