import { bytes, clock, duration } from "../app/format.ts";
import { show } from "../app/route.ts";
import type { BelayEvent } from "../server/types.ts";

const words = (fact: unknown) => (typeof fact === "string" ? fact.replaceAll("_", " ") : "");
const numberOf = (fact: unknown) => (typeof fact === "number" ? fact : 0);

/** Which program, what was decided, and why. */
const decision = ({ program, rule, state, reason, scope, check, count }: BelayEvent) =>
  [
    String(program ?? ""),
    check ? words(check) : words(state),
    rule ? `rule ${String(rule)}` : "",
    words(reason) in REASONS ? REASONS[words(reason)] : "",
    scope && scope !== "once" ? `for the ${String(scope)}` : "",
    numberOf(count) > 1 ? `${numberOf(count)} times` : "",
  ]
    .filter(Boolean)
    .join(", ");

/** Reasons that the other facts do not already give. */
const REASONS: Record<string, string> = {
  "earlier answer": "by an earlier answer",
  nobody: "nobody could be asked",
  questions: "too many questions were open",
  waiting: "too many processes were waiting",
};

/** What an event says besides its kind, its time and who did it. */
const SAYS: Record<BelayEvent["event"], (event: BelayEvent) => string> = {
  opened: ({ command }) => String(command ?? ""),
  exited: ({ exit_code, signal, duration_ms }) =>
    `${signal ? `by ${String(signal)}` : `exit ${String(exit_code)}`}, after ${duration(numberOf(duration_ms))}`,
  closed: ({ reason, output_bytes }) =>
    [words(reason), `${bytes(numberOf(output_bytes))} printed`].filter(Boolean).join(", "),
  refused: ({ message }) => String(message ?? ""),
  attached: ({ mode }) => (mode === "watch" ? "to watch" : "to type"),
  left: ({ reason }) => words(reason),
  keyboard: ({ by, private: isPrivate }) => (by === null ? "free again" : isPrivate ? "privately" : ""),
  typed: ({ bytes: count }) => bytes(numberOf(count)),
  called: ({ tool }) => String(tool ?? ""),
  asked: decision,
  answered: decision,
  denied: decision,
  checked: decision,
};

const failed = ({ event, check }: BelayEvent) =>
  event === "refused" || event === "denied" || check === "mismatch" || check === "other_words";

const By = ({ event: { by, agent } }: { event: BelayEvent }) => (
  <span class={agent ? "by agent" : "by person"}>{by && (agent ? `${by}’s agent` : by)}</span>
);

/** What people and agents did, one to a line. All of it is text. */
export const Events = ({ events, brief = false }: { events: BelayEvent[]; brief?: boolean }) => (
  <ol class={brief ? "events brief" : "events"}>
    {events.map((event) => (
      <li key={event.number} class={failed(event) ? "failed" : undefined}>
        <time>{clock(event.at)}</time>
        <strong>{event.event}</strong>
        {(!brief || event.by) && <By event={event} />}
        {!brief &&
          (event.session ? (
            <button type="button" class="link" onClick={() => show(`${event.owner}/${event.session}`)}>
              {event.session}
            </button>
          ) : (
            <span />
          ))}
        <span class="note">{SAYS[event.event]?.(event) ?? ""}</span>
      </li>
    ))}
  </ol>
);
