/** Text that can be read on its ground, as xterm.js draws it with `minimumContrastRatio`. */
export const LEAST_CONTRAST = 4.5;
const STEPS = 10;

type Rgb = [number, number, number];

function parse(colour: string): Rgb | null {
  const hex = /^#(?:([\da-f]{2})([\da-f]{2})([\da-f]{2})|([\da-f])([\da-f])([\da-f]))$/i.exec(colour);
  if (hex)
    return (hex[1] ? hex.slice(1, 4) : hex.slice(4).map((one) => one + one)).map((one) => parseInt(one, 16)) as Rgb;
  const parts = /^rgb\((\d+) (\d+) (\d+)\)$/.exec(colour);
  return parts && (parts.slice(1).map(Number) as Rgb);
}

/** Relative luminance, as WCAG defines it. */
function luminance(rgb: Rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: string, other: string): number | null {
  const [first, second] = [parse(one), parse(other)];
  return first && second && ratio(first, second);
}

function ratio(one: Rgb, other: Rgb) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const known = new Map<string, string>();
const MOST_KNOWN = 4096;

/** The colour of a text, moved to black or white as far as its ground makes necessary. */
export function legible(text: string, ground: string): string {
  const key = `${text} ${ground}`;
  let colour = known.get(key);
  if (colour === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, (colour = moved(text, ground)));
  }
  return colour;
}

function moved(text: string, ground: string): string {
  const [front, back] = [parse(text), parse(ground)];
  if (!front || !back || ratio(front, back) >= LEAST_CONTRAST) return text;
  const end = luminance(back) > 0.18 ? 0 : 255;
  for (let step = 1; step < STEPS; step++) {
    const next = front.map((value) => Math.round(value + ((end - value) * step) / STEPS)) as Rgb;
    if (ratio(next, back) >= LEAST_CONTRAST) return `rgb(${next.join(" ")})`;
  }
  return `rgb(${end} ${end} ${end})`;
}
