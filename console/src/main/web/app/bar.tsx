import { Close, Gear, Lock, Logo, Menu, Plus } from "../icons.tsx";
import { line } from "../server/connection.ts";
import { me, sessions, store } from "../server/feed.ts";
import { need } from "../server/need.ts";
import { isLive, type Key } from "../server/types.ts";
import { Dot, nameOf } from "../sessions/badge.tsx";
import { newTerminal } from "../sessions/start.tsx";
import { closeTab, panes, type Tab } from "../terminal/layout.ts";
import { paletteIsOpen } from "./palette.tsx";
import { openPreferences } from "./preferences.tsx";
import { change, home, layout, page } from "./route.ts";

/** The bar at the top: tabs, the palette, the connection, and who is signed in. */
export function Bar() {
  const { tabs, active } = layout.value;
  return (
    <header class="top">
      <Logo />
      <nav class="tabs" aria-label="Tabs">
        <button
          type="button"
          class={active === 0 ? "home active" : "home"}
          aria-current={active === 0 ? "page" : undefined}
          onClick={() => home()}
        >
          {active === 0 && page.value !== "sessions" ? (page.value === "help" ? "Help" : "Activity") : "Sessions"}
          <span class="count">{sessions.value.filter(isLive).length}</span>
        </button>
        {tabs.map((tab) => (
          <TabButton key={tab.id} tab={tab} active={tab.id === active} />
        ))}
        <button type="button" class="plus" aria-label="New terminal" onClick={() => newTerminal()}>
          <Plus />
        </button>
      </nav>
      <TabMenu />
      <button type="button" class="search" onClick={() => (paletteIsOpen.value = true)}>
        <span>Search or run</span> <kbd>Ctrl ⇧ K</kbd>
      </button>
      <span class={`line ${line.value.at}`}>
        <span class={line.value.at === "live" ? "dot live" : "dot waits"} /> <span>{line.value.at}</span>
      </span>
      <button type="button" class="me" onClick={openPreferences} title="Settings">
        {me.value?.name ?? <Gear label="Settings" />}
      </button>
    </header>
  );
}

const titleOf = (key: Key) => {
  const session = store.get(key)?.value;
  return session ? nameOf(session).label : key.slice(key.indexOf("/") + 1);
};

function TabButton({ tab, active }: { tab: Tab; active: boolean }) {
  const session = store.get(tab.focus)?.value;
  const needs = panes(tab.root).map((key) => {
    const one = store.get(key)?.value;
    return one ? need(one) : null;
  });
  const waits = needs.filter((one) => one !== null).length;
  return (
    <span class={active ? "tab-of active" : "tab-of"}>
      <button
        type="button"
        aria-current={active ? "page" : undefined}
        onClick={() => change((now) => ({ ...now, active: tab.id }))}
        onAuxClick={(event) => event.button === 1 && change((now) => closeTab(now, tab.id))}
      >
        {session && <Dot session={session} />}
        <span class="title">{titleOf(tab.focus)}</span>
        {waits > 0 && (
          <span class="badge waits">{needs.includes("password") ? <Lock size={11} label="password" /> : waits}</span>
        )}
      </button>
      <button
        type="button"
        class="quiet close"
        aria-label={`Close the tab ${titleOf(tab.focus)}`}
        title="Close the tab; its sessions keep running"
        onClick={() => change((now) => closeTab(now, tab.id))}
      >
        <Close size={10} />
      </button>
    </span>
  );
}

/** On a narrow screen the tabs are a menu. */
function TabMenu() {
  const { tabs, active } = layout.value;
  return (
    <label class="tab-menu">
      <Menu />
      <span class="unseen">Tab</span>
      <select
        value={String(active)}
        onChange={(event) => {
          const id = Number(event.currentTarget.value);
          if (id === 0) home();
          else change((now) => ({ ...now, active: id }));
        }}
      >
        <option value="0">Sessions</option>
        {tabs.map((tab) => (
          <option key={tab.id} value={String(tab.id)}>
            {titleOf(tab.focus)}
          </option>
        ))}
      </select>
    </label>
  );
}
