import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Close } from "../icons.tsx";
import type { View } from "./view.ts";

const MARKS = {
  matchBackground: "#5b4a1f",
  matchOverviewRuler: "#e5b14c",
  activeMatchBackground: "#8a6a1c",
  activeMatchColorOverviewRuler: "#e5b14c",
};

/** Finds text in what the terminal holds. */
export function Find({ view, close }: { view: View; close: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const found = useSignal({ resultIndex: -1, resultCount: 0 });
  const exact = useSignal(false);
  // Before the next key, which would go to the terminal otherwise.
  useLayoutEffect(() => {
    input.current?.focus();
    const off = view.onFound((now) => (found.value = now));
    return () => {
      off();
      view.stopFinding();
    };
  }, []);
  const find = (back: boolean, incremental: boolean) => {
    const text = input.current?.value ?? "";
    if (text === "") return view.stopFinding();
    view.find(text, back, { caseSensitive: exact.value, incremental, decorations: MARKS });
  };
  const count = found.value.resultCount;
  return (
    <search class="find">
      <input
        ref={input}
        type="text"
        aria-label="Find in the terminal"
        placeholder="Find"
        onInput={() => find(false, true)}
        onKeyDown={(event) => {
          if (event.key === "Enter") find(!event.shiftKey, false);
          else if (event.key === "Escape") close();
        }}
      />
      <span class="note" aria-live="polite">
        {count ? `${found.value.resultIndex + 1} of ${count}` : input.current?.value ? "none" : ""}
      </span>
      <button
        type="button"
        aria-pressed={exact.value}
        title="Match case"
        onClick={() => {
          exact.value = !exact.value;
          find(false, true);
        }}
      >
        Aa
      </button>
      <button type="button" class="quiet" aria-label="Close" onClick={close}>
        <Close />
      </button>
    </search>
  );
}
