// Figures for docs/benchmarks.md, taken by hand: node test/browser/run.js measure ADDRESS TOKENS. Asserts nothing.
import { newTerminal, rows, shows, until } from "./browser.js";

const sorted = (values) => [...values].sort((one, other) => one - other);
const at = (values, part) => Math.round(sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))]);

/** Thread time and frames of a page over some seconds, and the bytes that its connection got. */
async function costs(page, ms, during = async () => {}) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  await devtools.send("Network.enable");
  let got = 0;
  devtools.on("Network.webSocketFrameReceived", ({ response }) => (got += response.payloadData.length));
  const busy = async () =>
    (await devtools.send("Performance.getMetrics")).metrics.find((one) => one.name === "TaskDuration").value;
  const before = await busy();
  const began = Date.now();
  await during();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms - (Date.now() - began))));
  const seconds = (Date.now() - began) / 1000;
  const figures = {
    thread_ms_a_second: Math.round(((await busy()) - before) * (1000 / seconds)),
    feed_bytes_a_second: Math.round(got / seconds),
  };
  await devtools.detach();
  return figures;
}

async function terminal(site) {
  const page = await site.page();
  const began = Date.now();
  const key = await newTerminal(page, "PS1='ready> ' bash --norc");
  await shows(page, key, "ready>");
  const ready = Date.now() - began;
  const echoes = [];
  for (let count = 0; count < 60; count++) {
    echoes.push(
      await page.evaluate((which) => {
        const before = globalThis.belayConsole.text(which).join("\n").length;
        const start = performance.now();
        const area = document.querySelector(".xterm-helper-textarea");
        area.dispatchEvent(new KeyboardEvent("keydown", { key: "x", keyCode: 88, bubbles: true, cancelable: true }));
        area.dispatchEvent(new KeyboardEvent("keypress", { key: "x", charCode: 120, keyCode: 120, bubbles: true }));
        return new Promise((resolve) => {
          const look = () =>
            globalThis.belayConsole.text(which).join("\n").length > before
              ? resolve(performance.now() - start)
              : requestAnimationFrame(look);
          look();
        });
      }, key),
    );
  }
  await page.keyboard.press("Control+u");
  const reloaded = Date.now();
  await page.reload();
  await shows(page, key, "ready>");
  const back = Date.now() - reloaded;
  await page.locator(".pane.focused .xterm-helper-textarea").focus();
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, one.duration);
    }).observe({ type: "longtask" });
  });
  await page.keyboard.type("seq 1000000000\n");
  await shows(page, key, /^\d{6}/);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const stopped = Date.now();
  await page.keyboard.press("Control+c");
  await until(async () => (await rows(page, key)).findLast((row) => row !== "")?.startsWith("ready>"), "the prompt");
  const prompt = Date.now() - stopped;
  const [longest, heap] = await page.evaluate(() => [globalThis.longest, performance.memory?.usedJSHeapSize]);
  await page.context().close();
  return {
    ready_ms: ready,
    echo_ms: { p50: at(echoes, 0.5), p95: at(echoes, 0.95) },
    back_after_reload_ms: back,
    flood: { longest_task_ms: Math.round(longest), ctrl_c_ms: prompt, heap_mb: Math.round(heap / 1e6) },
  };
}

async function many(site) {
  const printing = "while :; do echo tick; sleep 0.5; done";
  const create = async (from) => {
    for (let number = from + 1; number < 500; number += 8) {
      const command = number < 50 ? ["sh", "-c", printing] : ["sleep", "600"];
      await site.call("POST", "/api/sessions", { command, id: `s${number}`, cols: 80, rows: 24 });
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, from) => create(from)));
  const page = await site.page();
  const drawn = (selector) =>
    page.waitForFunction((which) => document.querySelectorAll(which).length === 500, selector);
  await drawn(".wall a");
  const wall = await costs(page, 8000);
  const frames = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const list = document.querySelector(".sessions");
        const times = [];
        let last = performance.now();
        const end = last + 3000;
        const step = (now) => {
          times.push(now - last);
          list.scrollTop += 6 * (now - last);
          last = now;
          if (now < end) requestAnimationFrame(step);
          else resolve(times);
        };
        requestAnimationFrame(step);
      }),
  );
  const switched = await page
    .evaluate(() => {
      const start = performance.now();
      document.activeElement?.blur();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "w", bubbles: true }));
      return new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start))),
      );
    })
    .catch(() => null);
  await drawn(".row.item").catch(() => undefined);
  const table = await costs(page, 8000);
  return { wall, scrolling_p95_ms: at(frames, 0.95), table_first_drawing_ms: Math.round(switched ?? 0), table };
}

export async function measure(site) {
  console.error(JSON.stringify(await terminal(site)));
  console.error(JSON.stringify(await many(site)));
}
