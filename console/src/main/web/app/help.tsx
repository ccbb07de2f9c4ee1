import { KEYS, LIST_KEYS } from "./keys.ts";

const List = ({ keys }: { keys: { keys: string; does: string }[] }) => (
  <dl class="keys">
    {keys.map(({ keys: pressed, does }) => (
      <>
        <dt>
          <kbd>{pressed}</kbd>
        </dt>
        <dd>{does}</dd>
      </>
    ))}
  </dl>
);

export const HelpPage = () => (
  <main class="page">
    <h1>Help</h1>
    <div class="columns">
      <section>
        <h2>Anywhere, in terminals too</h2>
        <List keys={KEYS} />
        <p class="note">
          On a Mac, ⌘K, ⌘F, ⌘C and ⌘V work too. All other keys go to the program. With a setting, these do too, except
          Ctrl ⇧ K.
        </p>
      </section>
      <section>
        <h2>In the list of sessions</h2>
        <List keys={LIST_KEYS} />
        <h2>What you see</h2>
        <dl class="legend">
          <dt class="agent">violet</dt>
          <dd>an agent</dd>
          <dt class="person">blue</dt>
          <dd>a person, and what you can do</dd>
          <dt class="waits">amber</dt>
          <dd>waits for somebody, or is private</dd>
          <dt class="failed">red</dt>
          <dd>failed or refused</dd>
        </dl>
        <p class="note">
          Sessions of agents and of other people open in watch mode: nothing you press reaches them until you take over.
          While you have the keyboard, the agent can read but not type. Type privately, and only you and admins see what
          is printed.
        </p>
      </section>
    </div>
  </main>
);
