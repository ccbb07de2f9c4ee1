import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { closeDialog, confirm, Dialog, openDialog } from "../app/dialog.tsx";
import { plural } from "../app/format.ts";
import { fail, say } from "../app/toast.tsx";
import { ProcessTree } from "../details/processes.tsx";
import { call, messageOf, of } from "../server/api.ts";
import { me, sessions } from "../server/feed.ts";
import { isLive, type Process, type Session } from "../server/types.ts";
import { nameOf } from "./badge.tsx";

const end = (session: Session, force: boolean) =>
  call("DELETE", of(session, "", force ? { force: "true" } : {})).then(() => undefined);

/** Ends a session, after showing which processes end with it. */
export const endSession = (session: Session) => openDialog(() => <End session={session} />);

function End({ session }: { session: Session }) {
  const processes = useSignal<Process[] | null>(null);
  const failure = useSignal("");
  useEffect(() => {
    call<{ processes: Process[] }>("GET", of(session, "/processes")).then(
      (answer) => (processes.value = answer.processes),
      (error) => (failure.value = messageOf(error)),
    );
  }, []);
  const go = (force: boolean) => {
    closeDialog();
    end(session, force).then(() => say(`${nameOf(session).label} has ended.`), fail);
  };
  return (
    <Dialog
      title={`End ${nameOf(session).label}?`}
      buttons={
        <>
          <button type="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="button" onClick={() => go(true)} title="Without time to clean up">
            End at once
          </button>
          <button type="button" class="danger" data-focus onClick={() => go(false)}>
            End
          </button>
        </>
      }
    >
      <p class="mono">{nameOf(session).command}</p>
      {processes.value && (
        <>
          <p>{plural(processes.value.length, "process ends", "processes end")} with it:</p>
          <ProcessTree processes={processes.value} />
        </>
      )}
      {failure.value && <p class="note">Its processes cannot be listed: {failure.value}</p>}
    </Dialog>
  );
}

export async function endAllOfMine() {
  const mine = sessions.peek().filter((session) => isLive(session) && session.owner === me.peek()?.name);
  if (mine.length === 0) return say("You have no running sessions.");
  const list = (
    <ul class="mono">
      {mine.slice(0, 12).map((session) => (
        <li key={session.id}>{nameOf(session).command}</li>
      ))}
      {mine.length > 12 && <li>… and {mine.length - 12} more</li>}
    </ul>
  );
  const sure = await confirm(`End all ${mine.length} of your sessions?`, list, `End ${mine.length}`, true);
  if (!sure) return;
  const ends = await Promise.allSettled(mine.map((session) => end(session, false)));
  const failed = ends.filter((one) => one.status === "rejected");
  for (const one of failed.slice(0, 3)) fail(one.reason);
  say(`${plural(ends.length - failed.length, "session has", "sessions have")} ended.`);
}
