// Measures `belay mcp` next to Desktop Commander, both driven by the official client, in one run with the order shuffled.
// `node measure.js ROUNDS OUT.json`; BELAY holds the command that starts Belay, PEER the peer's, both as JSON.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [rounds, out] = [Number(process.argv[2]), process.argv[3]];
const home = mkdtempSync(join(tmpdir(), "belay-bench-"));

class Server {
  constructor(name, words, idOf) {
    Object.assign(this, { name, words, idOf });
  }

  async start() {
    this.folder = mkdtempSync(join(home, `${this.name}-`));
    const [command, ...args] = this.words;
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, "state"), SHELL: "/bin/bash", PS1: "$ " };
    this.transport = new StdioClientTransport({ command, args, env, cwd: this.folder, stderr: "ignore" });
    this.client = new Client({ name: "bench", version: "1" });
    await this.client.connect(this.transport);
    this.tools = (await this.client.listTools()).tools;
    this.calls = this.characters = 0;
  }

  async call(name, args) {
    const result = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
    const text = result.content.map((part) => part.text ?? "").join("");
    this.calls++;
    this.characters += text.length;
    this.id = this.idOf(text) ?? this.id;
    return text;
  }

  stop() {
    return this.client.close();
  }
}

const belay = new Server("belay", [...JSON.parse(process.env.BELAY), "mcp"], (text) => text.match(/; session (\w+)/)?.[1]);
const peer = new Server("peer", JSON.parse(process.env.PEER), (text) => text.match(/PID (\d+)/)?.[1]);

// What either is asked in its own words. The peer waits at most `limit`: it has no way to be told what for, or when.
const LIMIT = 5_000;
const run = {
  belay: (s, cmd, more = {}) => s.call("unified_exec", { cmd, strip_ansi: true, yield_time_ms: LIMIT, ...more }),
  peer: (s, command) => s.call("start_process", { command, timeout_ms: LIMIT }),
};
const type = {
  belay: (s, chars, more = {}) => s.call("write_stdin", { session_id: s.id, chars: `${chars}\n`, strip_ansi: true, yield_time_ms: LIMIT, ...more }),
  peer: (s, input) => s.call("interact_with_process", { pid: Number(s.id), input, timeout_ms: LIMIT }),
};
const look = {
  belay: (s, more = {}) => s.call("write_stdin", { session_id: s.id, strip_ansi: true, yield_time_ms: LIMIT, ...more }),
  peer: (s) => s.call("read_process_output", { pid: Number(s.id), timeout_ms: LIMIT }),
};
const end = {
  belay: (s) => s.call("close_pty_session", { session_id: s.id, force: true }),
  peer: (s) => s.call("force_terminate", { pid: Number(s.id) }),
};

// Looks until it is seen; a time-out of a look counts as a call, as it does for an agent.
async function until(server, first, pattern) {
  let text = first;
  for (let i = 0; i < 5 && !pattern.test(text); i++) {
    text += await look[server.name](server);
  }
  return pattern.test(text);
}

const exits = { wait_for: { exit: true } };
const match = (pattern) => ({ wait_for: { match: pattern, exit: true } });

// Each: how long the process itself takes (ms), and what is done; what it returns says whether the agent learned what it wanted.
const tasks = {
  "a command that prints a line": [0, async (s) => /hi/.test(await run[s.name](s, "echo hi"))],
  "a command that takes 300 ms": [300, async (s) => until(s, await run[s.name](s, "sleep 0.3; echo done", exits), /done/)],
  "a command that fails, and its exit code": [0, async (s) => /exit code:? 3/i.test(await run[s.name](s, "echo oops >&2; exit 3"))],
  "a listing of 200 files": [0, async (s) => /file-200/.test(await run[s.name](s, "for i in $(seq 1 200); do echo file-$i; done"))],
  "200,000 lines, of which the last matters": [
    0,
    async (s) => /200000/.test(await run[s.name](s, "seq 1 200000", { max_output_tokens: 500, ...exits })),
  ],
  "three expressions in a REPL": [
    0,
    async (s) => {
      await run[s.name](s, "python3 -i -q", match(">>> $"));
      await type[s.name](s, "x = 6", match(">>> $"));
      await type[s.name](s, "y = 7", match(">>> $"));
      const seen = await until(s, await type[s.name](s, "x * y", match(">>> $")), /42/);
      await end[s.name](s);
      return seen;
    },
  ],
  "a question answered with yes": [
    0,
    async (s) => {
      await run[s.name](s, "read -p 'Sure? [y/N] ' x; echo got $x");
      return until(s, await type[s.name](s, "y", exits), /got y/);
    },
  ],
  "a password prompt": [
    0,
    async (s) => {
      await run[s.name](s, "read -s -p 'Password: ' x; echo; echo ${#x} characters");
      return until(s, await type[s.name](s, "hunter22", exits), /8 characters/);
    },
  ],
  "a server that is up after 200 ms, and stopped": [
    200,
    async (s) => {
      const seen = await until(s, await run[s.name](s, "sleep 0.2; echo listening on 1234; exec sleep 1000", match("listening")), /listening/);
      await end[s.name](s);
      return seen;
    },
  ],
  "a build of ten steps in 500 ms": [
    500,
    async (s) =>
      until(s, await run[s.name](s, "for i in 1 2 3 4 5 6 7 8 9 10; do echo step $i; sleep 0.05; done; echo built", exits), /built/),
  ],
};

const median = (values) => {
  const known = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  return known[Math.floor(known.length / 2)];
};
const timed = async (body) => {
  const began = performance.now();
  const result = await body();
  return [performance.now() - began, result];
};
const shuffled = (values) => values.map((value) => [Math.random(), value]).toSorted(([a], [b]) => a - b).map(([, value]) => value);

async function repeat(times, body) {
  const values = [];
  for (let i = 0; i < times; i++) {
    values.push((await timed(body))[0]);
  }
  return values;
}

const results = { belay: { rounds: [], tasks: {} }, peer: { rounds: [], tasks: {} } };
try {
  for (let round = 1; round <= rounds; round++) {
    for (const server of shuffled([belay, peer])) {
      console.error(`bench: round ${round} of ${rounds}, ${server.name}`);
      const [start] = await timed(() => server.start());
      const many = server === belay ? 300 : 20;
      await repeat(server === belay ? 200 : 3, () => run[server.name](server, "echo warm"));
      const echoes = await repeat(many, () => run[server.name](server, "echo hi"));
      await run[server.name](server, "python3 -i -q", match(">>> $"));
      await repeat(server === belay ? 50 : 2, () => type[server.name](server, "1", match(">>> $")));
      const answers = await repeat(many / 2, () => type[server.name](server, "6*7", match(">>> $")));
      await end[server.name](server);
      const after = [];
      for (let i = 0; i < (server === belay ? 30 : 5); i++) {
        // The process says when it ends; what is beyond that is the tool's.
        let text = await run[server.name](server, "sleep 0.05; date +%s%N", exits);
        for (let looks = 0; looks < 3 && !/\d{19}/.test(text); looks++) {
          text += await look[server.name](server);
        }
        after.push(Date.now() - Number(text.match(/\d{19}/)?.[0] ?? Number.NaN) / 1e6);
      }
      results[server.name].rounds.push({
        start, echo: median(echoes), echo99: echoes.toSorted((a, b) => a - b)[Math.floor(echoes.length * 0.99)],
        repl: median(answers), after: median(after), list: JSON.stringify(server.tools).length,
      });
      for (const [name, [own, body]] of Object.entries(tasks)) {
        server.calls = server.characters = 0;
        const [took, learned] = await timed(() => body(server));
        (results[server.name].tasks[name] ??= []).push({ calls: server.calls, characters: server.characters, beyond: took - own, learned });
      }
      await server.stop();
    }
  }
} finally {
  writeFileSync(out, JSON.stringify(results, null, 1));
  rmSync(home, { recursive: true, force: true });
}
