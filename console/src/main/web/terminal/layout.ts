import type { Key } from "../server/types.ts";

/** Tabs and the panes in them. Nothing here is changed in place, and nothing here knows the page. */
export type Part = Key | Split;
export interface Split {
  way: "right" | "down";
  first: Part;
  second: Part;
}
export interface Tab {
  id: number;
  root: Part;
  focus: Key;
  zoomed: boolean;
}
/** `active`: the id of a tab, or 0 for the list of sessions. */
export interface Layout {
  tabs: readonly Tab[];
  active: number;
  next: number;
}

export const EMPTY: Layout = { tabs: [], active: 0, next: 1 };
export const MAX_PANES = 4;

export const panes = (part: Part): Key[] =>
  typeof part === "string" ? [part] : [...panes(part.first), ...panes(part.second)];

export const activeTab = (layout: Layout) => layout.tabs.find((tab) => tab.id === layout.active);
export const tabWith = (layout: Layout, key: Key) => layout.tabs.find((tab) => panes(tab.root).includes(key));

/** Shows a session: where it is open already, else in a tab of its own. */
export function open(layout: Layout, key: Key): Layout {
  const there = tabWith(layout, key);
  if (there) {
    const tabs = layout.tabs.map((tab) => (tab === there ? { ...tab, focus: key } : tab));
    return { ...layout, tabs, active: there.id };
  }
  const tab: Tab = { id: layout.next, root: key, focus: key, zoomed: false };
  return { tabs: [...layout.tabs, tab], active: tab.id, next: layout.next + 1 };
}

/** Puts a session beside the pane that has the focus. Refused (the same layout) if the tab is full. */
export function split(layout: Layout, key: Key, way: Split["way"]): Layout {
  const tab = activeTab(layout);
  if (!tab || panes(tab.root).length >= MAX_PANES || tabWith(layout, key)) return layout;
  const root = replace(tab.root, tab.focus, { way, first: tab.focus, second: key });
  return change(layout, tab, { root, focus: key, zoomed: false });
}

/** Takes a pane away; a tab goes with its last one. */
export function close(layout: Layout, key: Key): Layout {
  const tab = tabWith(layout, key);
  if (!tab) return layout;
  const root = without(tab.root, key);
  if (root === null) return closeTab(layout, tab.id);
  const focus = tab.focus === key ? panes(root)[0]! : tab.focus;
  return change(layout, tab, { root, focus, zoomed: false });
}

export function closeTab(layout: Layout, id: number): Layout {
  const at = layout.tabs.findIndex((tab) => tab.id === id);
  if (at < 0) return layout;
  const tabs = layout.tabs.filter((tab) => tab.id !== id);
  const active = layout.active === id ? (tabs[Math.max(0, at - 1)]?.id ?? 0) : layout.active;
  return { ...layout, tabs, active };
}

export function focus(layout: Layout, key: Key): Layout {
  const tab = tabWith(layout, key);
  return !tab || tab.focus === key ? layout : change(layout, tab, { focus: key });
}

export function nextPane(layout: Layout): Layout {
  const tab = activeTab(layout);
  if (!tab) return layout;
  const all = panes(tab.root);
  return change(layout, tab, { focus: all[(all.indexOf(tab.focus) + 1) % all.length]! });
}

export function zoom(layout: Layout): Layout {
  const tab = activeTab(layout);
  return !tab || panes(tab.root).length === 1 ? layout : change(layout, tab, { zoomed: !tab.zoomed });
}

/** The tab before or after this one; the list of sessions is the first. */
export function nextTab(layout: Layout, step: 1 | -1): Layout {
  const ids = [0, ...layout.tabs.map((tab) => tab.id)];
  const at = ids.indexOf(layout.active);
  return { ...layout, active: ids[(at + step + ids.length) % ids.length]! };
}

/** What was kept by the browser, if it still makes sense. */
export function parse(text: string | null): Layout {
  try {
    const kept = JSON.parse(text ?? "") as Layout;
    const keys = kept.tabs.flatMap((tab) => panes(tab.root));
    const sound =
      new Set(keys).size === keys.length &&
      keys.every((key) => typeof key === "string" && key.includes("/")) &&
      kept.tabs.every((tab) => panes(tab.root).includes(tab.focus) && tab.id < kept.next);
    return sound && (kept.active === 0 || activeTab(kept)) ? kept : EMPTY;
  } catch {
    return EMPTY;
  }
}

function change(layout: Layout, tab: Tab, by: Partial<Tab>): Layout {
  return { ...layout, tabs: layout.tabs.map((one) => (one.id === tab.id ? { ...one, ...by } : one)) };
}

function replace(part: Part, key: Key, by: Part): Part {
  if (typeof part === "string") return part === key ? by : part;
  return { ...part, first: replace(part.first, key, by), second: replace(part.second, key, by) };
}

function without(part: Part, key: Key): Part | null {
  if (typeof part === "string") return part === key ? null : part;
  const first = without(part.first, key);
  const second = without(part.second, key);
  return first === null ? second : second === null ? first : { ...part, first, second };
}
