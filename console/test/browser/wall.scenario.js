import assert from "node:assert/strict";
import { agent, choose, opened, shows, until } from "./browser.js";

/** How many pixels of a thumbnail are not its ground. */
export const inked = (page, key) =>
  page.evaluate((which) => {
    const canvas = document.querySelector(`a[data-key="${which}"] canvas`);
    if (!canvas?.width) return 0;
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] > 100) count++;
    return count;
  }, key);

export async function wall(site) {
  const page = await site.page();
  await page.getByText("Nothing is running yet").waitFor();
  await site.call("POST", "/api/sessions", { cmd: "echo hello; exec cat", id: "greets", cols: 80, rows: 24 });
  const card = page.locator('a[data-key="alice/greets"]');
  await card.waitFor();
  const before = await until(() => inked(page, "alice/greets"), "the thumbnail is drawn");
  await site.call("POST", "/api/sessions/greets/input", { text: "more text than before, in a second line\n" });
  await until(async () => (await inked(page, "alice/greets")) > before, "the thumbnail follows");
  await card.press("Enter");
  const key = await opened(page);
  await shows(page, key, "more text than before");
  await page.keyboard.press("Control+Shift+K");
  await page.getByRole("combobox", { name: "Search or run" }).fill("activity");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await page.locator(".events li", { hasText: "opened" }).getByRole("button", { name: "greets" }).waitFor();
  await page.locator(".events li", { hasText: "attached" }).first().waitFor();
  await site
    .call("POST", "/api/sessions", { cmd: "true", workdir: "/" })
    .catch((error) => assert.match(`${error}`, /403/));
  await page.getByRole("button", { name: "Refused" }).click();
  await page.locator(".events li.failed").getByText("workspace").waitFor();
  await page.keyboard.press("Control+Shift+H");
  await page.locator(".total", { hasText: "refused in an hour" }).getByText("1", { exact: true }).waitFor();
  await page.locator(".total", { hasText: "live sessions" }).getByText("1", { exact: true }).waitFor();
}

/** A password that an agent cannot know: seen on the wall and in the tab's title, typed privately, handed back. */
export async function needsYou(site) {
  const page = await site.page();
  await page.getByText("Nothing is running yet").waitFor();
  const call = await agent(site);
  await site.call("POST", "/api/sessions", { cmd: "sleep 600", id: "older" });
  const cmd = "read -s -p 'Password: ' x; echo; expr length \"$x\" | sed s/^/got-/; exec cat";
  await call("unified_exec", { cmd, session_id: "asks", yield_time_ms: 1000 });
  await site.call("POST", "/api/sessions", { cmd: "sleep 600", id: "newer" });
  const card = page.locator('a[data-key="alice/asks"]');
  await card.getByText("password").waitFor();
  await page.waitForFunction(() => document.title === "(1) Belay");
  await until(async () => (await page.locator(".wall a").first().getAttribute("data-key")) === "alice/asks", "first");
  await page.getByRole("button", { name: "Needs you" }).click();
  await until(async () => (await page.locator(".wall a").count()) === 1, "only who waits");
  const key = await choose(page, "asks");
  await page.getByText("waits for a password.").waitFor();
  await page.getByRole("button", { name: "Type it privately" }).click();
  await page.getByText("Private: only you").waitFor();
  await page.keyboard.type("hunter2\n");
  await shows(page, key, "got-7");
  await page.getByText("is typing here. You are watching.").waitFor();
  await page.waitForFunction(() => document.title === "(1) Belay" || document.title === "Belay");
  const read = await call("read_output", { session_id: "asks", from: 0 });
  assert.doesNotMatch(read, /hunter2/);
}

/** Many sessions: all are listed, and only what is in view is drawn. */
export async function manySessions(site) {
  const MANY = 500;
  const create = async (from) => {
    for (let number = from; number < MANY; number += 8) {
      const spec = { command: ["sleep", "600"], mode: "pipe", id: `s${String(number).padStart(3, "0")}` };
      await site.call("POST", "/api/sessions", spec);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, at) => create(at)));
  const page = await site.page();
  await page.waitForFunction((many) => document.querySelectorAll(".wall a").length === many, MANY);
  await page.getByLabel("Filter sessions").fill("s499");
  await page.waitForFunction(() => document.querySelectorAll(".wall a").length === 1);
  await page.getByLabel("Filter sessions").fill("");
  await page.keyboard.press("Escape");
  await page.keyboard.press("w");
  await page.waitForFunction((many) => document.querySelectorAll(".row.item").length === many, MANY);
  await site.call("DELETE", "/api/sessions/s250");
  await page.waitForFunction((many) => document.querySelectorAll(".row.item .dot.live").length === many - 1, MANY);
  await page.locator('[data-key$="/s000"]').scrollIntoViewIfNeeded();
  await choose(page, "s000");
}
