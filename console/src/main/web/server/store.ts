import { batch, type Signal, signal } from "@preact/signals";
import { type Key, keyOf, type Session } from "./types.ts";

/** A session, or only those of its facts that change with each byte. */
export type Told = Partial<Session> & { id: string; owner: string };

/** What changed: `all` replaces everything that was known before. */
export interface Changes {
  all?: boolean;
  sessions?: Told[];
  gone?: { id: string; owner: string }[];
}

/** The sessions that the feed tells of: one signal each, so a change redraws one row, and one for the list itself. */
export class Store {
  readonly keys = signal<readonly Key[]>([]);
  #sessions = new Map<Key, Signal<Session>>();

  /** A session. A component that asks for an unknown one is drawn again when it comes. */
  get(key: Key): Signal<Session> | undefined {
    const known = this.#sessions.get(key);
    if (!known) this.keys.value;
    return known;
  }

  all(): Session[] {
    return [...this.#sessions.values()].map((session) => session.value);
  }

  /** Those that are gone go first: another may have the same id by now. */
  apply({ all, sessions = [], gone = [] }: Changes) {
    batch(() => {
      let changed = false;
      const named = new Set(sessions.map(keyOf));
      for (const one of gone) changed = this.#sessions.delete(keyOf(one)) || changed;
      if (all) {
        for (const key of [...this.#sessions.keys()])
          if (!named.has(key)) changed = this.#sessions.delete(key) || changed;
      }
      for (const told of sessions) {
        const known = this.#sessions.get(keyOf(told));
        if (known) known.value = { ...known.peek(), ...told };
        else if (isWhole(told)) {
          this.#sessions.set(keyOf(told), signal(told));
          changed = true;
        }
      }
      if (changed) this.keys.value = [...this.#sessions.keys()].sort();
    });
  }
}

/** Counters alone make no session: they belong to one that has just gone. */
const isWhole = (told: Told): told is Session => told.state !== undefined;
