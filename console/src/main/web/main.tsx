import { effect } from "@preact/signals";
import { render } from "preact";
import { ActivityPage } from "./activity/page.tsx";
import { listen } from "./app/actions.ts";
import { Bar } from "./app/bar.tsx";
import { DialogPlace } from "./app/dialog.tsx";
import { HelpPage } from "./app/help.tsx";
import { Offline } from "./app/offline.tsx";
import { Palette } from "./app/palette.tsx";
import { follow, layout, page } from "./app/route.ts";
import { SignInPage } from "./app/sign-in-page.tsx";
import { announce, Toasts } from "./app/toast.tsx";
import { disconnect, line } from "./server/connection.ts";
import { start, waiting } from "./server/feed.ts";
import { need } from "./server/need.ts";
import { signIn, stage } from "./server/sign-in.ts";
import { NEEDS, nameOf } from "./sessions/badge.tsx";
import { SessionsPage } from "./sessions/page.tsx";
import { TabPanes } from "./terminal/tab.tsx";
import { views } from "./terminal/views.ts";
import "./style/theme.css";
import "./style/app.css";
import "./style/pages.css";
import "./style/sessions.css";
import "./style/question.css";
import "./style/terminal.css";
import "./style/narrow.css";

function App() {
  const now = stage.value;
  if (now.at === "starting") return null;
  if (now.at === "out") return <SignInPage stage={now} />;
  const home = { sessions: SessionsPage, activity: ActivityPage, help: HelpPage }[page.value];
  const Home = home;
  return (
    <div class={line.value.at === "offline" ? "app dimmed" : "app"}>
      <Bar />
      <Offline />
      {layout.value.active === 0 ? <Home /> : <TabPanes />}
      <Palette />
      <DialogPlace />
      <Toasts />
    </div>
  );
}

effect(() => {
  const count = waiting.value.length;
  document.title = count > 0 ? `(${count}) Belay` : "Belay";
});

const told = new Set<string>();
effect(() => {
  const keys = new Set(waiting.value.map((session) => `${session.owner}/${session.id}`));
  for (const session of waiting.value) {
    const key = `${session.owner}/${session.id}`;
    if (!told.has(key)) announce(`${nameOf(session).label}: ${NEEDS[need(session)!].says}`);
  }
  told.clear();
  for (const key of keys) told.add(key);
});

effect(() => {
  if (stage.value.at === "in")
    start().then(follow, () => undefined); // refusals lead to the sign-in page
  else if (stage.value.at === "out") disconnect();
});

addEventListener("beforeunload", (event) => {
  if ([...views.values()].some((view) => view.holder.peek() !== null && view.isPrivate.peek())) event.preventDefault();
});

listen();
render(<App />, document.getElementById("app")!);
signIn();

/** For tests and the curious: the rows that a terminal shows, up to which byte, and how many it keeps. */
Object.assign(globalThis, {
  belayConsole: {
    text: (key: string) => views.get(key)?.text() ?? null,
    offset: (key: string) => views.get(key)?.offset ?? null,
    ready: (key: string) => views.get(key)?.ready.peek() ?? false,
    kept: (key: string) => views.get(key)?.xterm.buffer.active.length ?? null,
  },
});
