import { effect, signal, untracked } from "@preact/signals";
import { bytes, now } from "../app/format.ts";
import { home } from "../app/route.ts";
import { limit, loaded, refusals, seconds, sessions, waiting } from "../server/feed.ts";
import { isAgents, isLive } from "../server/types.ts";
import { kind } from "./page.tsx";
import { Sparkline } from "./sparkline.tsx";

/** The line of figures above the sessions, each with its last minutes. */
const MOST = 120;
/** Counted here once a second while the page is open; the server tells the others. */
const series = signal<Record<"waits" | "agents", number[]>>({ waits: [], agents: [] });

const live = () => sessions.value.filter(isLive);
const working = () => live().filter(isAgents);

effect(() => {
  now.value;
  if (!loaded.value) return;
  const { waits, agents } = series.peek();
  const add = (known: number[], next: number) => [...known.slice(1 - MOST), next];
  series.value = { waits: add(waits, waiting.peek().length), agents: add(agents, untracked(working).length) };
});

export function Totals() {
  const { waits, agents } = series.value;
  const past = seconds.value.slice(-MOST);
  const rates = past.map((second) => second.bytes_out);
  const recent = rates.slice(-3);
  const rate = recent.reduce((sum, one) => sum + one, 0) / Math.max(1, recent.length);
  const [figure, unit] = bytes(Math.round(rate)).split(" ");
  const refused = refusals.value.filter((one) => Date.parse(one.at) > now.value - 3_600_000).length;
  return (
    <section class="totals" aria-label="Totals">
      <Total figure={live().length} of={limit.value ? `of ${limit.value}` : ""} says="live sessions">
        <Sparkline values={past.map((second) => second.live)} kind="action" />
      </Total>
      <Total figure={waiting.value.length} says="wait for somebody" does={() => (kind.value = "needs")}>
        <Sparkline values={waits} kind="waits" />
      </Total>
      <Total figure={figure ?? "0"} of={`${unit}/s`} says="output">
        <Sparkline values={rates} kind="well" />
      </Total>
      <Total figure={working().length} says="agents at work">
        <Sparkline values={agents} kind="agent" />
      </Total>
      <Total figure={refused} says="refused in an hour" does={() => home("activity")}>
        <Sparkline values={past.map((second) => second.refused)} kind="failed" />
      </Total>
    </section>
  );
}

function Total(props: {
  figure: number | string;
  of?: string;
  says: string;
  does?: () => void;
  children: preact.ComponentChildren;
}) {
  const inner = (
    <>
      <span class="figure">
        <strong>{props.figure}</strong> {props.of && <span class="note">{props.of}</span>}
        <span class="says">{props.says}</span>
      </span>
      {props.children}
    </>
  );
  return props.does ? (
    <button type="button" class="total" onClick={props.does}>
      {inner}
    </button>
  ) : (
    <div class="total">{inner}</div>
  );
}
