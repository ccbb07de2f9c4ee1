import type { Terminal } from "@xterm/xterm";

const MAX_BYTES = 1 << 20;

/** The text that a program wants in the clipboard (OSC 52); null if it asks to read it, or the request is broken. */
export function wanted(data: string): string | null {
  const at = data.indexOf(";");
  const encoded = data.slice(at + 1);
  if (at < 0 || encoded === "?" || encoded.length > MAX_BYTES) return null;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** Programs never read the clipboard; they write it only where a person has allowed it for the session. */
export function offerClipboard(xterm: Terminal, isAllowed: () => boolean, ask: (text: string) => void) {
  return xterm.parser.registerOscHandler(52, (data) => {
    const text = wanted(data);
    if (text !== null) {
      if (isAllowed()) navigator.clipboard.writeText(text).catch(() => ask(text));
      else ask(text);
    }
    return true;
  });
}
