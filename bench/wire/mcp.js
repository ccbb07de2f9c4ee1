// What an agent meets: a server of tools on stdio.
import { cpu, median, resident, start } from "./process.js";

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "0" } };

/** Starts a server, waits for its list of tools, and has it run `echo hi`: `count` times, then again after `warmUp` others. */
export async function calls([command, ...args], [tool, argument], { count, warmUp }, options) {
  const began = performance.now();
  const server = start(command, args, options);
  let id = 0;
  const ask = async (method, params) => {
    const asked = ++id;
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: asked, method, params })}\n`);
    while (true) {
      const answer = JSON.parse(await server.line());
      if (answer.id !== asked || answer.method) continue;
      if (answer.error) throw new Error(JSON.stringify(answer.error));
      return answer.result;
    }
  };
  await ask("initialize", HELLO);
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await ask("tools/list", {});
  const ready = performance.now() - began;
  const run = async (number) => {
    const times = [];
    const before = cpu(server.pid);
    let answered = 0;
    for (let i = 0; i < number; i++) {
      const from = performance.now();
      const result = await ask("tools/call", { name: tool, arguments: argument });
      times.push(performance.now() - from);
      // A peer may answer before the command has printed anything; its user would have to ask again.
      if (JSON.stringify(result).includes("hi")) answered++;
    }
    return { times, answered, cpuPerCall: (cpu(server.pid) - before) / number };
  };
  const fresh = await run(count);
  if (warmUp) await run(warmUp);
  const warm = warmUp ? await run(count) : null;
  const memory = resident(server.pid);
  server.stdin.end();
  await server.stop();
  return {
    "MCP: start to list of tools, ms": ready,
    "MCP: `echo hi`, first 10, p50, ms": median(fresh.times.slice(0, 10)),
    "MCP: `echo hi`, first 100, p50, ms": median(fresh.times),
    "MCP: `echo hi`, first 100, CPU, ms": fresh.cpuPerCall,
    ...(warm && {
      "MCP: `echo hi`, warm, p50, ms": median(warm.times),
      "MCP: `echo hi`, warm, CPU, ms": warm.cpuPerCall,
    }),
    "MCP: calls that answer with the output, %": (100 * fresh.answered) / count,
    "MCP: memory, MB": memory / 1024,
  };
}
