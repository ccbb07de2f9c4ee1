import { approvalsOf } from "./approvals.ts";
import { isAgents, isLive, keyOf, type Session } from "./types.ts";

/** Who waits for a person: for a decision, a password, or an answer that an agent has not given. */
export type Need = "approval" | "password" | "input";

export function need(session: Session): Need | null {
  if (!isLive(session)) return null;
  if (session.guard?.approvals || approvalsOf(keyOf(session)).length > 0) return "approval";
  if (session.input?.echo_off && session.input.waiting !== false) return "password";
  return session.input?.waiting && isAgents(session) ? "input" : null;
}
