import { line } from "./connection.ts";

const AGAIN_MS = 2000;

/**
 * Asks, and asks again once it is answered: the server answers when something has changed. Only while the page is seen
 * and connected, since each question takes one of the few connections that a browser has for a server. Returns a
 * function that asks anew, soon.
 */
export function follow(ask: (signal: AbortSignal) => Promise<void> | null): (inMs?: number) => void {
  let asking: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (inMs = 0) => {
    clearTimeout(timer);
    timer = setTimeout(look, inMs);
  };
  const look = async () => {
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    if (globalThis.document?.visibilityState === "hidden" || line.peek().at !== "live") return;
    try {
      const answered = ask(mine.signal);
      if (answered === null) return;
      await answered;
      if (asking === mine) soon();
    } catch {
      // Aborted for another question; or the connection is lost, as the bar at the top says.
      if (asking === mine) soon(AGAIN_MS);
    }
  };
  globalThis.document?.addEventListener?.("visibilitychange", () => soon());
  line.subscribe((now) => now.at === "live" && soon());
  return soon;
}
