import type { Session } from "belay-client";

/** Shapes of the server's answers that the page alone uses. See docs/protocol.md; the client library has the others. */
export type { Happened as BelayEvent, Second, Session } from "belay-client";

export interface Me {
  name: string;
  role: "admin" | "user" | "watch";
  expires_in_ms?: number;
}

export interface Process {
  pid: number;
  parent: number;
  command: string;
  state: string;
  foreground: boolean;
  started_at: string;
  cpu_ms: number;
  memory_bytes: number;
}

/** A command that ran in a shell. Its output stands from `start` to `end`. */
export interface Command {
  command: string | null;
  cwd: string | null;
  exit_code: number | null;
  began_at: string | null;
  ended_at: string | null;
  start: number;
  end: number | null;
  signed: boolean;
}

/** Ids are per owner: what a session is known by in the page. */
export type Key = string;
export const keyOf = (session: { owner: string; id: string }): Key => `${session.owner}/${session.id}`;
export const ownerOf = (key: Key) => key.slice(0, key.indexOf("/"));
export const idOf = (key: Key) => key.slice(key.indexOf("/") + 1);
export const isLive = (session: Session) => session.state === "running" || session.state === "starting";
export const isAgents = (session: Session) => session.origin === "agent";
