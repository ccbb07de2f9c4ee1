import { signal } from "@preact/signals";
import { Close } from "../icons.tsx";
import { messageOf } from "../server/api.ts";

/** Short messages at the bottom of the page, and what a screen reader is told. */
interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

const toasts = signal<Toast[]>([]);
const spoken = signal("");
let next = 1;

export function say(text: string, bad = false) {
  const toast = { id: next++, text, bad };
  toasts.value = [...toasts.value.slice(-3), toast];
  setTimeout(() => dismiss(toast.id), bad ? 12_000 : 5_000);
}

/** Shows what went wrong, in the server's own words. */
export const fail = (error: unknown) => say(messageOf(error), true);

/** Only for screen readers: who waits, what ended, who has the keyboard. */
export const announce = (text: string) => {
  spoken.value = text;
};

const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

export const Toasts = () => (
  <>
    <div class="toasts" role="status">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={toast.bad ? "toast bad" : "toast"}>
          <span>{toast.text}</span>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
            <Close />
          </button>
        </div>
      ))}
    </div>
    <div class="unseen" role="status" aria-live="polite">
      {spoken.value}
    </div>
  </>
);
