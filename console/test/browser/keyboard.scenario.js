import assert from "node:assert/strict";
import { agent, choose, opened, rows, shows, until } from "./browser.js";

export async function takeOver(site) {
  const call = await agent(site);
  await call("unified_exec", { cmd: "PS1='agent> ' bash --norc", session_id: "shared", yield_time_ms: 2000 });
  const page = await site.page();
  const key = await choose(page, "shared");
  await shows(page, key, "agent>");
  await page.getByText("is typing here. You are watching.").waitFor();

  await page.keyboard.type("echo watcher\n");
  await call("write_stdin", { session_id: "shared", chars: "echo from-agent\n", yield_time_ms: 1000 });
  const seen = await shows(page, key, /^from-agent/);
  assert.ok(!seen.some((row) => row.includes("watcher")), `a watcher types nothing: ${seen}`);

  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("You have the keyboard.").first().waitFor();
  await page.keyboard.type("echo from-$((40+2))\n");
  await shows(page, key, /^from-42/);
  const told = await call("write_stdin", { session_id: "shared", chars: "echo no\n", yield_time_ms: 500 });
  assert.match(told, /has the keyboard/);
  const read = await call("read_output", { session_id: "shared", from: 0 });
  assert.match(read, /from-42/, "the agent reads on");

  await page.getByRole("button", { name: "Type privately" }).click();
  await page.getByText("Private: only you").waitFor();
  await page.keyboard.type("echo top-$((1000+234))\n");
  await shows(page, key, /^top-1234/);
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByText("is typing here. You are watching.").waitFor();
  await call("write_stdin", { session_id: "shared", chars: "echo after\n", yield_time_ms: 1000 });
  const all = await call("read_output", { session_id: "shared", from: 0 });
  assert.match(all, /after/);
  assert.doesNotMatch(all, /1234/, "what was private stays so");
  assert.ok(await rows(page, key));
}

export async function endWithKeys(site) {
  await site.call("POST", "/api/sessions", { cmd: "sleep 600 & wait", id: "sleeper" });
  const page = await site.page();
  await page.getByText("sleeper").waitFor();
  await page.keyboard.press("j");
  await page.locator('a[data-key$="/sleeper"]:focus').waitFor();
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "End sleeper?" }).waitFor();
  await page.getByText("2 processes end with it:").waitFor();
  await page.locator("dialog .processes").getByText("└ sleep 600").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("sleeper has ended.").waitFor();
  await page.keyboard.press("Control+Shift+K");
  await page.getByRole("combobox", { name: "Search or run" }).waitFor();
  await page.keyboard.type("help and");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Help" }).waitFor();
  await page.keyboard.press("Control+Shift+H");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Command").waitFor();
  await page.keyboard.type("cat");
  await page.keyboard.press("Enter");
  const key = await opened(page);
  await page.keyboard.type("by hand\n");
  await shows(page, key, "by hand");
  await page.keyboard.press("Control+Shift+E");
  await until(async () => (await page.locator(".pane").count()) === 2, "a split");
  await page.keyboard.press("Control+Shift+X");
  await until(async () => (await page.locator(".pane").count()) === 1, "zoomed");
  for (let times = 0; times < 7; times++) await page.keyboard.press("Control+Shift+X");
  await until(async () => (await page.locator(".pane").count()) === 2, "both again, however quickly");
  await page.keyboard.press("Control+Shift+L");
  await until(
    async () => (await page.locator(".pane.focused").getAttribute("aria-label")).includes(key.split("/")[1]),
    "focus",
  );
  await shows(page, key, "by hand");
  await page.keyboard.press("Control+Shift+F");
  await page.getByLabel("Find in the terminal").waitFor();
  await page.keyboard.type("hand");
  await page.getByText(/1 of \d|2 of \d/).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+D");
  await page.getByLabel("Details").locator(".processes").getByText("cat").first().waitFor();
  await page.keyboard.press("Control+Shift+D");
  await page.reload();
  await until(async () => (await page.locator(".pane").count()) === 2, "the same splits after a reload");
  await shows(page, key, "by hand");
  await page.keyboard.press("Control+Shift+K");
  await page.getByRole("combobox", { name: "Search or run" }).waitFor();
  await page.keyboard.type("end all");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /End all 2/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("2 sessions have ended.").waitFor();
}

/** A counter over a reload and a lost line: no gap, no duplicate, no byte typed. */
export async function reloadAndOffline(site) {
  const page = await site.page();
  await site.call("POST", "/api/sessions", {
    cmd: "for i in $(seq 1 400); do echo n$i; sleep 0.03; done; exec cat -v",
    id: "counter",
    cols: 80,
    rows: 500,
  });
  const key = await choose(page, "counter");
  await shows(page, key, "n5");
  await page.reload();
  await shows(page, key, "n60");
  await page.context().setOffline(true);
  await page.evaluate(() => dispatchEvent(new Event("offline")));
  await page.reload().catch(() => undefined);
  await page.context().setOffline(false);
  await page.goto(`${site.base}/`);
  const seen = await shows(page, key, "n400");
  const numbers = seen.filter((row) => /^n\d+$/.test(row)).map((row) => Number(row.slice(1)));
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, at) => numbers[0] + at),
  );
  assert.equal(numbers.at(-1), 400);
  assert.ok(!seen.some((row) => row.includes("^[")), "nothing was typed");
}
