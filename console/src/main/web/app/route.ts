import { computed, effect, signal } from "@preact/signals";
import { me } from "../server/feed.ts";
import { idOf, type Key, ownerOf } from "../server/types.ts";
import * as Layouts from "../terminal/layout.ts";

/** What the window shows: the tabs, which one is active, and the pages that are no tab. */
const PLACE = "belay-layout";

export const layout = signal<Layouts.Layout>(Layouts.parse(sessionStorage.getItem(PLACE)));
/** A page in place of the list of sessions. */
export const page = signal<"sessions" | "activity" | "help">("sessions");
export const details = signal(sessionStorage.getItem("belay-details") === "yes");

export const focused = computed(() => Layouts.activeTab(layout.value)?.focus);

effect(() => sessionStorage.setItem(PLACE, JSON.stringify(layout.value)));
effect(() => sessionStorage.setItem("belay-details", details.value ? "yes" : "no"));

export const show = (key: Key) => {
  layout.value = Layouts.open(layout.value, key);
};
export const home = (which: typeof page.value = "sessions") => {
  page.value = which;
  layout.value = { ...layout.value, active: 0 };
};
export const change = (how: (now: Layouts.Layout) => Layouts.Layout) => {
  layout.value = how(layout.value);
};

/** The address of a session's tab. The owner is named if it is somebody else. */
export const addressOf = (key: Key) =>
  `#/s/${idOf(key)}${ownerOf(key) === me.value?.name ? "" : `?owner=${encodeURIComponent(ownerOf(key))}`}`;

const address = () => {
  const key = focused.value;
  if (!key) return page.value === "sessions" ? "#/" : `#/${page.value}`;
  const [path, query] = addressOf(key).split("?");
  return `${path}${details.value ? "/details" : ""}${query ? `?${query}` : ""}`;
};

/** Goes where the address says, and keeps the address true from then on. */
export function follow() {
  const go = () => {
    const [, path = "", query = ""] = /^#\/([^?]*)\??(.*)$/.exec(location.hash) ?? [];
    const [kind, id, more] = path.split("/");
    if (kind === "s" && id) {
      const owner = new URLSearchParams(query).get("owner") ?? me.value?.name ?? "";
      if (more === "details") details.value = true;
      show(`${owner}/${id}`);
    } else if (kind === "activity" || kind === "help") home(kind);
    else if (path === "" && location.hash) home();
  };
  addEventListener("hashchange", () => location.hash !== address() && go());
  go();
  effect(() => {
    const wanted = address();
    if (location.hash !== wanted) history.pushState(null, "", wanted);
  });
  addEventListener("popstate", go);
}
