import { useSignal } from "@preact/signals";
import type { View } from "./view.ts";

const KEYS: [label: string, name: string, bytes: string][] = [
  ["Esc", "Esc", "\x1b"],
  ["Tab", "Tab", "\t"],
  ["←", "Left", "\x1b[D"],
  ["↓", "Down", "\x1b[B"],
  ["↑", "Up", "\x1b[A"],
  ["→", "Right", "\x1b[C"],
  ["|", "Pipe", "|"],
  ["~", "Tilde", "~"],
  ["/", "Slash", "/"],
];

/** The keys that on-screen keyboards lack. Ctrl holds for the next letter. */
export function PhoneKeys({ view }: { view: View }) {
  const ctrl = useSignal(false);
  const press = (bytes: string) => {
    const cursor = view.xterm.modes.applicationCursorKeysMode && bytes.startsWith("\x1b[");
    view.xterm.input(cursor ? bytes.replace("[", "O") : bytes, true);
    view.focus();
  };
  const hold = () => {
    ctrl.value = true;
    const next = view.xterm.textarea;
    next?.addEventListener(
      "beforeinput",
      (event) => {
        ctrl.value = false;
        const letter = (event as InputEvent).data?.toLowerCase() ?? "";
        if (/^[a-z@[\\\]^_]$/.test(letter)) {
          event.preventDefault();
          press(String.fromCharCode(letter.charCodeAt(0) & 31));
        }
      },
      { once: true },
    );
    view.focus();
  };
  return (
    <div class="phone-keys" role="toolbar" aria-label="Keys">
      <button type="button" aria-pressed={ctrl.value} onClick={hold}>
        Ctrl
      </button>
      {KEYS.map(([label, name, bytes]) => (
        <button key={label} type="button" aria-label={name} onClick={() => press(bytes)}>
          {label}
        </button>
      ))}
    </div>
  );
}
