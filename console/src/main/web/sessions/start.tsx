import { closeDialog, Dialog, openDialog } from "../app/dialog.tsx";
import { change, layout, show } from "../app/route.ts";
import { fail } from "../app/toast.tsx";
import { connection } from "../server/connection.ts";
import { store } from "../server/feed.ts";
import { type Key, keyOf, type Session } from "../server/types.ts";
import { expectTerminal, foundTerminal } from "../terminal/ahead.ts";
import * as Layouts from "../terminal/layout.ts";

interface Wanted {
  cmd?: string;
  command?: string[];
  workdir?: string;
}

/** Opens a terminal that lives until it is ended, and shows it. */
async function start(wanted: Wanted, place: (key: Key) => void) {
  expectTerminal();
  try {
    const belay = await connection();
    const terminal = await belay.create({ ...wanted, keep: true, cols: 100, rows: 30 });
    const session = terminal.session as Session;
    store.apply({ sessions: [session] });
    await terminal.detach();
    foundTerminal(keyOf(session));
    place(keyOf(session));
  } catch (error) {
    foundTerminal(null);
    fail(error);
  }
}

export const runAgain = (session: Session) =>
  start({ command: [session.command, ...session.args], workdir: session.workdir }, show);

export const splitWith = (way: Layouts.Split["way"]) => {
  const tab = Layouts.activeTab(layout.peek());
  if (!tab || Layouts.panes(tab.root).length >= Layouts.MAX_PANES) return;
  start({}, (key) => change((now) => Layouts.split(now, key, way)));
};

/** Asks for a command and a folder; empty: the login shell in the workspace. */
export function newTerminal() {
  openDialog(() => <NewTerminal />);
}

function NewTerminal() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const cmd = String(data.get("cmd")).trim();
    const workdir = String(data.get("workdir")).trim();
    closeDialog();
    start({ ...(cmd && { cmd }), ...(workdir && { workdir }) }, show);
  };
  return (
    <form onSubmit={submit}>
      <Dialog
        title="New terminal"
        buttons={
          <>
            <button type="button" onClick={closeDialog}>
              Cancel
            </button>
            <button type="submit" class="main">
              Open
            </button>
          </>
        }
      >
        <label>
          Command
          <input
            name="cmd"
            class="mono"
            placeholder="your login shell"
            data-focus
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <label>
          Folder
          <input name="workdir" class="mono" placeholder="the workspace" autocomplete="off" spellcheck={false} />
        </label>
        <p class="note">It keeps running after you close this page, until somebody ends it.</p>
      </Dialog>
    </form>
  );
}
