import { signal } from "@preact/signals";
import { type Belay, type BelayError, connect } from "belay-client";
import { messageOf, tokenOfTab } from "./api.ts";
import { leave } from "./sign-in.ts";

/** The page's one connection to the server. */
export type Line = { at: "connecting" } | { at: "live" } | { at: "offline"; since: number };

export const line = signal<Line>({ at: "connecting" });
/** When the next attempt to connect begins. */
export const nextTry = signal(0);
let belay: Promise<Belay> | null = null;

/** Resolves once the server has accepted this tab. */
export function connection(): Promise<Belay> {
  belay ??= open();
  return belay;
}

async function open(): Promise<Belay> {
  try {
    const made = await connect(location.origin, {
      token: () => tokenOfTab() ?? "",
      transports: ["websocket"],
      reconnectionDelay: 500,
      reconnectionDelayMax: 3000,
      randomizationFactor: 0,
      timeout: 8000,
    });
    made.on("connect", () => {
      line.value = { at: "live" };
    });
    made.on("disconnect", () => {
      if (line.value.at === "live") line.value = { at: "offline", since: Date.now() };
    });
    made.on("retry", ({ inMs }) => (nextTry.value = Date.now() + inMs));
    made.on("end", ended);
    line.value = { at: "live" };
    return made;
  } catch (error) {
    ended(error as BelayError);
    throw error;
  }
}

function ended(error: BelayError) {
  if (belay === null) return; // it was closed here
  belay = null;
  line.value = { at: "connecting" };
  if (error.code === "UNAUTHENTICATED") leave(`You are signed out: ${messageOf(error)}`, true);
  else leave(messageOf(error), true);
}

export function disconnect() {
  const closed = belay;
  belay = null;
  line.value = { at: "connecting" };
  closed?.then(
    (made) => made.close(),
    () => undefined, // it was never made
  );
}
