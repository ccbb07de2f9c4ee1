import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { plural, since, span } from "../app/format.ts";
import { fail, say } from "../app/toast.tsx";
import { Shield } from "../icons.tsx";
import { type Approval, answer, mayAnswer, type Scope } from "../server/approvals.ts";
import { me } from "../server/feed.ts";

const SCOPES: [Scope, string][] = [
  ["once", "Allow once"],
  ["session", "For the session"],
  ["conversation", "For the conversation"],
  ["workspace", "For the workspace"],
];

/** Answers a question, and says what was decided. */
export async function decide(approval: Approval, how: Scope | "deny") {
  try {
    await answer(approval, how === "deny" ? { answer: "deny" } : { answer: "allow", scope: how });
    say(`${how === "deny" ? "Denied" : "Allowed"}: ${approval.shown.command}`);
  } catch (error) {
    fail(error);
  }
}

/** The question that somebody wants to answer: it takes the focus when it comes on the page. */
export const wanted = signal<string | null>(null);

/** A program that waits for a decision: what it is, where, who started it, by which rule, and the answers. */
export function Question({ approval, brief = false }: { approval: Approval; brief?: boolean }) {
  const busy = useSignal(false);
  const place = useRef<HTMLElement>(null);
  const isWanted = wanted.value === approval.id;
  useEffect(() => {
    if (!isWanted) return;
    wanted.value = null;
    place.current?.querySelector<HTMLElement>(".answers button")?.focus();
  }, [isWanted]);
  const go = async (how: Scope | "deny") => {
    busy.value = true;
    await decide(approval, how);
    busy.value = false;
  };
  const { command, program, workdir } = approval.shown;
  const left = -since(approval.expires_at);
  return (
    <section ref={place} class={brief ? "question brief" : "question"} aria-label={`Approval: ${command}`}>
      <p class="asks">
        <Shield size={13} />
        <span>
          Wants to run{(approval.count ?? 1) > 1 ? ` (${plural(approval.count!, "process", "processes")})` : ""}
        </span>
        <code title={command}>{command}</code>
      </p>
      <dl>
        <div>
          <dt>Program</dt>
          <dd>{program}</dd>
        </div>
        <div>
          <dt>Folder</dt>
          <dd>{workdir || "unknown"}</dd>
        </div>
        {(approval.variables?.length ?? 0) > 0 && (
          <div>
            <dt>Changed variables</dt>
            <dd>{approval.variables!.join(", ")}</dd>
          </div>
        )}
        {approval.ancestors.length > 0 && (
          <div class="from">
            <dt>Started by</dt>
            <dd>{approval.ancestors.join(" ← ")}</dd>
          </div>
        )}
        <div>
          <dt>Rule</dt>
          <dd>
            {approval.rule ?? "no rule matches"}
            {left > 0 && <span class="left"> · {span(left)} left</span>}
          </dd>
        </div>
      </dl>
      {mayAnswer(approval, me.value) ? (
        <div class="answers">
          {SCOPES.filter(([scope]) => approval.scopes.includes(scope)).map(([scope, says]) => (
            <button
              key={scope}
              type="button"
              class={scope === "once" ? "main" : undefined}
              disabled={busy.value}
              title={scope === "once" ? undefined : "For the same program, words, folder and variables that steer it"}
              onClick={() => go(scope)}
            >
              {brief && scope !== "once"
                ? says.replace("For the ", "").replace(/^./, (first) => first.toUpperCase())
                : says}
            </button>
          ))}
          <span class="grow" />
          <button type="button" class="danger" disabled={busy.value} onClick={() => go("deny")}>
            Deny
          </button>
        </div>
      ) : (
        <p class="note">Waiting for {approval.approvers?.length ? approval.approvers.join(", ") : "an admin"}.</p>
      )}
    </section>
  );
}

/** Goes to the answers of the first question that is seen. */
export const focusQuestion = (within: ParentNode = document) =>
  within.querySelector<HTMLElement>(".question .answers button")?.focus();
