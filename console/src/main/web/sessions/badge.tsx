import { Agent, Keyboard, Lock, Person, Shield } from "../icons.tsx";
import { type Need, need } from "../server/need.ts";
import { isAgents, isLive, type Session } from "../server/types.ts";

/** Small parts that say the same thing in the same way everywhere. */
const plainName = (word: string) => word.slice(word.lastIndexOf("/") + 1) || word;
const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/;

/** What a person calls a session: its command line, and its id if somebody chose one. */
export function nameOf(session: Session): { command: string; label: string; id: string } {
  const [first, second] = session.args;
  const script = session.args.length === 2 && (first === "-c" || first === "-lc") ? second : undefined;
  const command = script ?? [plainName(session.command), ...session.args].join(" ");
  const id = UUID.test(session.id) ? "" : session.id;
  return { command, label: id || plainName(command.split(" ")[0] ?? command), id };
}

export const NEEDS: Record<Need, { says: string; icon: () => preact.JSX.Element }> = {
  approval: { says: "asks for approval", icon: () => <Shield size={12} /> },
  password: { says: "password", icon: () => <Lock size={12} /> },
  input: { says: "waits for input", icon: () => <Keyboard size={12} /> },
};

export function Badge({ session }: { session: Session }) {
  const needs = need(session);
  if (needs) {
    return (
      <span class="badge waits">
        {NEEDS[needs].icon()} {NEEDS[needs].says}
      </span>
    );
  }
  if (isLive(session)) return null;
  const bad = session.exit_code !== 0;
  const says = session.signal ?? (session.exit_code === null ? "ended" : `exit ${session.exit_code}`);
  return <span class={bad ? "badge failed" : "badge well"}>{says}</span>;
}

export function Dot({ session }: { session: Session }) {
  if (isLive(session)) return <span class="dot live" role="img" aria-label="running" />;
  const bad = session.exit_code !== 0;
  return <span class={bad ? "dot failed" : "dot ended"} role="img" aria-label={bad ? "failed" : "ended"} />;
}

export const Owner = ({ session }: { session: Session }) =>
  isAgents(session) ? (
    <span class="owner agent">
      <Agent size={12} /> {session.owner}’s agent
    </span>
  ) : (
    <span class="owner person">
      <Person size={12} /> {session.owner}
    </span>
  );
