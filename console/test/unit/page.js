// The little of a page that modules touch when they are loaded.
const kept = new Map();
const storage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => kept.set(name, value),
  removeItem: (name) => kept.delete(name),
};
globalThis.localStorage ??= storage;
globalThis.sessionStorage ??= storage;
globalThis.matchMedia ??= () => ({ matches: false, addEventListener: () => undefined });
globalThis.addEventListener ??= () => undefined;
globalThis.document ??= { documentElement: { dataset: {} }, visibilityState: "hidden" };
