import { effect, signal } from "@preact/signals";

/** What a person has chosen; kept in this browser, for all its tabs. */
export interface Settings {
  theme: "system" | "dark" | "light";
  fontSize: number;
  optionIsMeta: boolean;
  bell: boolean;
  askBeforePaste: boolean;
  passKeysOn: boolean;
  screenReader: boolean;
  view: "wall" | "table";
}

export const DEFAULTS: Settings = {
  theme: "system",
  fontSize: 13,
  optionIsMeta: false,
  bell: true,
  askBeforePaste: true,
  passKeysOn: false,
  screenReader: false,
  view: "wall",
};
const PLACE = "belay-settings";

export const settings = signal<Settings>(read(localStorage.getItem(PLACE)));

function read(text: string | null): Settings {
  try {
    const kept = JSON.parse(text ?? "{}") as Record<string, unknown>;
    const sound = Object.entries(DEFAULTS).filter(([name, value]) => typeof kept[name] === typeof value);
    return { ...DEFAULTS, ...Object.fromEntries(sound.map(([name]) => [name, kept[name]])) };
  } catch {
    return DEFAULTS;
  }
}

export function change(by: Partial<Settings>) {
  settings.value = { ...settings.value, ...by };
  localStorage.setItem(PLACE, JSON.stringify(settings.value));
}

export const resizeText = (step: number) =>
  change({ fontSize: Math.min(24, Math.max(8, settings.value.fontSize + step)) });

addEventListener("storage", (event) => {
  if (event.key === PLACE) settings.value = read(event.newValue);
});

const light = matchMedia("(prefers-color-scheme: light)");
export const isLight = signal(light.matches);
const choose = () => {
  const theme = settings.value.theme;
  isLight.value = theme === "system" ? light.matches : theme === "light";
  document.documentElement.dataset.theme = isLight.value ? "light" : "dark";
};
light.addEventListener("change", choose);
effect(choose);
