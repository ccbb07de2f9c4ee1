import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";

/** A component whose code is fetched when it is first shown. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>) {
  const loaded = signal<ComponentType<P> | null>(null);
  let begun = false;
  return function Lazy(props: P): JSX.Element | null {
    if (!begun) {
      begun = true;
      load().then((component) => {
        loaded.value = component;
      });
    }
    const Component = loaded.value;
    return Component ? <Component {...props} /> : null;
  };
}
