// Runs one scenario against a real server: node test/browser/run.js NAME ADDRESS TOKENS-AS-JSON
import { readdirSync } from "node:fs";
import { browse } from "./browser.js";

const [, , name, address, tokens] = process.argv;
const here = new URL(".", import.meta.url);
const files = readdirSync(here).filter((file) => file.endsWith(".scenario.js"));
const modules = await Promise.all(files.map((file) => import(new URL(file, here))));
const scenario = modules.map((module) => module[name]).find((one) => one !== undefined);
if (!scenario) throw new Error(`no scenario ${name}`);
await browse(address, JSON.parse(tokens), scenario);
