import assert from "node:assert/strict";
import { choose, shows, until } from "./browser.js";
import { accessible } from "./looks.scenario.js";

/** Questions of the guard: on the wall and in the session, answered by mouse, by keys and elsewhere. */
export async function approvals(site) {
  const page = await site.page(site.tokens.admin);
  await page.getByText("Nothing is running yet").waitFor();
  const run = (id, cmd) => site.call("POST", "/api/sessions", { cmd, id });
  await run("first", "uname -s; exec cat");
  const question = page.getByRole("region", { name: "Approval: uname -s" });
  await question.getByText("machine").waitFor();
  await page.waitForFunction(() => document.title === "(1) Belay");
  await page.locator('a[data-key="alice/first"]').getByText("asks for approval").waitFor();
  await accessible(page, "a question on the wall");
  await question.getByRole("button", { name: "Allow once" }).click();
  await question.waitFor({ state: "detached" });
  let key = await choose(page, "first");
  await shows(page, key, "Linux");

  await run("second", "uname -m || echo no-$((40+2)); exec cat");
  await page.waitForFunction(() => document.title === "(1) Belay");
  await page.keyboard.press("Control+Shift+A");
  const here = page.locator(".pane").getByRole("region", { name: "Approval: uname -m" });
  await here.getByText("Started by").waitFor();
  await page.waitForFunction(() => document.activeElement?.matches(".question button"));
  await accessible(page, "a question in its session");
  await here.getByRole("button", { name: "Deny" }).focus();
  await page.keyboard.press("Enter");
  key = "alice/second";
  await shows(page, key, "no-42");
  await here.waitFor({ state: "detached" });

  await run("third", "uname -r; exec cat");
  await page.keyboard.press("Control+Shift+H");
  await page.getByRole("region", { name: "Approval: uname -r" }).waitFor();
  const { approvals: pending } = await site.call("GET", "/api/approvals", undefined, site.tokens.admin);
  assert.equal(pending.length, 1);
  await site.call("POST", `/api/approvals/${pending[0].id}`, { answer: "deny" }, site.tokens.admin);
  await page.getByRole("region", { name: "Approval: uname -r" }).waitFor({ state: "detached" });
  await until(async () => (await page.title()) === "Belay", "nothing waits any more");

  await run("fourth", "arch; exec cat");
  await page.keyboard.press("Control+Shift+K");
  await page.getByRole("combobox", { name: "Search or run" }).fill("activity");
  await page.keyboard.press("Enter");
  const line = (text) => page.locator(".events li").filter({ hasText: text }).first().waitFor();
  await line(/answeredadmin.*uname, allowed, rule machine/);
  await line(/answeredadmin.*uname, denied, rule machine/);
  await line(/denied.*arch, denied, rule never/);
}
