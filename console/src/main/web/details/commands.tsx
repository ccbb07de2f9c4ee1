import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clock, duration, now, since } from "../app/format.ts";
import { fail, say } from "../app/toast.tsx";
import { Copy } from "../icons.tsx";
import { call, of, outputOf } from "../server/api.ts";
import { type Command, keyOf, type Session } from "../server/types.ts";
import { jumpTo } from "../terminal/jump.ts";
import { views } from "../terminal/views.ts";
import { plain } from "./download.ts";

const colour = (command: Command) =>
  command.end === null ? "waits" : command.exit_code === 0 ? "well" : command.exit_code === null ? "" : "failed";

const took = ({ began_at, ended_at, end }: Command) => {
  if (!began_at) return "";
  if (ended_at) return duration(Date.parse(ended_at) - Date.parse(began_at));
  return end === null ? `running, ${duration(since(began_at))}` : "";
};

const MOST_COPIED = 1 << 20;

async function copy(session: Session, command: Command) {
  const length = Math.min(MOST_COPIED, (command.end ?? session.output_end) - command.start);
  const answer = await outputOf(of(session, "/output", { from: String(command.start), max: String(length) }));
  await navigator.clipboard.writeText(plain(await answer.text()));
  say("Output copied to the clipboard.");
}

async function jump(session: Session, command: Command) {
  const view = views.get(keyOf(session));
  if (view && !(await jumpTo(view, session, command))) say("It is no longer on this screen; you can copy its output.");
}

/** The commands of a shell, newest last: what, when, how long, and how it ended. A click goes there. */
export function Commands({ session }: { session: Session }) {
  const commands = useSignal<Command[]>([]);
  const seen = useSignal({ end: -1, at: 0 });
  const due = seen.value.end !== session.output_end && now.value - seen.value.at > 1500;
  useEffect(() => {
    if (!due) return;
    seen.value = { end: session.output_end, at: Date.now() };
    call<{ commands: Command[] }>("GET", of(session, "/commands")).then(
      (answer) => (commands.value = answer.commands),
      () => (commands.value = []), // a session without a shell has none
    );
  }, [due]);
  if (commands.value.length === 0) return null;
  return (
    <>
      <h2>Commands</h2>
      <ol class="commands">
        {commands.value.slice(-50).map((command) => (
          <li key={command.start} class={colour(command)}>
            <button
              type="button"
              class="command"
              title="Go to its output"
              onClick={() => jump(session, command).catch(fail)}
            >
              {command.command ?? "(unknown)"}
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Copy the output of ${command.command ?? "a command"}`}
              title="Copy its output"
              onClick={() => copy(session, command).catch(fail)}
            >
              <Copy size={12} />
            </button>
            <span class="note">
              {command.began_at && <time>{clock(command.began_at)}</time>}
              {took(command)}
              {!command.signed && <span title="Any program can print what this says">unsigned</span>}
            </span>
            {command.exit_code !== null && (
              <span class={command.exit_code === 0 ? "badge well" : "badge failed"}>{command.exit_code}</span>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
