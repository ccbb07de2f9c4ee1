// A process that is measured: how it is started and ended, what it has used.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const TICKS_PER_SECOND = 100; // USER_HZ, on every Linux that we know

/** CPU in ms that a process has used itself, without its children. */
export function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory in KiB. */
export function resident(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}

/** Starts a program. `line()` is the next line that it prints. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], ...options });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  return {
    pid: child.pid,
    stdin: child.stdin,
    exited,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command} has ended`);
      return value;
    },
    async stop() {
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await exited;
      clearTimeout(kill);
    },
  };
}

export const rank = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
export const median = (values) => rank(values, 0.5);
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
