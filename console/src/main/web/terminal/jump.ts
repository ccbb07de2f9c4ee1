import { call, of } from "../server/api.ts";
import type { Command, Session } from "../server/types.ts";
import type { View } from "./view.ts";

interface Seen {
  cursor: { row: number };
  lines: { row: number; number: number; text: string }[];
}

const ABOVE = 2;

/** Scrolls to where a command's output begins. False: that is not in this terminal, or a full-screen program hides it. */
export async function jumpTo(view: View, session: Session, command: Command): Promise<boolean> {
  const at = (offset: number) => call<Seen>("GET", of(session, "/screen", { at: String(offset) }));
  const [then, now] = await Promise.all([at(command.start), at(view.offset)]);
  const buffer = view.xterm.buffer.active;
  const top = now.lines.find((line) => line.row === 0);
  const begins = then.lines.find((line) => line.row === then.cursor.row);
  if (buffer.type !== "normal" || !top || !begins) return false;
  const above = then.lines.find((line) => line.row === then.cursor.row - 1)?.text ?? "";
  const text = (row: number) => buffer.getLine(row)?.translateToString(true);
  const row = nearest(text, buffer.length, above, buffer.baseY + begins.number - top.number - 1) + 1;
  if (row < 0 || row >= buffer.length) return false;
  view.xterm.scrollToLine(Math.max(0, row - ABOVE));
  view.xterm.selectLines(row, row);
  return true;
}

/** The row with a text that is nearest to where it should be: another width moves rows. The place itself if none has it. */
export function nearest(text: (row: number) => string | undefined, count: number, wanted: string, place: number) {
  if (wanted === "") return place;
  for (let far = 0; far < count; far++) {
    if (text(place - far) === wanted) return place - far;
    if (text(place + far) === wanted) return place + far;
  }
  return place;
}
