const LEAST = 60;

/** A line of which little is known yet stands at its first value before. */
export const padded = (values: readonly number[]) =>
  values.length >= LEAST ? values : [...Array<number>(LEAST - values.length).fill(values[0] ?? 0), ...values];

/** A small line over the last minutes. Its scale is its own. */
export function points(values: readonly number[], width: number, height: number): string {
  const most = Math.max(1e-9, ...values) * 1.2;
  const step = width / Math.max(1, values.length - 1);
  return values
    .map((value, at) => `${(at * step).toFixed(1)},${(height - (value / most) * height).toFixed(1)}`)
    .join(" ");
}

export function Sparkline({ values, kind }: { values: readonly number[]; kind: string }) {
  const line = points(padded(values), 96, 24);
  return (
    <svg class={`sparkline ${kind}`} viewBox="0 -1 96 26" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,25 ${line} 96,25`} />
      <polyline points={line} />
    </svg>
  );
}
