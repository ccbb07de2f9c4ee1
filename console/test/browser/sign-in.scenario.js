import assert from "node:assert/strict";
import { until } from "./browser.js";

const REFUSED = /status of 401/;

export async function signIn(site) {
  const page = await site.page();
  assert.equal(await page.evaluate(() => location.hash), "#/", "the ticket is gone from the address");
  await page.reload();
  await page.getByText("live", { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("belay-token")), null);

  const sibling = await page.context().newPage();
  await sibling.goto(`${site.base}/`);
  await sibling.getByText("live", { exact: true }).waitFor();
  const token = (which) => which.evaluate(() => sessionStorage.getItem("belay-token"));
  assert.notEqual(await token(sibling), await token(page), "each tab has a token of its own");

  const alone = await (await site.context()).newPage();
  await alone.goto(`${site.base}/`);
  await alone.getByRole("heading", { name: "Sign in to Belay" }).waitFor();
  site.expect(REFUSED);
  await alone.getByLabel("Token").fill("wrong");
  await alone.getByRole("button", { name: "Sign in" }).click();
  await alone.getByText("Unknown token").waitFor();
  await alone.getByLabel("Token").fill(site.tokens.alice);
  await alone.getByRole("button", { name: "Sign in" }).click();
  await alone.getByText("live", { exact: true }).waitFor();
  assert.notEqual(await token(alone), site.tokens.alice, "the pasted token is forgotten");

  await alone.keyboard.press("Control+Shift+K");
  await alone.getByRole("combobox", { name: "Search or run" }).fill("sign out");
  await alone.keyboard.press("Enter");
  await alone.getByText("You have signed out of this browser tab.").waitFor();
  await alone.reload();
  await alone.getByRole("heading", { name: "Sign in to Belay" }).waitFor();
  await sibling.reload();
  await sibling.getByText("live", { exact: true }).waitFor();
}

export async function expiredLink(site) {
  site.expect(REFUSED);
  const page = await (await site.context()).newPage();
  let asked = 0;
  page.on("request", (request) => request.url().includes("/api/") && asked++);
  await page.goto(`${site.base}/#ticket=used-up`);
  await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
  await page.getByText("The ticket has expired").waitFor();
  assert.equal(asked, 1, "it does not try again");

  await page.evaluate(() => sessionStorage.setItem("belay-token", "gone"));
  await page.reload();
  await until(() => page.getByText("You are signed out").isVisible(), "a token that is gone leads to the page");
}
