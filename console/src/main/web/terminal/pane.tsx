import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { confirm } from "../app/dialog.tsx";
import { bytes, duration, plural } from "../app/format.ts";
import { change, focused } from "../app/route.ts";
import { settings } from "../app/settings.ts";
import { fail } from "../app/toast.tsx";
import { Question } from "../approvals/question.tsx";
import { download } from "../details/download.ts";
import { Close, Eye } from "../icons.tsx";
import { approvalsOf } from "../server/approvals.ts";
import { loaded, me, store } from "../server/feed.ts";
import { idOf, isLive, type Key, type Session } from "../server/types.ts";
import { Dot, nameOf } from "../sessions/badge.tsx";
import { runAgain } from "../sessions/start.tsx";
import { typedAhead } from "./ahead.ts";
import { Find } from "./find.tsx";
import * as Layouts from "./layout.ts";
import { Banner, startsWatched } from "./lease.tsx";
import { cleaned, needsAsking, preview } from "./paste.ts";
import { PhoneKeys } from "./phone-keys.tsx";
import { View } from "./view.ts";
import { finding, views } from "./views.ts";

/** One session on the screen, with what is said about it above and below. */
export function Pane({ id: key }: { id: Key }) {
  const place = useRef<HTMLDivElement>(null);
  const view = useSignal<View | null>(null);
  const failure = useSignal<string | null>(null);
  const session = store.keys.value.includes(key) ? store.get(key)?.value : undefined;
  const known = session !== undefined;
  useEffect(() => {
    if (!known || !place.current) return undefined;
    const made = new View(key, fail).as(me.peek()?.name ?? null);
    views.set(key, made);
    view.value = made;
    made
      .open(place.current, startsWatched(store.get(key)!.peek()) ? "watch" : "write")
      .then(() => focused.peek() === key && made.begin(typedAhead(key)))
      .catch((error) => (failure.value = error.message));
    const pasted = (event: ClipboardEvent) => paste(event, made);
    place.current.addEventListener("paste", pasted, { capture: true });
    const there = place.current;
    return () => {
      there.removeEventListener("paste", pasted, { capture: true });
      made.dispose();
      if (views.get(key) !== made) return; // another pane shows it by now
      views.delete(key);
      typedAhead(key); // keys that came too late for it
    };
  }, [key, known]);
  const hasFocus = focused.value === key;
  useEffect(() => {
    if (hasFocus) view.value?.takeFocus();
  }, [hasFocus]);
  return (
    <section
      class={hasFocus ? "pane focused" : "pane"}
      aria-label={`Terminal ${idOf(key)}`}
      onFocusCapture={() => change((now) => Layouts.focus(now, key))}
    >
      {session && view.value && <Banner session={session} view={view.value} />}
      {approvalsOf(key).map((approval) => (
        <Question key={approval.id} approval={approval} />
      ))}
      {finding.value === key && view.value && (
        <Find
          view={view.value}
          close={() => {
            finding.value = null;
            view.value?.focus();
          }}
        />
      )}
      {view.value && <Notices view={view.value} />}
      {loaded.value && !known && (
        <div class="gone">
          <p>Session {idOf(key)} is gone: it ended and its output is no longer kept, or it is not yours to see.</p>
          <button type="button" onClick={() => change((now) => Layouts.close(now, key))}>
            Close
          </button>
        </div>
      )}
      {failure.value && <div class="gone">{failure.value}</div>}
      <div class="screen" ref={place} hidden={!known} />
      {session && !isLive(session) && <Ended session={session} />}
      {view.value && session && isLive(session) && <PhoneKeys view={view.value} />}
      {session && <Foot session={session} view={view.value} />}
    </section>
  );
}

async function paste(event: ClipboardEvent, view: View) {
  const text = cleaned(event.clipboardData?.getData("text/plain") ?? "");
  event.preventDefault();
  event.stopPropagation();
  if (text === "" || view.xterm.options.disableStdin) return;
  const asks = settings.peek().askBeforePaste && needsAsking(text, view.xterm.modes.bracketedPasteMode);
  const lines = plural(text.split("\n").length, "line");
  if (!asks || (await confirm(`Paste ${lines}?`, <pre class="preview">{preview(text)}</pre>, "Paste"))) {
    view.xterm.paste(text);
  }
  view.focus();
}

function Notices({ view }: { view: View }) {
  return (
    <>
      {view.gap.value && (
        <div class="notice ruled">
          {bytes(view.gap.value.lost)} missing: {view.gap.value.reason}
        </div>
      )}
      {view.clipboard.value !== null && (
        <div class="notice">
          <span>A program here wants to write to your clipboard.</span>
          <button type="button" onClick={() => view.allowClipboard().catch(fail)}>
            Allow for this session
          </button>
          <button type="button" onClick={() => (view.clipboard.value = null)}>
            Refuse
          </button>
        </div>
      )}
      {view.link.value && <div class="target">{view.link.value} · Ctrl-click opens it</div>}
    </>
  );
}

const howItEnded = (session: Session) => {
  if (session.signal) return `ended by ${session.signal}`;
  return session.exit_code === null ? "ended" : `exit ${session.exit_code}`;
};

function Ended({ session }: { session: Session }) {
  const took = session.ended_at ? Date.parse(session.ended_at) - Date.parse(session.started_at) : null;
  const bad = session.exit_code !== 0;
  return (
    <div class={bad ? "ended bad" : "ended"}>
      <strong>{howItEnded(session)}</strong>
      {session.end_reason && <span>{session.end_reason.replaceAll("_", " ").toLowerCase()}</span>}
      {took !== null && <span>after {duration(took)}</span>}
      {session.survivors > 0 && <span>{plural(session.survivors, "process", "processes")} left behind</span>}
      <span class="grow" />
      <button type="button" class="main" onClick={() => runAgain(session)}>
        Run again
      </button>
      <button type="button" onClick={() => download(session, "text").catch(fail)}>
        Download
      </button>
      <button type="button" onClick={() => change((now) => Layouts.close(now, `${session.owner}/${session.id}`))}>
        Close
      </button>
    </div>
  );
}

function Foot({ session, view }: { session: Session; view: View | null }) {
  const size = view?.size.value;
  const watching = session.viewers?.length ?? 0;
  return (
    <footer class="foot">
      <Dot session={session} />
      <strong>{nameOf(session).label}</strong>
      <span class="note">{session.title ?? nameOf(session).command}</span>
      <span class="path">{session.workdir === "." ? "" : session.workdir}</span>
      <span class="grow" />
      {watching > 1 && (
        <span class="note" title={session.viewers?.map((one) => one.name).join(", ")}>
          <Eye label="watching" /> {watching}
        </span>
      )}
      {size && (
        <span class="note">
          {size.cols} × {size.rows}
        </span>
      )}
      <span class="note">{bytes(session.output_end)}</span>
      <button
        type="button"
        class="quiet"
        aria-label={`Close the pane of ${nameOf(session).label}`}
        title="Close the pane; the session keeps running"
        onClick={() => change((now) => Layouts.close(now, `${session.owner}/${session.id}`))}
      >
        <Close size={12} />
      </button>
    </footer>
  );
}
