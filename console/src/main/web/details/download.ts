import { call, of, outputOf } from "../server/api.ts";
import type { Session } from "../server/types.ts";

const PART = 1 << 20;

/** All output that is still kept, in parts. */
async function raw(session: Session): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = session.output_start; from < session.output_end; ) {
    const answer = await outputOf(of(session, "/output", { from: String(from), max: String(PART) }));
    parts.push(new Uint8Array(await answer.arrayBuffer()));
    const next = Number(answer.headers.get("Belay-Output-Next"));
    if (!(next > from)) break;
    from = next;
  }
  return parts;
}

// Escape sequences: control sequences, strings (titles, links), and the short ones.
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g;

/** Output as text: without escape sequences, and lines that were overwritten as they ended up. */
export const plain = (text: string) =>
  text
    .replace(ESCAPES, "")
    .replace(/\r+\n/g, "\n")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");

const safe = (name: string) => name.replace(/[^A-Za-z0-9_.-]/g, "_");

export async function download(session: Session, how: "raw" | "text") {
  const fresh = await call<Session>("GET", of(session));
  const parts = await raw(fresh);
  const content = how === "raw" ? parts : [plain(await new Blob(parts).text())];
  const type = how === "raw" ? "application/octet-stream" : "text/plain;charset=utf-8";
  const url = URL.createObjectURL(new Blob(content, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${safe(session.id)}.${how === "raw" ? "log" : "txt"}`;
  link.click();
  URL.revokeObjectURL(url);
}
