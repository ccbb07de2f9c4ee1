import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { agent, choose, rows, shows, until } from "./browser.js";

/** What an agent's shell has run: how it ended and how long it took; where it stands, and a copy of what it printed. */
export async function commands(site) {
  const call = await agent(site);
  for (const cmd of ["seq 1 120", "sh -c 'echo oops; exit 3'", "seq 501 620"]) {
    await call("unified_exec", { cmd, in: "main", yield_time_ms: 20_000 });
  }
  const page = await site.page(site.tokens.alice, { permissions: ["clipboard-read", "clipboard-write"] });
  const key = await choose(page, "main");
  await shows(page, key, /^620$/);
  await page.keyboard.press("Control+Shift+D");
  const list = page.locator(".commands li");
  await list.nth(2).waitFor();
  assert.deepEqual(await list.locator(".badge").allTextContents(), ["0", "3", "0"]);
  for (const note of await list.locator(".note").allTextContents()) assert.match(note, /\d+(\.\d)? s$/);

  await page.getByRole("button", { name: "seq 1 120", exact: true }).click();
  await shows(page, key, /^1$/);
  assert.ok(!(await rows(page, key)).includes("620"), "the first command is shown, not the last");
  await page.getByRole("button", { name: "seq 501 620", exact: true }).click();
  await shows(page, key, /^501$/);
  await page.getByRole("button", { name: "sh -c 'echo oops; exit 3'", exact: true }).press("Enter");
  await shows(page, key, /^oops$/);

  await page.getByRole("button", { name: "Copy the output of seq 501 620" }).click();
  await page.getByText("Output copied to the clipboard.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, Array.from({ length: 120 }, (_, at) => `${501 + at}\n`).join(""));

  await call("unified_exec", { cmd: "sh -c 'exit 7'", in: "main", yield_time_ms: 20_000 });
  await until(async () => (await list.locator(".badge").allTextContents()).at(-1) === "7", "the list follows");

  const waits = async () => (await site.call("GET", "/api/sessions")).sessions[0].input?.waiting;
  await until(async () => (await waits()) === false, "a shell at its prompt waits for its agent, not for a person");
  await call("unified_exec", { cmd: "read -r answer", in: "main", yield_time_ms: 500 });
  await until(async () => (await waits()) === true, "a program in it does");
  await page.locator(".tab-of .badge.waits").waitFor();
}

/** Facts, people and events of a session, the names of its variables without their values, and its output as files. */
export async function facts(site) {
  const env = { BELAY_TEST_NAME: "value-of-it" };
  const cmd = "printf '\\e[31mred\\e[0m\\n'; exec cat";
  await site.call("POST", "/api/sessions", { cmd, id: "known", env, labels: { team: "web" } });
  const other = await site.page(site.tokens.eve);
  await choose(other, "known");
  const page = await site.page();
  await choose(page, "known");
  await page.keyboard.press("Control+Shift+D");
  const details = page.getByLabel("Details");
  for (const text of ["BELAY_TEST_NAME", "team=web", "eve watches", "alice types", "opened"])
    await details.getByText(text).first().waitFor();
  await details.locator(".processes").getByText("cat").waitFor();
  assert.doesNotMatch(await page.content(), /value-of-it/);

  const saved = async (name) => {
    const download = page.waitForEvent("download");
    await details.getByRole("button", { name }).click();
    return readFileSync(await (await download).path(), "utf8");
  };
  assert.equal(await saved("Text"), "red\n");
  assert.equal(await saved("Raw"), "\u001b[31mred\u001b[0m\r\n");
}
