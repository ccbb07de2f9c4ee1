// Twenty tasks as an agent meets them. What it needs to know is made up for each run (`word()`), so that nothing can be
// guessed; and where a step depends on what the one before has shown, no server can do both in one call.
//
//   alone    what is run once without any server, to know how long the programs themselves take
//   prepare  writes what the programs need, and returns the facts that `solved` checks
//   script   what the agent does with a dialect `d`; a server has a script of its own where it has a better way
//   solved   whether the agent has reached what it wanted, from what it read (`seen`) and from the folder
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const word = () => `w${Math.random().toString(36).slice(2, 9)}`;
const digits = () => String(Math.floor(Math.random() * 9e7) + 1e7);
const fact = (name, value = word()) => (folder) => {
  writeFileSync(join(folder, name), value);
  return { [name]: value };
};
const sees = (name, before = "") => (facts, seen) => seen.includes(before + facts[name]);
const content = (path) => (existsSync(path) ? readFileSync(path, "utf8").trim() : null);

/** Whether the model knows a command's exit code, in the words of any of the servers. */
const knows = (code, seen) => new RegExp(`exit ${code}\\b|"exit_code": ${code}\\b|"code": ${code}\\b`).test(seen);

/** Pids of processes that have a text in their command line. */
const running = (text) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] === text;
    } catch {
      return false;
    }
  });

/** What a server has ended may take a moment to go. */
const eventually = async (met) => {
  for (let i = 0; i < 40 && !(await met()); i++) {
    await new Promise((done) => setTimeout(done, 50));
  }
  return met();
};

/** bash-mcp cuts its answer and saves it; the saved answer ends with the name of the file that holds all output. */
const savedAt = async (d, text) => {
  const answer = text.match(/Full output saved to: (\/[^\]"\s]+combined[^\]"\s]+\.txt)/)?.[1];
  return (await d.run(`tail -c 300 ${answer}`)).match(/"filePath\W+(\/[^"\\]+)/)?.[1];
};

/** For servers without jobs: the shell's own, with its output in a file. */
const shellJob = async (d) => {
  const pid = (await d.run("./job > job.out 2>&1 & echo pid $!")).match(/pid (\d+)/)?.[1];
  await d.run("echo meanwhile");
  await d.run(`while kill -0 ${pid} 2>/dev/null; do sleep 0.05; done; cat job.out`);
};

/** Three commands in one shell: state stays, and each exit code is asked for. */
const shellLines = async (d, start) => {
  await start('cd deep/folder; n=$$; echo "$n" > n; echo "exit $?"');
  await d.type("sh", 'test -f missing; echo "exit $?"', /exit 1/);
  await d.type("sh", 'echo "n=$n in ${PWD##*/}"; (exit 7); echo "exit $?"', /exit 7/);
};

export const tasks = [
  {
    name: "a build that fails",
    alone: "make",
    prepare: () => ({}),
    script: (d) => d.run("make"),
    commander: (d) => d.runForCode("make"),
    solved: (_, seen) => /main\.c:4/.test(seen) && knows(2, seen),
  },
  {
    name: "a REPL",
    prepare: () => ({}),
    script: async (d) => {
      await d.open("py", "python3 -q -i", />>>/);
      await d.type("py", "import random; n = random.randrange(10**8, 10**9)", />>>|✅/);
      const n = (await d.type("py", "print('n is', n)", /n is \d{9}/)).match(/n is (\d{9})/)?.[1];
      await d.type("py", `print('same' if n == ${n} else 'other', n + 1)`, /(same|other) \d+/);
      await d.close("py");
    },
    solved: (_, seen) => {
      const n = seen.match(/n is (\d{9})/)?.[1];
      return n !== undefined && seen.includes(`same ${Number(n) + 1}`);
    },
  },
  {
    name: "an installer with questions",
    prepare: (folder) => {
      rmSync(join(folder, "app"), { recursive: true, force: true });
      return {};
    },
    script: async (d) => {
      const code = (await d.open("install", "./installer", /type the code (\d+)/)).match(/type the code (\d+)/)?.[1];
      await d.type("install", code ?? "unknown");
      await d.type("install", "app");
      await d.type("install", "y", /Installed/);
    },
    solved: (_, seen, folder) => /Installed\./.test(seen) && seen.includes(content(join(folder, "app/licence"))),
  },
  {
    name: "a password prompt",
    prepare: (folder) => ({ ...fact("password")(folder), ...fact("ticket")(folder) }),
    script: async (d, facts) => {
      await d.open("login", "./login", /Password for ann/);
      await d.type("login", facts.password, /ticket|Wrong/);
    },
    solved: (facts, seen) => seen.includes(`ticket ${facts.ticket}`) && !seen.includes(facts.password),
  },
  {
    name: "a dev server",
    alone: "sleep 0.3; node -e 0",
    prepare: fact("page"),
    script: async (d, facts) => {
      const url = (await d.open("dev", "./devserver", /http:\S+\//)).match(/http:[\w.:/]+/)?.[0];
      await d.run(`curl -s ${url}`, new RegExp(facts.page));
      await d.close("dev");
    },
    belay: async (d) => {
      const ready = { wait_for: { match: "ready on .*" } };
      const url = (await d.open("dev", "./devserver", /http:\S+\//, ready)).match(/http:[\w.:/]+/)?.[0];
      await d.run(`curl -s ${url}`);
      await d.close("dev");
    },
    bash: async (d) => {
      await d.stay("dev", "exec ./devserver > dev.out 2>&1");
      const text = await d.run("until grep -qs ready dev.out; do sleep 0.05; done; cat dev.out");
      await d.run(`curl -s ${text.match(/http:[\w.:/]+/)?.[0]}`);
      await d.close("dev");
    },
    solved: async (facts, seen) => {
      const url = seen.match(/http:\/\/127[\w.:]+/)?.[0];
      const down = async () => !(await fetch(url).then(() => true, () => false));
      return seen.includes(facts.page) && (await eventually(down));
    },
  },
  {
    name: "an edit in vim",
    prepare: (folder) => {
      const notes = Array.from({ length: 12 }, (_, i) => (i === 6 ? "colour: gray" : `note ${i + 1}`));
      writeFileSync(join(folder, "notes.txt"), `${notes.join("\n")}\n`);
      return { notes: notes.join("\n").replace("gray", "green") };
    },
    script: async (d) => {
      await d.open("vim", "vim notes.txt", /gray/);
      await d.type("vim", ":%s/gray/green/");
      await d.type("vim", ":wq");
    },
    belay: async (d) => {
      await d.open("vim", "vim notes.txt", /gray/);
      await d.type("vim", ":%s/gray/green/\n:wq");
    },
    solved: (facts, seen, folder) => /colour: gray/.test(seen) && content(join(folder, "notes.txt")) === facts.notes,
  },
  {
    name: "a progress bar",
    alone: "./download",
    prepare: fact("checksum"),
    script: (d) => d.run("./download", /Downloaded/),
    solved: sees("checksum", "checksum "),
  },
  {
    name: "200,000 lines, the last one matters",
    alone: "./export",
    prepare: fact("checksum"),
    script: (d) => d.run("./export", /checksum/),
    belay: (d) => d.run("./export", null, { tty: false, max_output_tokens: 500 }),
    bash: async (d) => {
      await d.run(`tail -n 1 ${await savedAt(d, await d.run("./export"))}`);
    },
    mako: async (d) => {
      const text = await d.run("./export");
      if (!/checksum/.test(text)) {
        await d.server.call("shell_execute", { command: "tail -n 1", input_output_id: text.match(/"output_id": "([^"]+)"/)?.[1] });
      }
    },
    solved: sees("checksum", "checksum "),
  },
  {
    name: "binary output",
    prepare: fact("checksum"),
    script: (d) => d.run("./picture", /checksum/),
    solved: sees("checksum", "checksum "),
  },
  {
    name: "a job in the background",
    alone: "./job",
    prepare: fact("result"),
    script: shellJob,
    belay: async (d) => {
      await d.open("job", "./job", null, { yield_time_ms: 100 });
      await d.run("echo meanwhile");
      await d.look("job", { wait_for: { exit: true } });
    },
    commander: async (d) => {
      const started = await d.server.call("start_process", { command: "./job", timeout_ms: 100 });
      d.pids.set("job", Number(started.match(/PID (\d+)/)?.[1]));
      await d.run("echo meanwhile");
      await d.look("job");
    },
    solved: sees("result", "result "),
  },
  {
    name: "a crash",
    prepare: fact("block"),
    script: (d) => d.run("./crash"),
    commander: (d) => d.runForCode("./crash"),
    solved: (facts, seen) => seen.includes(`block ${facts.block}`) && /SIGSEGV|Segmentation fault|\b139\b/.test(seen),
  },
  {
    name: "an interrupt",
    prepare: fact("name"),
    script: async (d) => {
      await d.open("count", "./counter", /counting/);
      await d.press("count", ["ctrl-c"]);
    },
    belay: async (d) => {
      await d.open("count", "./counter", /counting/, { wait_for: { match: "counting" } });
      await d.press("count", ["ctrl-c"]);
    },
    bash: async (d) => {
      const pid = (await d.stay("count", "exec ./counter > count.out 2>&1")).match(/"pid": (\d+)/)?.[1];
      await d.run("until grep -q counting count.out; do sleep 0.05; done; cat count.out");
      await d.run(`kill -INT ${pid}; while kill -0 ${pid} 2>/dev/null; do sleep 0.05; done; cat count.out`);
    },
    solved: sees("name", "saved as "),
  },
  {
    name: "two sessions that need each other",
    prepare: (folder) => {
      rmSync(join(folder, "linked-a"), { force: true });
      rmSync(join(folder, "linked-b"), { force: true });
      return { ...fact("code-a", digits())(folder), ...fact("code-b", digits())(folder) };
    },
    script: async (d) => {
      const a = (await d.open("a", "./handshake a b", /code of a: \d+/)).match(/code of a: (\d+)/)?.[1];
      const b = (await d.open("b", "./handshake b a", /code of b: \d+/)).match(/code of b: (\d+)/)?.[1];
      await d.type("a", b ?? "unknown", /linked|Wrong/);
      await d.type("b", a ?? "unknown", /linked|Wrong/);
    },
    solved: (_, seen, folder) =>
      /a is linked to b/.test(seen) && /b is linked to a/.test(seen) && existsSync(join(folder, "linked-a")) && existsSync(join(folder, "linked-b")),
  },
  {
    name: "a shell that stays: folder, variables, exit codes",
    prepare: (folder) => {
      execFileSync("mkdir", ["-p", join(folder, "deep/folder")]);
      rmSync(join(folder, "deep/folder/n"), { force: true });
      return {};
    },
    script: (d) => shellLines(d, (first) => d.open("sh", first, /exit 0/)),
    belay: async (d) => {
      await d.open("sh", 'cd deep/folder; export n=$$; echo "$n" > n; exec bash --norc', /[#$] $/m);
      await d.type("sh", 'test -f missing; echo "exit $?"', /exit 1/);
      await d.type("sh", 'echo "n=$n in ${PWD##*/}"; (exit 7); echo "exit $?"', /exit 7/);
    },
    commander: async (d) => {
      await d.open("sh", "bash");
      await shellLines(d, (first) => d.type("sh", first, /exit 0/));
    },
    bash: async (d) => {
      await d.run('cd deep/folder; n=$$; echo "$n" > n');
      await d.run("test -f deep/folder/missing");
      await d.run('echo "n=$n in ${PWD##*/}"; (exit 7)');
    },
    solved: (_, seen, folder) =>
      seen.includes(`n=${content(join(folder, "deep/folder/n"))} in folder`) && knows(1, seen) && knows(7, seen),
  },
  {
    name: "a log that opens a pager",
    prepare: (folder) => {
      const first = word();
      const repo = join(folder, "repo");
      rmSync(repo, { recursive: true, force: true });
      const git = (...args) => execFileSync("git", ["-C", repo, ...args], { stdio: "ignore" });
      execFileSync("git", ["init", "-q", repo]);
      git("config", "core.pager", "less");
      const commits = Array.from({ length: 40 }, (_, i) =>
        `commit refs/heads/log\ncommitter Ann <ann@example.com> ${1.7e9 + i} +0000\ndata <<E\n${i ? `Change ${i}` : `Begin ${first}`}\nE\n`);
      execFileSync("git", ["-C", repo, "fast-import", "--quiet"], { input: commits.join("\n") });
      return { first };
    },
    script: (d) => d.run("git -C repo log --oneline log", /Begin/),
    solved: sees("first", "Begin "),
  },
  {
    name: "a full-screen menu",
    prepare: (folder) => {
      const items = ["north", "south", "east", "west"];
      items.splice(1 + Math.floor(Math.random() * 4), 0, "centre");
      writeFileSync(join(folder, "items"), `${items.join("\n")}\n`);
      rmSync(join(folder, "choice"), { force: true });
      return {};
    },
    script: async (d) => {
      const screen = await d.open("menu", "./menu", /centre[\s\S]*/);
      const items = [...screen.matchAll(/\b(north|south|east|west|centre)\b/g)].map(([, name]) => name);
      const steps = items.indexOf("centre");
      await d.press("menu", [...Array.from({ length: Math.max(0, steps) }, () => "down"), "enter"]);
    },
    solved: (_, _seen, folder) => content(join(folder, "choice")) === "centre",
  },
  {
    name: "text in many scripts",
    prepare: fact("word"),
    script: (d) => d.run("./unicode", /café/),
    solved: (facts, seen) =>
      ["Größe geändert", "το μέγεθος άλλαξε", "サイズが変わりました", "大小已更改", "تم تغيير الحجم", "👩‍💻", `naïve café: ${facts.word}`]
        .every((text) => seen.includes(text)),
  },
  {
    name: "a build of 2 s with progress",
    alone: "./build",
    prepare: fact("target"),
    script: (d) => d.run("./build", /Built/),
    solved: sees("target", "Built target "),
  },
  {
    name: "earlier output, read again",
    alone: "./tests",
    prepare: fact("word"),
    script: async (d) => {
      await d.open("tests", "./tests", /1 failed/);
      await d.run("echo meanwhile");
      await d.look("tests");
    },
    belay: async (d) => {
      await d.open("tests", "./tests", /1 failed/, { tty: false, max_output_tokens: 500 });
      await d.run("echo meanwhile");
      await d.server.call("read_output", { session_id: "tests", match: "FAILED" });
    },
    commander: async (d) => {
      await d.open("tests", "./tests", /1 failed/);
      await d.run("echo meanwhile");
      await d.server.call("read_process_output", { pid: d.pids.get("tests"), offset: 13_570, length: 20, timeout_ms: 5_000 });
    },
    mako: async (d) => {
      const text = await d.run("./tests");
      await d.run("echo meanwhile");
      await d.server.call("shell_execute", { command: "grep FAILED", input_output_id: text.match(/"output_id": "([^"]+)"/)?.[1] });
    },
    bash: async (d) => {
      const text = await d.run("./tests");
      await d.run("echo meanwhile");
      await d.run(`grep FAILED ${await savedAt(d, text)}`);
    },
    solved: (facts, _seen, _folder, last) => last.includes(`was ${facts.word}`),
  },
  {
    name: "a tree of processes, ended",
    prepare: fact("marker"),
    script: async (d) => {
      await d.open("tree", "./tree", /4 workers/);
      await d.close("tree");
    },
    belay: async (d) => {
      await d.open("tree", "./tree", /4 workers/, { wait_for: { match: "workers are up" } });
      await d.close("tree", true);
    },
    bash: async (d) => {
      await d.stay("tree", "exec ./tree > tree.out 2>&1");
      await d.run("until grep -qs workers tree.out; do sleep 0.05; done; cat tree.out");
      await d.close("tree");
    },
    solved: async (facts, seen) => /4 workers/.test(seen) && (await eventually(() => running(facts.marker).length === 0)),
  },
];
