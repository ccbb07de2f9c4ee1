import { signal } from "@preact/signals";
import type { Key } from "../server/types.ts";
import type { View } from "./view.ts";

/** The terminals that are on the screen now. */
export const views = new Map<Key, View>();
/** The pane in which somebody looks for text. */
export const finding = signal<Key | null>(null);
