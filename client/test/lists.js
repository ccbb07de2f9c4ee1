// Scenarios of the official client with the lists of the feed: `node lists.js URL TOKEN SCENARIO ...`.
import assert from "node:assert/strict";
import { ask, connect, leave, next, refused, run, WEBSOCKET } from "./raw.js";

/** The sessions that a client puts together from what it is told. */
class Sessions {
  constructor(socket) {
    this.known = new Map();
    this.events = 0;
    this.waiting = [];
    socket.on("changed", (changes) => {
      this.events++;
      this.version = changes.version;
      if (changes.all) this.known.clear();
      for (const { id, owner } of changes.gone) this.known.delete(`${owner}/${id}`);
      for (const one of changes.sessions) {
        const key = `${one.owner}/${one.id}`;
        this.known.set(key, { ...this.known.get(key), ...one });
      }
      this.waiting = this.waiting.filter(({ wanted, resolve }) => !wanted(this) || resolve(this));
    });
  }

  until(wanted) {
    return new Promise((resolve) => (wanted(this) ? resolve(this) : this.waiting.push({ wanted, resolve })));
  }

  get(id) {
    return [...this.known.values()].find((one) => one.id === id);
  }
}

run({
  // A page: everything first, then what changes, until it wants no more.
  async watch(url, token) {
    const socket = await connect(url, token, WEBSOCKET);
    const sessions = new Sessions(socket);
    await ask(socket, "watch", { lists: ["sessions"] });
    await sessions.until((all) => all.events === 1);
    assert.equal(sessions.known.size, 0);

    const { session } = await ask(socket, "create", { cmd: "stty -echo; echo up; read x; echo done", id: "one" });
    await sessions.until((all) => all.get("one")?.viewers.length === 1);
    assert.deepEqual(sessions.get("one").viewers, [{ name: "alice", mode: "write" }]);
    assert.equal(sessions.get("one").pid, session.pid);
    await sessions.until((all) => all.get("one").output_end > 0 && all.get("one").input?.waiting);
    await ask(socket, "lease", { id: "one", action: "take" });
    await sessions.until((all) => all.get("one").keyboard === "alice");
    await ask(socket, "input", { id: "one", data: "\n" });
    await sessions.until((all) => all.get("one").state === "exited" && all.get("one").typed?.by === "alice");
    assert.equal(sessions.get("one").keyboard, null);
    await ask(socket, "close", { id: "one" });
    await sessions.until((all) => all.known.size === 0);

    await ask(socket, "watch", { lists: [] });
    const events = sessions.events;
    await ask(socket, "create", { cmd: "read x", id: "two" });
    const again = next(socket, "changed");
    await ask(socket, "watch", { lists: ["sessions"], since: sessions.version });
    const [changes] = await again;
    assert.equal(sessions.events, events + 1, "nothing in between");
    assert.equal(changes.all, false);
    assert.deepEqual(changes.sessions.map((one) => one.id), ["two"]);
    await refused(socket, "watch", { lists: ["nothing"] }, "INVALID_REQUEST");
    await refused(socket, "watch", {}, "INVALID_REQUEST");
    await refused(socket, "watch", { lists: ["sessions"], form: 1 }, "INVALID_REQUEST");
    await leave(socket);
  },

  // Events and seconds, without the sessions.
  async events(url, token) {
    const socket = await connect(url, token, WEBSOCKET);
    const [events, seconds] = [[], []];
    let told = () => {};
    socket.on("changed", (changes) => {
      assert.equal(changes.sessions, undefined);
      events.push(...(changes.events ?? []));
      seconds.push(...(changes.stats?.seconds ?? []));
      told();
    });
    const until = async (wanted) => {
      while (!wanted()) await new Promise((resolve) => (told = resolve));
    };
    await ask(socket, "watch", { lists: ["events", "stats"] });
    await ask(socket, "create", { cmd: "exit 5", id: "one" });
    await until(() => events.some((one) => one.event === "exited"));
    assert.equal(events.find((one) => one.event === "exited").exit_code, 5);
    await until(() => seconds.reduce((sum, one) => sum + one.opened, 0) === 1);
    const times = seconds.map((one) => one.at);
    assert.deepEqual(times, [...new Set(times)].sort((a, b) => a - b), "each second once, in order");
    const again = next(socket, "changed");
    await ask(socket, "watch", { lists: ["events"], events_since: events.at(0).number });
    const [{ events: later }] = await again;
    assert.equal(later[0].number, events[1].number);
    await leave(socket);
  },

  // A watcher and its neighbour: the one sees all, the other nothing of it.
  async neighbours(url, token, other) {
    const [mine, theirs] = [await connect(url, token, WEBSOCKET), await connect(url, other, WEBSOCKET)];
    const [own, foreign] = [new Sessions(mine), new Sessions(theirs)];
    await ask(mine, "watch", { lists: ["sessions"] });
    await ask(theirs, "watch", { lists: ["sessions"] });
    await ask(mine, "create", { cmd: "read x", id: "mine" });
    await own.until((all) => all.get("mine"));
    await ask(theirs, "create", { cmd: "read x", id: "theirs" });
    await foreign.until((all) => all.get("theirs"));
    assert.deepEqual([...foreign.known.keys()], ["bob/theirs"]);
    await Promise.all([leave(mine), leave(theirs)]);
  },
});
