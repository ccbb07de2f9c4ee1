// What an agent meets: a server of tools on stdio.
import { cpu, median, resident, start } from "./process.js";

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "0" } };

/** Starts a server, waits for its list of tools, and has it run `echo hi`. */
export async function calls([command, ...args], [tool, argument], count, options) {
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
  const times = [];
  const used = [];
  let answered = 0;
  for (let i = 0; i < count; i++) {
    const before = i % 20 === 0 ? cpu(server.pid) : 0;
    if (i % 20 === 0) used.push(before);
    const from = performance.now();
    const result = await ask("tools/call", { name: tool, arguments: argument });
    times.push(performance.now() - from);
    // A peer may answer before the command has printed anything; its user would have to ask again.
    if (JSON.stringify(result).includes("hi")) answered++;
  }
  used.push(cpu(server.pid));
  const memory = resident(server.pid);
  server.stdin.end();
  await server.stop();
  return {
    "MCP: start to list of tools, ms": ready,
    "MCP: `echo hi`, first 10, p50, ms": median(times.slice(0, 10)),
    "MCP: `echo hi`, p50, ms": median(times),
    "MCP: `echo hi`, CPU, ms": (used.at(-1) - used[0]) / count,
    "MCP: calls that answer with the output, %": (100 * answered) / count,
    "MCP: memory, MB": memory / 1024,
  };
}
