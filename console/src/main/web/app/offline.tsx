import { line, nextTry } from "../server/connection.ts";
import { now, plural, span } from "./format.ts";

/** Says that the connection is lost. Screens stay; the client tries again by itself. */
export function Offline() {
  if (line.value.at !== "offline") return null;
  const lost = Math.max(0, now.value - line.value.since);
  const left = Math.ceil((nextTry.value - now.value) / 1000);
  return (
    <div class="offline">
      <strong role="status">You are offline.</strong>{" "}
      {left > 0 ? `Trying again in ${plural(left, "second")}.` : "Trying again now."} Your sessions keep running; the
      server has not answered for {span(lost)}. {lost >= 2000 ? "Nothing you type now is sent." : ""}
    </div>
  );
}
