import { closeDialog, Dialog, openDialog } from "./dialog.tsx";
import { change, type Settings, settings } from "./settings.ts";

const SWITCHES: [
  keyof Settings & ("optionIsMeta" | "bell" | "askBeforePaste" | "passKeysOn" | "screenReader"),
  string,
][] = [
  ["askBeforePaste", "Ask before pasting several lines"],
  ["bell", "Show a badge when a terminal rings"],
  ["optionIsMeta", "Option is Meta (Mac)"],
  ["passKeysOn", "Pass the console’s keys on to programs, except Ctrl ⇧ K"],
  ["screenReader", "Screen reader mode in terminals"],
];

/** What a person can choose; it stays in this browser. */
export const openPreferences = () => openDialog(() => <Preferences />);

const Preferences = () => (
  <Dialog
    title="Settings"
    buttons={
      <button type="button" class="main" onClick={closeDialog}>
        Done
      </button>
    }
  >
    <label>
      Theme
      <select
        value={settings.value.theme}
        onChange={(event) => change({ theme: event.currentTarget.value as Settings["theme"] })}
      >
        <option value="system">Same as the system</option>
        <option value="dark">Dark</option>
        <option value="light">Light</option>
      </select>
    </label>
    <label>
      Text size in terminals
      <input
        type="number"
        min={8}
        max={24}
        value={settings.value.fontSize}
        onChange={(event) => {
          const size = event.currentTarget.valueAsNumber;
          if (size >= 8 && size <= 24) change({ fontSize: size });
        }}
      />
    </label>
    {SWITCHES.map(([name, says]) => (
      <label key={name} class="check">
        <input
          type="checkbox"
          checked={settings.value[name]}
          onChange={(event) => change({ [name]: event.currentTarget.checked })}
        />
        {says}
      </label>
    ))}
    <p class="note">These settings are stored in this browser.</p>
  </Dialog>
);
