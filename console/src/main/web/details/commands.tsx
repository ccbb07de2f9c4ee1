import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clock, duration, now, since } from "../app/format.ts";
import { fail, say } from "../app/toast.tsx";
import { call, of, outputOf } from "../server/api.ts";
import type { Command, Session } from "../server/types.ts";
import { plain } from "./download.ts";

const colour = (command: Command) =>
  command.end === null ? "waits" : command.exit_code === 0 ? "well" : command.exit_code === null ? "" : "failed";

const took = ({ began_at, ended_at, end }: Command) => {
  if (!began_at) return "";
  if (ended_at) return duration(Date.parse(ended_at) - Date.parse(began_at));
  return end === null ? `running, ${duration(since(began_at))}` : "";
};

/** The commands of a shell, newest last: what, when, how long, and how it ended. A click copies the output. */
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
  const copy = async (command: Command) => {
    try {
      const to = command.end ?? session.output_end;
      const most = String(Math.min(1 << 20, to - command.start));
      const answer = await outputOf(of(session, "/output", { from: String(command.start), max: most }));
      await navigator.clipboard.writeText(plain(await answer.text()));
      say("The output is in your clipboard.");
    } catch (error) {
      fail(error);
    }
  };
  return (
    <>
      <h2>Commands</h2>
      <ol class="commands">
        {commands.value.slice(-50).map((command) => (
          <li key={command.start} class={colour(command)}>
            <button type="button" class="command" title="Copy its output" onClick={() => copy(command)}>
              {command.command ?? "(not known)"}
            </button>
            {command.began_at && <time>{clock(command.began_at)}</time>}
            <span class="note">
              {took(command)}
              {command.exit_code !== null && (
                <span class={command.exit_code === 0 ? "badge well" : "badge failed"}>{command.exit_code}</span>
              )}
              {!command.signed && <span title="Not said by Belay's own shell">unsigned</span>}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
