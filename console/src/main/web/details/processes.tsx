import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { bytes, now } from "../app/format.ts";
import { call, messageOf, of } from "../server/api.ts";
import type { Process, Session } from "../server/types.ts";

/** Processes with those that started them above, and how deep each stands. */
export function tree(processes: readonly Process[]): { process: Process; depth: number }[] {
  const known = new Set(processes.map((one) => one.pid));
  const below = (parent: number | null, depth: number): { process: Process; depth: number }[] =>
    processes
      .filter((one) => (parent === null ? !known.has(one.parent) || one.parent === one.pid : one.parent === parent))
      .filter((one) => one.pid !== parent)
      .flatMap((process) => [{ process, depth }, ...below(process.pid, depth + 1)]);
  return below(null, 0);
}

export const ProcessTree = ({ processes, shares }: { processes: Process[]; shares?: Map<number, number> }) => (
  <ul class="processes">
    {tree(processes).map(({ process, depth }) => (
      <li key={process.pid} title={process.command}>
        <span class="command">
          {depth > 0 && `${"  ".repeat(depth - 1)}└ `}
          {process.command}
        </span>
        <span class="number">{process.pid}</span>
        {shares && <span class="number">{Math.round(shares.get(process.pid) ?? 0)} %</span>}
        <span class="number">{bytes(process.memory_bytes)}</span>
      </li>
    ))}
  </ul>
);

const EVERY_MS = 3000;

/** What runs in a session now. */
export function Processes({ session }: { session: Session }) {
  const processes = useSignal<Process[] | null>(null);
  const shares = useSignal(new Map<number, number>());
  const failure = useSignal("");
  const last = useSignal({ at: 0, used: new Map<number, number>() });
  const due = now.value - last.value.at >= EVERY_MS;
  useEffect(() => {
    if (!due) return;
    const { used, at: before } = last.peek();
    const at = Date.now();
    last.value = { at, used };
    call<{ processes: Process[] }>("GET", of(session, "/processes")).then(
      ({ processes: found }) => {
        processes.value = found;
        const share = ({ pid, cpu_ms }: Process) => (100 * (cpu_ms - (used.get(pid) ?? cpu_ms))) / (at - before);
        shares.value = new Map(found.map((one) => [one.pid, share(one)]));
        last.value = { at, used: new Map(found.map((one) => [one.pid, one.cpu_ms])) };
      },
      (error) => (failure.value = messageOf(error)),
    );
  }, [due]);
  if (failure.value) return <p class="note">{failure.value}</p>;
  if (processes.value === null) return <p class="note">Looking …</p>;
  return processes.value.length ? (
    <ProcessTree processes={processes.value} shares={shares.value} />
  ) : (
    <p class="note">None.</p>
  );
}
