// A real Chromium on the console. A console message, a page error, a violation of the policy or a request to another
// host fails the scenario, whatever else it looks at.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const PATIENCE = Number(process.env.PATIENCE ?? 45_000);

export async function browse(address, tokens, scenario) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  const complaints = [];
  const expected = [];
  const base = address.replace(/\/$/, "");
  const site = {
    base,
    tokens,
    browser,
    /** A console message that belongs to the scenario: the browser notes each refused request. */
    expect: (pattern) => expected.push(pattern),
    call: (method, path, body, token = tokens.alice) => call(base, method, path, body, token),
    async context(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        colorScheme: "dark",
        ...options,
      });
      context.setDefaultTimeout(PATIENCE);
      await context.addInitScript(() => {
        addEventListener("securitypolicyviolation", (event) =>
          console.error(
            `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
          ),
        );
      });
      context.on("page", (page) => watch(page, base, complaints));
      return context;
    },
    /** A page that is signed in by a link, as `belay serve` prints it. */
    async page(token = tokens.alice, options = {}) {
      const context = await site.context(options);
      const page = await context.newPage();
      await site.enter(page, token);
      return page;
    },
    async enter(page, token = tokens.alice) {
      const { ticket } = await call(base, "POST", "/api/tickets", { for: "console" }, token);
      await page.goto(`${base}/#ticket=${ticket}`);
      await page.locator(".line.live .dot").waitFor();
    },
  };
  try {
    await scenario(site);
    const left = complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
    assert.deepEqual(left, [], "the page is silent");
    console.log("{}");
  } finally {
    await browser.close();
  }
}

function watch(page, base, complaints) {
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`page error: ${error.stack ?? error}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${base}/`)) complaints.push(`request to ${url}`);
  });
}

async function call(base, method, path, body, token) {
  const answer = await fetch(base + path, {
    method,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  const json = text && answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return json;
}

/** Waits until something is true; says what it saw last if it never is. */
export async function until(look, what, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) assert.fail(`${what}: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const rows = (page, key) => page.evaluate((which) => globalThis.belayConsole.text(which), key);
export const shows = (page, key, text) =>
  until(async () => {
    const seen = await rows(page, key);
    return seen?.some((row) => (text instanceof RegExp ? text.test(row) : row.includes(text))) ? seen : null;
  }, `${key} shows ${text}`);

/** Opens a terminal by the page's own dialog. Gives its key. */
export async function newTerminal(page, command = "") {
  await page.getByRole("button", { name: "New terminal" }).first().click();
  await page.getByLabel("Command").fill(command);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  return opened(page);
}

/** The key of the terminal that the address names, once it takes keys. */
export async function opened(page, owner) {
  await page.waitForFunction(() => /^#\/s\//.test(location.hash));
  const hash = await page.evaluate(() => location.hash);
  const [, id, named] = /^#\/s\/([^/?]+)(?:\?owner=(.*))?$/.exec(hash) ?? [];
  const key = `${named ?? owner ?? (await page.evaluate(() => JSON.parse(sessionStorage.getItem("belay-me")).name))}/${id}`;
  await until(() => page.evaluate((which) => globalThis.belayConsole.ready(which), key), `${key} is open`);
  await page.waitForFunction(() => document.activeElement?.matches(".pane.focused .xterm-helper-textarea"));
  return key;
}

/** Opens a session from the list. */
export async function choose(page, id) {
  await page.locator(`[data-key$="/${id}"] a, a[data-key$="/${id}"]`).click();
  return opened(page);
}

/** An agent's side, over MCP. */
export async function agent(site, token = site.tokens.alice) {
  let conversation;
  let number = 0;
  const post = async (message) => {
    const answer = await fetch(`${site.base}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(conversation && { "Mcp-Session-Id": conversation }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    conversation ??= answer.headers.get("Mcp-Session-Id");
    const text = await answer.text();
    const data = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? text;
    return data ? JSON.parse(data) : null;
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  await post({ id: "begin", method: "initialize", params });
  await post({ method: "notifications/initialized" });
  return async (name, args) => {
    const answer = await post({ id: ++number, method: "tools/call", params: { name, arguments: args } });
    assert.ok(answer.result, JSON.stringify(answer));
    return answer.result.content.map((part) => part.text).join("");
  };
}
