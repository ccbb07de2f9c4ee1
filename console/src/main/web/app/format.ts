import { signal } from "@preact/signals";

/** The time, once a second while the page is seen. */
export const now = signal(Date.now());
const ticking: unknown = setInterval(() => {
  if (globalThis.document?.visibilityState !== "hidden") now.value = Date.now();
}, 1000);
// Where tests run, a timer would keep the process from ending.
(ticking as { unref?: () => void }).unref?.();

const STEPS: [number, string][] = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];

export function bytes(count: number): string {
  for (const [size, unit] of STEPS) {
    if (count >= size) return `${count / size < 10 ? (count / size).toFixed(1) : Math.round(count / size)} ${unit}`;
  }
  return `${count} B`;
}

export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = minutes / 60;
  if (hours < 48) return `${hours < 10 ? hours.toFixed(1) : Math.round(hours)} h`;
  return `${Math.floor(hours / 24)} days`;
}

/** A short time with its tenths: how long a command took. */
export const duration = (ms: number) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : span(ms));

export const since = (time: string) => now.value - Date.parse(time);
export const clock = (time: string) => new Date(time).toLocaleTimeString([], { hour12: false });
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
