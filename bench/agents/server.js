// A server under test, driven by the official client. It counts what a model would read.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Thrown where a server has no way to do what a task needs. */
export class Unable extends Error {}

export class Server {
  /** @param words the command that starts it */
  constructor(words, env) {
    Object.assign(this, { words, env });
  }

  /** Starts the server in a folder of its own with the programs of the tasks. `tag` marks all its processes. */
  async start(folder, programs, tag) {
    mkdirSync(folder, { recursive: true });
    cpSync(programs, folder, { recursive: true });
    this.folder = folder;
    const [command, ...args] = this.words;
    const env = {
      ...process.env, ...this.env, HOME: folder, XDG_STATE_HOME: join(folder, ".state"), SHELL: "/bin/bash", PS1: "$ ", LANG: "C.UTF-8",
      BENCH_TAG: tag, GIT_CONFIG_GLOBAL: "/dev/null",
    };
    this.client = new Client({ name: "bench", version: "1" });
    await this.client.connect(new StdioClientTransport({ command, args, env, cwd: folder, stderr: "ignore" }));
    this.tools = (await this.client.listTools()).tools;
    this.begin();
  }

  /** Begins a task. */
  begin() {
    Object.assign(this, { calls: 0, seen: "", steps: [] });
  }

  /** Calls a tool. Clients pass on `structuredContent` alone where a result has it, else the text. */
  async call(tool, args, timeout = 60_000) {
    const result = await this.client.callTool({ name: tool, arguments: args }, undefined, { timeout }).catch((error) => ({
      content: [{ type: "text", text: `${error.message}` }],
    }));
    const text = result.structuredContent
      ? JSON.stringify(result.structuredContent)
      : result.content.map((part) => part.text ?? "").join("\n");
    this.calls++;
    this.seen += `${text}\n`;
    this.steps.push({ tool, args, text });
    return text;
  }

  /** The numbers of the task: calls, characters and tokens that reach the model. */
  figures() {
    const texts = this.steps.map((step) => step.text);
    return {
      calls: this.calls,
      characters: texts.reduce((sum, text) => sum + text.length, 0),
      tokens: texts.reduce((sum, text) => sum + countTokens(text), 0),
    };
  }

  stop() {
    return this.client.close();
  }
}

export { countTokens };
