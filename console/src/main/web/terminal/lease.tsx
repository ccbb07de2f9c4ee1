import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { keysFor } from "../app/keys.ts";
import { details } from "../app/route.ts";
import { announce, fail } from "../app/toast.tsx";
import { Agent, Keyboard, Lock, Person } from "../icons.tsx";
import { me } from "../server/feed.ts";
import { isAgents, isLive, type Session } from "../server/types.ts";
import type { View } from "./view.ts";

/** Who may type where, as this page sees it. */
export type Hold = "mine" | "private" | "other" | "agent" | "watched" | "free";

export function holdOf(session: Session, view: View): Hold {
  const holder = view.holder.value ?? session.keyboard ?? null;
  if (holder !== null) {
    if (holder !== me.value?.name) return "other";
    return view.isPrivate.value || session.keyboard_private ? "private" : "mine";
  }
  if (view.mode.value === "write") return "free";
  return isAgents(session) ? "agent" : "watched";
}

export const mayDrive = (session: Session) =>
  me.value !== null && me.value.role !== "watch" && (me.value.role === "admin" || session.owner === me.value.name);

/** Somebody else's, or an agent's: those are watched unless the keyboard is taken. */
export const startsWatched = (session: Session) => isAgents(session) || session.owner !== me.value?.name;

/** What Ctrl Shift Enter does. */
export async function toggleKeyboard(session: Session, view: View) {
  const hold = holdOf(session, view);
  try {
    if (hold === "mine" || hold === "private") await view.giveBack(startsWatched(session));
    else await view.take();
  } catch (error) {
    fail(error);
  }
}

export async function togglePrivate(session: Session, view: View) {
  try {
    await view.take(holdOf(session, view) !== "private");
  } catch (error) {
    fail(error);
  }
}

const typist = (session: Session) => (isAgents(session) ? `${session.owner}’s agent` : session.owner);

export function Banner({ session, view }: { session: Session; view: View }) {
  const hold = holdOf(session, view);
  const drives = mayDrive(session);
  const password = isLive(session) && (session.input?.echo_off ?? false);
  useHandBackAfterPassword(session, view, hold);
  const shown = useRef(hold);
  useEffect(() => {
    if (shown.current !== hold) announce(SAYS[hold](typist(session)));
    shown.current = hold;
  }, [hold]);
  if (!isLive(session)) return null;
  const asks = password && drives && hold !== "private" && hold !== "other";
  const privately = asks && (
    <Do icon={<Lock />} does={() => view.take(true)} main>
      Type it privately
    </Do>
  );
  if (hold === "free") {
    return asks && session.origin !== "terminal" ? (
      <Bar kind="waits" icon={<Lock />} says={<span>The program asks for a password.</span>}>
        {privately}
      </Bar>
    ) : null;
  }
  const who = typist(session);
  switch (hold) {
    case "agent":
    case "watched":
      return (
        <Bar
          kind={asks ? "waits" : hold === "agent" ? "agent" : "other"}
          icon={asks ? <Lock /> : hold === "agent" ? <Agent /> : <Person />}
          says={
            <span>
              <strong>{who}</strong>{" "}
              {asks ? "waits for a password." : `${hold === "agent" ? "is typing" : "types"} here.`} You are watching.
            </span>
          }
        >
          <DetailsButton />
          {privately}
          {drives && !asks && (
            <Do main={hold === "agent"} keys={keysFor("keyboard")} does={() => view.take()}>
              Take over
            </Do>
          )}
        </Bar>
      );
    case "mine":
      return (
        <Bar
          kind="mine"
          icon={<Keyboard />}
          says={
            <span>
              You have the keyboard. {startsWatched(session) && <strong>{who}</strong>}{" "}
              {startsWatched(session) ? "can read but not type." : "Nobody else can type."}
            </span>
          }
        >
          <Do icon={<Lock />} does={() => view.take(true)}>
            Type privately
          </Do>
          <Do main keys={keysFor("keyboard")} does={() => view.giveBack(startsWatched(session))}>
            Hand back
          </Do>
        </Bar>
      );
    case "private":
      return (
        <Bar kind="waits" icon={<Lock />} says={<span>Private: only you and admins see what is printed now.</span>}>
          <Do does={() => view.take(false)}>Stop being private</Do>
          <Do main keys={keysFor("keyboard")} does={() => view.giveBack(startsWatched(session))}>
            Hand back
          </Do>
        </Bar>
      );
    case "other":
      return (
        <Bar
          kind="other"
          icon={session.keyboard_private ? <Lock /> : <Keyboard />}
          says={
            <span>
              <strong>{view.holder.value ?? session.keyboard}</strong> has the keyboard
              {session.keyboard_private ? " and types privately" : ""}.
            </span>
          }
        >
          <DetailsButton />
          {me.value?.role === "admin" && (
            <Do keys={keysFor("keyboard")} does={() => view.take()}>
              Take
            </Do>
          )}
        </Bar>
      );
  }
}

const SAYS: Record<Hold, (who: string) => string> = {
  mine: () => "You have the keyboard.",
  private: () => "You are typing privately.",
  other: () => "Somebody else has the keyboard.",
  agent: (who) => `${who} has the keyboard again. You are watching.`,
  watched: (who) => `${who} is typing. You are watching.`,
  free: () => "The keyboard is free.",
};

/** A password was asked for, typed privately, and taken: the echo is back, so the keyboard goes back. */
function useHandBackAfterPassword(session: Session, view: View, hold: Hold) {
  const asked = useRef(false);
  const echoOff = session.input?.echo_off ?? false;
  useEffect(() => {
    if (hold !== "private") asked.current = false;
    else if (echoOff) asked.current = true;
    else if (asked.current) {
      asked.current = false;
      view.giveBack(startsWatched(session)).catch(fail);
    }
  }, [hold, echoOff]);
}

const DetailsButton = () => (
  <button type="button" aria-pressed={details.value} onClick={() => (details.value = !details.value)}>
    Details
  </button>
);

function Bar(props: { kind: string; icon: ComponentChildren; says: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class={`banner ${props.kind}`}>
      {props.icon}
      <span class="says">{props.says}</span>
      {props.children}
    </div>
  );
}

function Do(props: {
  does: () => Promise<void>;
  children: ComponentChildren;
  icon?: ComponentChildren;
  keys?: string;
  main?: boolean;
}) {
  return (
    <button type="button" class={props.main ? "main" : undefined} onClick={() => props.does().catch(fail)}>
      {props.icon}
      {props.children}
      {props.keys && <kbd>{props.keys}</kbd>}
    </button>
  );
}
