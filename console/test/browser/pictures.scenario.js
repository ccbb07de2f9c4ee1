// Pictures of the console for the docs, taken of real sessions: BELAY_PICTURES=FOLDER says where they go.
import { mkdirSync } from "node:fs";
import { agent, choose, shows, until } from "./browser.js";
import { inked } from "./wall.scenario.js";

const SIZE = { width: 1280, height: 800 };

const FILES = `
cat > Lease.java <<'END'
/// The keyboard of a session in somebody's hands: while it is held,
/// nobody else's writes reach the process.
public final class Lease implements AutoCloseable {
    private final Keyboard keyboard;
    private final String holder;

    /// Gives the keyboard back; does nothing if the lease has ended.
    public void giveBack() {
        keyboard.end(this);
    }

    void away(Duration patience) {
        synchronized (this) {
            cancel(absence);
            absence = schedule(patience);
        }
    }
}
END
cat > run-tests <<'END'
for name in session.opens socket.closes gap.keepsItsOrder auth.timesOut cursor.survivesACut viewer.resumes lease.endsTwice \\
    session.isPrivate resize.isSeen paste.isWhole flood.stops reload.typesNothing; do
  printf ' \\033[32m✓\\033[0m %s \\033[2m(%d ms)\\033[0m\\n' $name $((\${#name} * 17))
done
printf ' \\033[31m✗ signal.endsTheTree (402 ms)\\033[0m\\n'; sleep 600
END
cat > serve-api <<'END'
for n in $(seq 1 14); do
  printf '\\033[2m10:42:%02d\\033[0m \\033[36mGET\\033[0m  /api/sessions \\033[32m200\\033[0m %d ms\\n' $n $((n * 3))
done; sleep 600
END
cat > deploy <<'END'
echo 'Plan: 3 to add, 1 to change, 0 to destroy.'; printf '\\033[31mError: no credentials for the registry\\033[0m\\n'; exit 1
END
cat > build-all <<'END'
for m in core linux screen screens socketio agent mcp server; do
  printf '[\\033[1;34mINFO\\033[0m] Building belay-%s \\033[2m%s\\033[0m \\033[32m%d.4 s\\033[0m\\n' $m .................. \${#m}
done; sleep 600
END
cat > install-jq <<'END'
read -s -p '[sudo] password for alice: ' x; exec cat
END
sed -i '1i #!/bin/bash' run-tests serve-api deploy build-all install-jq
chmod +x install-jq run-tests serve-api deploy build-all; touch made`;

async function prepare(site) {
  const open = (spec, token) => site.call("POST", "/api/sessions", { cols: 100, rows: 30, ...spec }, token);
  await open({ id: "files", cmd: `${FILES}; echo ready` });
  await until(async () => (await site.call("GET", "/api/sessions/files")).state === "exited", "the files are made");
  await site.call("DELETE", "/api/sessions/files");
  const env = { VIMINIT: "syntax on | set number background=dark" };
  await open({ id: "api", cmd: "./serve-api", labels: { team: "web" } });
  await open({ id: "preview", cmd: "./serve-api", labels: { team: "web" } }, site.tokens.bob);
  await open({ id: "top", command: ["htop"] }, site.tokens.bob);
  await open({ id: "edit", command: ["vim", "Lease.java"], env, cols: 80, rows: 24 }, site.tokens.bob);
  await open({ id: "infra", cmd: "./deploy", labels: { team: "ops" } }, site.tokens.bob);
  const alice = await agent(site);
  const bob = await agent(site, site.tokens.bob);
  await alice("unified_exec", { cmd: "./run-tests", session_id: "tests", yield_time_ms: 500 });
  for (const cmd of ["git init -q -b main", "grep -c Lease Lease.java", "git push origin main", "./build-all"])
    await alice("unified_exec", { cmd, in: "main", yield_time_ms: 4000 });
  await bob("unified_exec", { cmd: "python3 -q", session_id: "py", yield_time_ms: 2000 });
  await bob("write_stdin", { session_id: "py", chars: "[n * n for n in range(8)]\n", yield_time_ms: 500 });
  const sudo = "./install-jq";
  await alice("unified_exec", { cmd: sudo, session_id: "setup", yield_time_ms: 500 });
}

export async function pictures(site) {
  const folder = process.env.BELAY_PICTURES ?? "target/pictures";
  mkdirSync(folder, { recursive: true });
  await prepare(site);
  for (const colorScheme of ["dark", "light"]) {
    const page = await site.page(site.tokens.admin, { viewport: SIZE, colorScheme });
    const shot = (name, which = page) =>
      which.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, animations: "disabled" });
    await page.locator('[data-key="bob/infra"]').getByText("exit 1", { exact: true }).waitFor();
    await page.locator('[data-key="alice/setup"]').getByText("password", { exact: true }).waitFor();
    for (const key of ["alice/tests", "bob/edit", "bob/top"]) await until(() => inked(page, key), `${key} is drawn`);
    await shot("wall");
    await page.keyboard.press("w");
    await page.locator(".row.item").first().waitFor();
    await shot("table");
    await page.keyboard.press("w");
    const vim = await choose(page, "edit");
    await shows(page, vim, "public final class Lease");
    await page.keyboard.press("Control+Shift+Enter");
    await page.getByText("You have the keyboard.").first().waitFor();
    await shows(page, vim, "absence = schedule");
    await shot("terminal");
    await page.keyboard.press("Control+Shift+Enter");
    await page.getByText("You are watching.").first().waitFor();
    await site.call("POST", "/api/sessions/edit/resize", { cols: 80, rows: 30 }, site.tokens.bob);
    await page.evaluate(() =>
      sessionStorage.setItem(
        "belay-layout",
        JSON.stringify({
          tabs: [
            {
              id: 1,
              root: { way: "right", first: "alice/main", second: "bob/edit" },
              focus: "alice/main",
              zoomed: false,
            },
            { id: 2, root: "bob/py", focus: "bob/py", zoomed: false },
          ],
          active: 1,
          next: 3,
        }),
      ),
    );
    await page.goto(`${site.base}/`);
    await page.reload();
    await shows(page, "alice/main", "belay-server");
    await shows(page, vim, "public final class Lease");
    await shot("take-over");
    await page.locator(".pane.focused .xterm-helper-textarea").focus();
    await page.keyboard.press("Control+Shift+D");
    await page.locator(".commands li").nth(3).waitFor();
    await page.locator(".details .processes li").nth(2).waitFor();
    await shot("details");
    await page.keyboard.press("Control+Shift+D");
    await page.keyboard.press("Control+Shift+P");
    await page.getByText("Private: only you").waitFor();
    await shot("private");
    await page.keyboard.press("Control+Shift+Enter");
    await page.getByText("Private: only you").waitFor({ state: "hidden" });
    await page.context().close();
    const phone = await site.page(site.tokens.alice, {
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      colorScheme,
    });
    await until(() => inked(phone, "alice/tests"), "drawn");
    await shot("phone", phone);
    await phone.context().close();
  }
}
