import type { ILink, Terminal } from "@xterm/xterm";

/** Links in terminals: http and https only, opened by Ctrl-click (Cmd-click), without an opener. */
const URL_TEXT = /https?:\/\/[^\s"'<>`{}|\\^\u0000-\u001f]+/g;

export function isOpenable(target: string): boolean {
  try {
    const url = new URL(target);
    return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "";
  } catch {
    return false;
  }
}

/** Addresses in a line of text: where each begins, and its text without the punctuation that ends a sentence. */
export function addresses(text: string): { at: number; target: string }[] {
  return [...text.matchAll(URL_TEXT)]
    .map((found) => ({ at: found.index, target: found[0].replace(/[.,;:!?)\]]+$/, "") }))
    .filter(({ target }) => isOpenable(target));
}

export function follow(event: MouseEvent, target: string) {
  if ((event.ctrlKey || event.metaKey) && isOpenable(target)) window.open(target, "_blank", "noopener,noreferrer");
}

/** Finds addresses in the rows of a terminal; `hover` hears of the one under the pointer. */
export function offerLinks(xterm: Terminal, hover: (target: string | null) => void) {
  return xterm.registerLinkProvider({
    provideLinks(row, give) {
      const line = xterm.buffer.active.getLine(row - 1);
      const text = line?.translateToString(true) ?? "";
      const links = addresses(text).map(
        ({ at, target }): ILink => ({
          text: target,
          range: { start: { x: at + 1, y: row }, end: { x: at + target.length, y: row } },
          activate: follow,
          hover: () => hover(target),
          leave: () => hover(null),
        }),
      );
      give(links.length ? links : undefined);
    },
  });
}
