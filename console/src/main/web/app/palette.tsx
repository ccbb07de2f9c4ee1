import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { actions, type Choice } from "./actions.ts";

/** Every session and action by name. */
export const paletteIsOpen = signal(false);

/** How well a text fits: all letters in order; better if together or at the start of words. */
export function score(text: string, wanted: string): number {
  const lower = text.toLowerCase();
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  let sum = 1;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at >= 0) sum += at === 0 || /\W/.test(lower[at - 1]!) ? 20 : 10;
    else {
      let from = 0;
      for (const letter of word) {
        from = lower.indexOf(letter, from) + 1;
        if (from === 0) return 0;
      }
      sum += 1;
    }
  }
  return sum;
}

export function Palette() {
  return paletteIsOpen.value ? <Opened /> : null;
}

function Opened() {
  const element = useRef<HTMLDialogElement>(null);
  const text = useSignal("");
  const at = useSignal(0);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>("[data-focus]")?.focus();
    return () => before?.isConnected && before.focus();
  }, []);
  const fitting = actions()
    .map((choice) => ({ choice, fit: score(`${choice.says} ${choice.more ?? ""}`, text.value) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .slice(0, 12)
    .map(({ choice }) => choice);
  const close = () => {
    paletteIsOpen.value = false;
  };
  const run = (choice: Choice | undefined) => {
    close();
    if (choice) setTimeout(choice.does); // after the focus is back where it was
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      at.value = (at.value + step + fitting.length) % Math.max(1, fitting.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(fitting[at.value]);
    }
  };
  return (
    <dialog
      ref={element}
      class="palette"
      aria-label="Palette"
      onClose={close}
      onClick={(event) => event.target === element.current && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={fitting.length ? `choice-${at.value}` : undefined}
        aria-label="Search or run"
        placeholder="Search or run"
        data-focus
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={press}
      />
      <div id="choices" role="listbox" aria-label="Sessions and actions">
        {fitting.map((choice, number) => (
          <div
            key={choice.says + (choice.more ?? "")}
            id={`choice-${number}`}
            role="option"
            tabIndex={-1}
            aria-selected={number === at.value}
            onClick={() => run(choice)}
            onKeyDown={press}
            onPointerMove={() => (at.value = number)}
          >
            <span class={choice.isSession ? "mono" : undefined}>{choice.says}</span>
            {choice.more && <span class="note">{choice.more}</span>}
            {choice.keys && <kbd>{choice.keys}</kbd>}
          </div>
        ))}
      </div>
      {fitting.length === 0 && <p class="none">Nothing matches.</p>}
    </dialog>
  );
}
