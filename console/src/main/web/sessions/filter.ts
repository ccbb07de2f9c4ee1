import { need } from "../server/need.ts";
import { isLive, type Session } from "../server/types.ts";

/** Which sessions are listed, and in which order. */
export type Kind = "all" | "needs" | "running" | "ended" | "mine";

const words = (session: Session) =>
  [
    session.id,
    session.command,
    ...session.args,
    session.owner,
    session.title ?? "",
    session.workdir,
    ...Object.entries(session.labels).flat(),
  ]
    .join(" ")
    .toLowerCase();

const KINDS: Record<Kind, (session: Session, me: string | undefined) => boolean> = {
  all: () => true,
  needs: (session) => need(session) !== null,
  running: isLive,
  ended: (session) => !isLive(session),
  mine: (session, me) => session.owner === me,
};

export const fits = (session: Session, text: string, kind: Kind, me?: string) =>
  KINDS[kind](session, me) &&
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words(session).includes(word));

const rank = (session: Session) => (need(session) ? 0 : isLive(session) ? 1 : 2);

/** Those who need somebody first, then what runs, then what has ended; within these the newest first. */
export const byUrgency = (one: Session, other: Session) =>
  rank(one) - rank(other) ||
  other.started_at.localeCompare(one.started_at) ||
  one.owner.localeCompare(other.owner) ||
  one.id.localeCompare(other.id);
