import type { ITheme } from "@xterm/xterm";

/** The colours of terminals and thumbnails. */
export const DARK: ITheme & { ansi: string[] } = themed("#0c0f14", "#d5dbe6", "#6ea2ff", "#2b3d63", [
  "#1c212b",
  "#f2727f",
  "#58c27d",
  "#e5b14c",
  "#6ea2ff",
  "#b59bf5",
  "#4fb8c4",
  "#c5ccd8",
  "#6b7485",
  "#ff8f9a",
  "#7bd89a",
  "#f2c76e",
  "#93bbff",
  "#cbb8ff",
  "#76d3dd",
  "#eef1f6",
]);
export const LIGHT: ITheme & { ansi: string[] } = themed("#fbfcfd", "#24292f", "#1b57c4", "#cfdcf5", [
  "#24292f",
  "#b3213b",
  "#176b35",
  "#815300",
  "#1b57c4",
  "#6d3fc0",
  "#0d6b78",
  "#565f6c",
  "#4d5766",
  "#c9304a",
  "#1d7f41",
  "#976200",
  "#2a67d8",
  "#7d50d0",
  "#127d8b",
  "#171b22",
]);

function themed(background: string, foreground: string, cursor: string, selection: string, ansi: string[]) {
  const [black, red, green, yellow, blue, magenta, cyan, white] = ansi;
  const [brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite] =
    ansi.slice(8);
  return {
    background,
    foreground,
    cursor,
    cursorAccent: background,
    selectionBackground: selection,
    black,
    red,
    green,
    yellow,
    blue,
    magenta,
    cyan,
    white,
    brightBlack,
    brightRed,
    brightGreen,
    brightYellow,
    brightBlue,
    brightMagenta,
    brightCyan,
    brightWhite,
    ansi,
  };
}

const CUBE = [0, 95, 135, 175, 215, 255];
/** One of the 256 colours. */
export function indexed(number: number, theme: { ansi: string[] }): string {
  if (number < 16) return theme.ansi[number]!;
  if (number >= 232)
    return `rgb(${Array(3)
      .fill(8 + 10 * (number - 232))
      .join(" ")})`;
  const at = number - 16;
  return `rgb(${CUBE[Math.floor(at / 36)]} ${CUBE[Math.floor(at / 6) % 6]} ${CUBE[at % 6]})`;
}
