import { useLayoutEffect, useRef } from "preact/hooks";
import type { Key } from "../server/types.ts";
import { hang } from "./gallery.ts";

/** The live screen of a session, in small. What it shows is for the eyes; the card says the rest. */
export function Thumbnail({ id }: { id: Key }) {
  const place = useRef<HTMLSpanElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => hang(id, place.current!, canvas.current!), [id]);
  return (
    <span class="thumbnail" ref={place} aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  );
}
