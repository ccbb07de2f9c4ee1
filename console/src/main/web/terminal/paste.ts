/** What may be pasted: no control characters but tab and line ends, so that a page cannot smuggle in keys. */
export const cleaned = (text: string) => text.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");

/** Several lines would run as commands at once, unless the program takes a paste as one. */
export const needsAsking = (text: string, bracketed: boolean) => !bracketed && /\n./s.test(text.trimStart());

/** A few lines of it, to show before. */
export function preview(text: string, most = 8): string {
  const lines = text.split("\n");
  const shown = lines.slice(0, most).map((line) => (line.length > 100 ? `${line.slice(0, 100)}…` : line));
  return lines.length > most ? [...shown, `… and ${lines.length - most} more lines`].join("\n") : shown.join("\n");
}
