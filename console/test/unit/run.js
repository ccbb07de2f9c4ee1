// Bundles the unit tests with esbuild, since node 20 reads no TypeScript, and runs them.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const tests = readdirSync("test/unit").filter((file) => file.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((file) => `test/unit/${file}`),
  bundle: true,
  platform: "node",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "target/unit",
  outExtension: { ".js": ".mjs" },
  alias: { "belay-client": "../client/belay-client.js" },
  nodePaths: ["node_modules"],
  external: ["socket.io-client"],
  inject: ["test/unit/page.js"],
  logLevel: "warning",
});
const files = tests.map((file) => `target/unit/${file.replace(".ts", ".mjs")}`);
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
