// Scenarios in Chromium: `node browser.js URL TOKEN SCENARIO ...`. The page comes from `page/`, as if the server had it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { run } from "./raw.js";

const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", css: "text/css" };
// Chromium takes a page that playwright answers for to be from far away, from where it may not reach this machine.
const FLAGS = ["--disable-features=LocalNetworkAccessChecks", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

async function open(url, token, id, context) {
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(error));
  await page.route("**/files/**", async (route) => {
    const path = new URL(route.request().url()).pathname.replace("/files/", "");
    await route.fulfill({ body: await readFile(new URL(`../${path}`, import.meta.url)), contentType: TYPES[path.split(".").pop()] });
  });
  await page.goto(new URL("/files/test/page/index.html", url).href);
  await page.waitForFunction(() => globalThis.view);
  await page.evaluate(([token, id]) => globalThis.view(token, id), [token, id]);
  return page;
}

const shows = (page, text) => page.waitForFunction((text) => shown.rows().join("\n").includes(text), text, { timeout: 120_000 });

run({
  // Of each session, a page that has watched from the beginning and one that comes late look the same, in every cell and pixel.
  async same(url, token, folder, ...sessions) {
    const api = (path, init) => fetch(new URL(path, url), { ...init, headers: { Authorization: `Bearer ${token}` } });
    await mkdir(folder, { recursive: true });
    const profile = await mkdtemp(join(tmpdir(), "belay-chromium-"));
    const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS, viewport: { width: 900, height: 500 } });
    const seen = {};
    try {
      for (const session of sessions) {
        const [id, mark] = session.split("=");
        const early = await open(url, token, id, context);
        await shows(early, "ready");
        await api(`/api/sessions/${id}/input?newline=true`, { method: "POST", body: "go" });
        await shows(early, mark);
        await api(`/api/sessions/${id}/signal`, { method: "POST", body: JSON.stringify({ signal: "SIGSTOP" }) }); // it holds still
        const { output_end: end } = await (await api(`/api/sessions/${id}`)).json();
        const pages = [early, await open(url, token, id, context)];
        const pictures = [];
        for (const [i, page] of pages.entries()) {
          await page.bringToFront();
          await page.waitForFunction((end) => shown.offset() >= end, end, { timeout: 120_000 });
          await shows(page, mark);
          await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
          // Without the scrollbar, which fades in its own time.
          const picture = await page.locator(".xterm-screen").screenshot({ animations: "disabled" });
          await writeFile(join(folder, `${id}-${i ? "late" : "early"}.png`), picture);
          pictures.push({ cells: await page.evaluate(() => shown.cells()), cursor: await page.evaluate(() => shown.cursor()), picture });
        }
        const [first, late] = pictures;
        assert.deepEqual(late.cells, first.cells, id);
        assert.deepEqual(late.cursor, first.cursor, id);
        assert.ok(late.picture.equals(first.picture), `${id} looks different; see ${folder}`);
        seen[id] = { output: end, cursor: late.cursor };
        await Promise.all(pages.map((page) => page.close()));
      }
    } finally {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
    return seen;
  },
});
