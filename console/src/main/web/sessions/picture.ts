import type { Row, Span, Thumbnail } from "belay-client";
import { indexed } from "../terminal/colours.ts";
import { legible } from "../terminal/contrast.ts";

/** The picture of a terminal that a thumbnail shows: which rows, and how they are drawn. */
export interface Picture {
  cols: number;
  rows: Row[];
  alternate: boolean;
  cursor: Thumbnail["cursor"];
}

/** Puts the changed rows to those that are known by their number; a row that nobody told of is blank. */
export function merge(before: Picture | undefined, told: Thumbnail): Picture {
  const known = new Map<number, Row>(before?.rows.map((row) => [row.number, row]));
  for (const row of told.lines) known.set(row.number, row);
  const rows = told.numbers.map((number, row) => known.get(number) ?? { row, number, text: "", spans: [] });
  return { cols: told.cols, rows, alternate: told.alternate, cursor: told.cursor };
}

const MOST_ROWS = 14;

/** Full-screen programs are shown whole; of others the last rows that have something in them. */
export function excerpt({ rows, alternate, cursor }: Picture): { rows: Row[]; first: number } {
  if (alternate) return { rows, first: 0 };
  const used = rows.findLastIndex((row) => row.text.trim() !== "");
  const end = Math.max(used, Math.min(cursor.row, rows.length - 1)) + 1;
  const first = Math.max(0, end - MOST_ROWS);
  return { rows: rows.slice(first, end), first };
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
const ASCII = /^[\x20-\x7e]*$/;

const widthOf = (char: string) => (NO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1);
const columnsOf = (text: string) =>
  ASCII.test(text) ? text.length : [...text].reduce((sum, char) => sum + widthOf(char), 0);

export interface Run {
  column: number;
  width: number;
  text: string;
  style: Span | null;
}

/** A row in parts of one style each, with the columns that they take. */
export function runs(row: Row): Run[] {
  const parts: Run[] = [];
  let column = 0;
  const add = (from: number, to: number, style: Span | null) => {
    if (to <= from) return;
    const text = row.text.slice(from, to);
    const width = columnsOf(text);
    parts.push({ column, width, text, style });
    column += width;
  };
  let at = 0;
  for (const span of row.spans) {
    add(at, span.from, null);
    add(Math.max(at, span.from), span.to, span);
    at = Math.max(at, span.to);
  }
  add(at, row.text.length, null);
  return parts;
}

interface Theme {
  background?: string;
  foreground?: string;
  cursor?: string;
  ansi: string[];
}

const colour = (value: number | string | undefined, otherwise: string, theme: Theme) =>
  value === undefined ? otherwise : typeof value === "number" ? indexed(value, theme) : value;

/** Text and ground of a run. */
export function coloursOf(style: Span | null, theme: Theme): { text: string; ground: string | null } {
  const plain = theme.foreground ?? "#fff";
  const ground = theme.background ?? "#000";
  if (!style) return { text: plain, ground: null };
  const front = colour(style.foreground, plain, theme);
  const back = colour(style.background, ground, theme);
  if (style.inverse) return { text: back, ground: front };
  return { text: front, ground: style.background === undefined ? null : back };
}

/** Width and height of a character of JetBrains Mono, in parts of its size. */
const WIDTH = 0.6;
const HEIGHT = 1.28;
const SMALLEST = 5.5;
const LARGEST = 7.6;

/** The size of the text: full-screen programs fit whole; the lines of others stay legible, and long ones are cut. */
export function sizeOf(picture: Picture, width: number, height: number): number {
  const wide = width / (picture.cols * WIDTH);
  if (picture.alternate) return Math.min(LARGEST, wide, height / (picture.rows.length * HEIGHT));
  return Math.min(LARGEST, height / (MOST_ROWS * HEIGHT), Math.max(SMALLEST, wide));
}

/** Draws a picture in CSS pixels; the canvas has `ratio` times as many of its own. */
export function draw(canvas: HTMLCanvasElement, picture: Picture, theme: Theme, box: Box) {
  const { width, height, ratio } = box;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const brush = canvas.getContext("2d");
  if (!brush) return;
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  brush.clearRect(0, 0, width, height);
  const size = sizeOf(picture, width, height);
  const [step, line] = [size * WIDTH, size * HEIGHT];
  const { rows, first } = excerpt(picture);
  const fontOf = (bold?: boolean) => `${bold ? "700 " : ""}${size}px "JetBrains Mono Variable", monospace`;
  let font = "";
  brush.textBaseline = "middle";
  rows.forEach((row, at) => {
    const top = at * line;
    for (const { column, width: columns, text, style } of runs(row)) {
      const left = column * step;
      if (left > width) break;
      const { text: front, ground } = coloursOf(style, theme);
      if (ground) {
        brush.fillStyle = ground;
        brush.fillRect(left, top, columns * step, line);
      }
      if (style?.invisible || text.trim() === "") continue;
      const wanted = fontOf(style?.bold);
      if (wanted !== font) brush.font = font = wanted;
      brush.fillStyle = legible(front, ground ?? theme.background ?? "#000");
      brush.globalAlpha = style?.dim ? 0.6 : 1;
      if (ASCII.test(text)) brush.fillText(text, left, top + line / 2);
      else oneByOne(brush, text, left, top + line / 2, step);
      brush.globalAlpha = 1;
    }
  });
  const { cursor } = picture;
  if (cursor.visible && cursor.row >= first && cursor.row < first + rows.length) {
    brush.fillStyle = theme.cursor ?? "#fff";
    brush.globalAlpha = 0.7;
    brush.fillRect(cursor.column * step, (cursor.row - first) * line, step, line);
    brush.globalAlpha = 1;
  }
}

export interface Box {
  width: number;
  height: number;
  ratio: number;
}

/** Characters that the font may lack have widths of their own; each gets the columns that are its own. */
function oneByOne(brush: CanvasRenderingContext2D, text: string, left: number, middle: number, step: number) {
  let x = left;
  for (const char of text) {
    if (char !== " ") brush.fillText(char, x, middle);
    x += widthOf(char) * step;
  }
}
