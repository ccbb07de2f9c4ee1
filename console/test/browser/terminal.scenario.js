import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { choose, newTerminal, opened, rows, shows, until } from "./browser.js";

export async function openTypeRead(site) {
  const page = await site.page();
  const key = await newTerminal(page, "PS1='ready> ' bash --norc");
  await shows(page, key, "ready>");
  await page.keyboard.type("echo $((6*7)) \u00e4 \ud83d\ude00 && printf '\\e[1;31mred\\e[0m\\n'\n");
  await shows(page, key, /^42 \u00e4 \ud83d\ude00/);
  await shows(page, key, /^red/);
  await page.keyboard.type("exit 3\n");
  await page.getByText("exit 3", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Run again" }).click();
  const again = await until(async () => {
    const now = await opened(page);
    return now !== key && now;
  }, "another session");
  await shows(page, again, "ready>");
}

/** What is on the page equals the server's own terminal, whatever program draws it. */
export async function hostile(site) {
  const page = await site.page();
  const folder = "<img src=x onerror=alert(2)>";
  await site.call("POST", "/api/sessions", {
    cmd: `mkdir -p '${folder}'; touch '${folder}/<script>alert(3)<'`,
    id: "makes",
  });
  const osc =
    "\\e]0;<img src=x onerror=alert(1)>\\a\\e]8;;javascript:alert(1)\\aclick\\e]8;;\\a\\e]52;c;aGVsbG8=\\a\\e]52;c;?\\a";
  const key = await newTerminal(
    page,
    `echo ready; ls '${folder}'; read x; printf '${osc}'; printf '<b>x</b>\\n'; exec cat -v`,
  );
  await shows(page, key, "ready");
  await page.keyboard.press("Enter");
  await shows(page, key, "<b>x</b>");
  await shows(page, key, "<script>alert(3)<");
  await page.locator(".foot").getByText("<img src=x onerror=alert(1)>").waitFor();
  await page.getByText("A program here wants to write to your clipboard").waitFor();
  await page.getByRole("button", { name: "Refuse" }).click();
  const cell = page.locator(".xterm-screen");
  await cell.click({ position: { x: 12, y: 42 }, modifiers: ["Control"] });
  assert.equal(page.context().pages().length, 1, "no window opens");
  await page.keyboard.type("done\n");
  const seen = await until(async () => {
    const all = await rows(page, key);
    return all.filter((row) => row.startsWith("done")).length === 2 && all;
  }, "echo and answer");
  assert.ok(!seen.some((row) => row.includes("^[")), `no stray byte: ${seen}`);
  await site.call("POST", "/api/sessions", {
    cmd: "exec cat",
    id: "inside",
    workdir: folder,
    labels: { a: "<i>b</i>" },
  });
  await page.keyboard.press("Control+Shift+H");
  await choose(page, "inside");
  await page.keyboard.press("Control+Shift+D");
  await page.getByLabel("Details").getByText(folder).waitFor();
  assert.equal(await page.locator("img, i, b, script[src*=alert]").count(), 0);
}

export async function largePaste(site) {
  const page = await site.page();
  const text = Array.from({ length: 1 << 20 }, (_, at) => String.fromCharCode(97 + ((at * 7) % 26))).join("");
  const key = await newTerminal(page, `stty raw -echo; echo ready; head -c ${text.length} | sha256sum`);
  await shows(page, key, "ready");
  await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    document
      .querySelector(".xterm-helper-textarea")
      .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await shows(page, key, createHash("sha256").update(text).digest("hex"));
}

export async function pasteAsks(site) {
  const page = await site.page();
  const key = await newTerminal(page, "cat -v");
  const paste = (text) =>
    page.evaluate((pasted) => {
      const data = new DataTransfer();
      data.setData("text/plain", pasted);
      document
        .querySelector(".xterm-helper-textarea")
        .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  await paste("one\u001b[200~\u0003two");
  await shows(page, key, "one[200~two");
  await page.keyboard.press("Enter");
  await paste("first\nsecond\n");
  await page.getByRole("heading", { name: "Paste 3 lines?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.ok(!(await rows(page, key)).some((row) => row.includes("first")));
  await paste("first\nsecond\n");
  await page.getByRole("button", { name: "Paste", exact: true }).click();
  await shows(page, key, "second");
}
