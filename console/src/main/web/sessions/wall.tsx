import { since, span } from "../app/format.ts";
import { addressOf, show } from "../app/route.ts";
import { Question } from "../approvals/question.tsx";
import { Eye, Keyboard } from "../icons.tsx";
import { approvalsOf } from "../server/approvals.ts";
import { store } from "../server/feed.ts";
import { need } from "../server/need.ts";
import { isLive, type Key } from "../server/types.ts";
import { Badge, Dot, nameOf, Owner } from "./badge.tsx";
import { Thumbnail } from "./thumbnail.tsx";

/** Sessions as cards with their live screens. */
export const Wall = ({ keys }: { keys: readonly Key[] }) => (
  <ul class="wall" aria-label="Sessions">
    {keys.map((key) => (
      <Card key={key} id={key} />
    ))}
  </ul>
);

function Card({ id: key }: { id: Key }) {
  const session = store.get(key)?.value;
  if (!session) return null;
  const live = isLive(session);
  const { command, id } = nameOf(session);
  const [asks] = approvalsOf(key);
  const classes = [
    "card",
    need(session) ? "waits" : "",
    live ? "" : "over",
    !live && session.exit_code !== 0 ? "failed" : "",
  ];
  return (
    <li>
      <a
        class={classes.join(" ")}
        href={addressOf(key)}
        data-key={key}
        onClick={(event) => {
          event.preventDefault();
          show(key);
        }}
      >
        <span class="head">
          <Dot session={session} />
          <span class="command">{command}</span>
          <span class="id">{id}</span>
          <span class="grow" />
          <Badge session={session} />
        </span>
        {session.backend === "pty" ? <Thumbnail id={key} /> : <span class="thumbnail note">Pipes, no terminal</span>}
        <span class="foot">
          <Owner session={session} />
          {session.keyboard && (
            <span class="person">
              <Keyboard size={12} /> {session.keyboard} has the keyboard
            </span>
          )}
          <span class="grow" />
          {(session.viewers?.length ?? 0) > 0 && (
            <span class="note">
              <Eye size={13} label="watching" /> {session.viewers!.length}
            </span>
          )}
          <span class="note">
            {live
              ? `idle ${span(since(session.last_activity_at))}`
              : `ended ${span(since(session.ended_at ?? session.last_activity_at))} ago`}
          </span>
        </span>
      </a>
      {asks && <Question approval={asks} brief />}
    </li>
  );
}
