import { newTerminal } from "./start.tsx";

/** Three ways to begin. */
export function Empty() {
  return (
    <section class="empty">
      <h2>Nothing is running yet</h2>
      <div class="ways">
        <div>
          <h3>You</h3>
          <p>Open a shell or run a command. It keeps running after you close this page, until somebody ends it.</p>
          <button type="button" class="main" onClick={() => newTerminal()}>
            New terminal
          </button>
        </div>
        <div>
          <h3>An agent</h3>
          <p>Connect one that speaks MCP; its sessions appear here.</p>
          <code>claude mcp add belay -- belay mcp</code>
        </div>
        <div>
          <h3>A program</h3>
          <p>Every session has an address of its own.</p>
          <code>
            curl -H "Authorization: Bearer $BELAY_TOKEN" {location.origin}/api/sessions -d '{"{"}"cmd": "top"{"}"}'
          </code>
        </div>
      </div>
    </section>
  );
}
