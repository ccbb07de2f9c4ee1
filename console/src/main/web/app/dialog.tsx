import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** One dialog at a time. */
const shown = signal<{ render: () => JSX.Element } | null>(null);

export const openDialog = (render: () => JSX.Element) => {
  shown.value = { render };
};
export const closeDialog = () => {
  shown.value = null;
};
export const dialogIsOpen = () => shown.value !== null;

export function DialogPlace() {
  return shown.value === null ? null : <Opened key={shown.value} render={shown.value.render} />;
}

function Opened({ render }: { render: () => JSX.Element }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>("[data-focus]")?.focus();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog
      ref={element}
      aria-label="Dialog"
      onClose={closeDialog}
      onClick={(event) => event.target === element.current && closeDialog()}
      onKeyDown={(event) => event.key === "Escape" && closeDialog()}
    >
      {render()}
    </dialog>
  );
}

/** What a dialog looks like: a title, what it says, and buttons. */
export function Dialog(props: { title: string; children: ComponentChildren; buttons?: ComponentChildren }) {
  return (
    <div class="dialog">
      <h2>{props.title}</h2>
      {props.children}
      {props.buttons && <div class="buttons">{props.buttons}</div>}
    </div>
  );
}

/** Asks yes or no. */
export function confirm(title: string, what: ComponentChildren, yes: string, danger = false): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (given: boolean) => {
      resolve(given);
      closeDialog();
    };
    openDialog(() => (
      <Dialog
        title={title}
        buttons={
          <>
            <button type="button" onClick={() => answer(false)}>
              Cancel
            </button>
            <button type="button" class={danger ? "danger" : "main"} data-focus onClick={() => answer(true)}>
              {yes}
            </button>
          </>
        }
      >
        <div class="said">{what}</div>
      </Dialog>
    ));
  });
}
