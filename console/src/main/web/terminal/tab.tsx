import { lazily } from "../app/lazily.tsx";
import { details, focused, layout } from "../app/route.ts";
import { activeTab, type Part } from "./layout.ts";

const Pane = lazily(() => import("./pane.tsx").then((module) => module.Pane));
const Details = lazily(() => import("../details/panel.tsx").then((module) => module.Panel));

/** The panes of the active tab. Those of others are not on the page: they cost nothing. */
export function TabPanes() {
  const tab = activeTab(layout.value);
  if (!tab) return null;
  return (
    <main class="tab">
      <h1 class="unseen">Terminals</h1>
      {tab.zoomed ? <Pane key={tab.focus} id={tab.focus} /> : <PartOf part={tab.root} />}
      {details.value && focused.value && <Details key={focused.value} id={focused.value} />}
    </main>
  );
}

function PartOf({ part }: { part: Part }) {
  if (typeof part === "string") return <Pane key={part} id={part} />;
  return (
    <div class={`split ${part.way}`}>
      <PartOf part={part.first} />
      <PartOf part={part.second} />
    </div>
  );
}
