import { signal } from "@preact/signals";
import { call, forgetToken, keepToken, messageOf, Refused, tokenOfTab } from "./api.ts";
import type { Me } from "./types.ts";

/** How this browser tab gets its token: by a link's ticket, by a pasted token, or from a tab that is signed in. */
export type Stage = { at: "starting" } | { at: "in" } | { at: "out"; reason: string; expired: boolean };

export const stage = signal<Stage>({ at: "starting" });

const ME = "belay-me";
/** Who signed in in this tab, as the server said then. */
export const signedIn = () => JSON.parse(sessionStorage.getItem(ME) ?? "null") as Me | null;

const SIBLINGS_MS = 600;
const CHANNEL = "belay";
type Message = { ask: string } | { to: string; ticket: string } | { left: true };

export async function signIn() {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => heard(channel, data as Message);
  const parameters = new URLSearchParams(location.hash.slice(1));
  const ticket = parameters.get("ticket");
  if (ticket) {
    history.replaceState(null, "", "/#/");
    try {
      return await byTicket(ticket);
    } catch (error) {
      if (tokenOfTab()) return enter(); // an old link in a tab that is signed in
      return leave(messageOf(error), true);
    }
  }
  if (tokenOfTab()) return enter();
  const given = await fromSibling();
  try {
    if (given) return await byTicket(given);
  } catch (error) {
    return leave(messageOf(error), true);
  }
  leave("", false);
}

async function byTicket(ticket: string) {
  const { token, principal } = await call<{ token: string; principal: Me }>(
    "POST",
    "/api/login",
    { ticket },
    { token: "" },
  );
  keepToken(token);
  sessionStorage.setItem(ME, JSON.stringify(principal));
  enter();
}

/** Swaps a pasted token for one of this tab, and forgets it. Rejects with the server's refusal. */
export async function byToken(token: string) {
  const { ticket } = await call<{ ticket: string }>("POST", "/api/tickets", {}, { token });
  await byTicket(ticket);
}

function enter() {
  stage.value = { at: "in" };
}

/** Shows the sign-in page. `expired`: somebody was, or wanted to be, signed in. */
export function leave(reason: string, expired: boolean) {
  forgetToken();
  stage.value = { at: "out", reason, expired };
}

export async function signOut() {
  try {
    await call("DELETE", "/api/login");
  } catch (error) {
    if (!(error instanceof Refused) || (error.status !== 404 && error.status !== 405 && error.status !== 401))
      throw error;
  }
  leave("You have signed out of this browser tab.", true);
}

function fromSibling(): Promise<string | null> {
  const me = crypto.randomUUID?.() ?? String(Math.random());
  return new Promise((resolve) => {
    const asked = new BroadcastChannel(CHANNEL);
    const done = (ticket: string | null) => {
      asked.close();
      resolve(ticket);
    };
    asked.onmessage = ({ data }: { data: Message }) => "to" in data && data.to === me && done(data.ticket);
    asked.postMessage({ ask: me });
    setTimeout(done, SIBLINGS_MS, null);
  });
}

async function heard(channel: BroadcastChannel, message: Message) {
  if (!("ask" in message) || stage.value.at !== "in") return;
  try {
    const { ticket } = await call<{ ticket: string }>("POST", "/api/tickets", {});
    channel.postMessage({ to: message.ask, ticket });
  } catch {
    // The other tab asks its user instead.
  }
}
