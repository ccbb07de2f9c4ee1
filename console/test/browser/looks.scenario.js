import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { choose, newTerminal, shows, until } from "./browser.js";
import { cuttable } from "./lost.scenario.js";

const AXE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** Nothing serious by axe-core. The script is evaluated, since the page's policy admits no other. */
export async function accessible(page, where) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter((one) => one.impact === "serious" || one.impact === "critical")
      .map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
  });
  assert.deepEqual(found, [], where);
}

async function everyState(site, options) {
  const page = await site.page(site.tokens.alice, options);
  const narrow = options.viewport !== undefined;
  await page.getByText("Nothing is running yet").waitFor();
  await accessible(page, "empty");
  await site.call("POST", "/api/sessions", { cmd: "exit 3", id: `fails${site.number}` });
  await site.call("POST", "/api/sessions", { cmd: "sleep 600", id: `sleeps${site.number}`, labels: { team: "web" } });
  await page.locator(`[data-key$="/fails${site.number}"]`).waitFor();
  await page.getByText("exit 3").nth(1).waitFor();
  await accessible(page, "wall");
  await page.keyboard.press("w");
  await page.locator(".row.item").first().waitFor();
  await accessible(page, "table");
  await page.keyboard.press("w");
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Help" }).waitFor();
  await accessible(page, "help");
  await page.keyboard.press("Control+Shift+K");
  await page.getByRole("combobox").first().waitFor();
  await accessible(page, "palette");
  await page.keyboard.type("activity");
  await page.keyboard.press("Enter");
  await page.locator(".events li").first().waitFor();
  await accessible(page, "activity");
  await page.keyboard.press("Control+Shift+H");
  await page.locator(`[data-key$="/sleeps${site.number}"]`).focus();
  await page.keyboard.press("e");
  await page.locator("dialog .processes li").first().waitFor();
  await accessible(page, "end");
  await page.keyboard.press("Escape");
  const key = await newTerminal(page, "PS1='ready> ' bash --norc");
  await shows(page, key, "ready>");
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByText("You have the keyboard.").first().waitFor();
  if (!narrow) await page.keyboard.press("Control+Shift+D");
  await accessible(page, "terminal");
  await page.keyboard.press("Control+Shift+P");
  await page.getByText("Private: only you").waitFor();
  await page.keyboard.press("Control+Shift+F");
  await page.getByLabel("Find in the terminal").waitFor();
  await accessible(page, "private, and find");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+P");
  await page.getByText("Private: only you").waitFor({ state: "hidden" });
  await page.keyboard.type("exit 1\n");
  await page.getByText("exit 1", { exact: true }).filter({ visible: true }).first().waitFor();
  await accessible(page, "ended");
  await page.getByRole("button", { name: site.me }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await accessible(page, "settings");
  const stranger = await (await site.context(options)).newPage();
  await stranger.goto(`${site.base}/`);
  await stranger.getByRole("heading", { name: "Sign in to Belay" }).waitFor();
  await accessible(stranger, "sign in");
  const lost = await cuttable(site, options);
  await lost.line.cut();
  await lost.page.getByText("You are offline.").waitFor();
  await accessible(lost.page, "offline");
  for (const { id } of (await site.call("GET", "/api/sessions")).sessions)
    await site.call("DELETE", `/api/sessions/${id}`);
}

export async function accessibleDark(site) {
  await everyState({ ...site, number: 1, me: site.tokens.owner ?? "alice" }, {});
}

export async function accessibleLight(site) {
  await everyState(
    { ...site, number: 2, me: site.tokens.owner ?? "alice" },
    { colorScheme: "light", reducedMotion: "reduce" },
  );
}

/** One column and one pane; tabs are a menu, and the keys that a phone lacks stand above its keyboard. */
export async function phone(site) {
  const page = await site.page(site.tokens.alice, { viewport: { width: 390, height: 800 }, hasTouch: true });
  const key = await newTerminal(page, "stty -echo; exec cat -v");
  await page.getByRole("button", { name: "Esc" }).click();
  await page.getByRole("button", { name: "Pipe" }).click();
  await page.keyboard.press("Enter");
  await shows(page, key, "^[|");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} px wide`);
  await accessible(page, "terminal on a phone");
  await page.locator(".tab-menu select").selectOption("0");
  await page.locator(".wall a").waitFor();
  await accessible(page, "wall on a phone");
  await choose(page, key.split("/")[1]);
  await until(async () => (await page.locator(".pane").count()) === 1, "one pane");
}
