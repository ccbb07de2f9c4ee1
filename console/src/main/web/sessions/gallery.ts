import { effect } from "@preact/signals";
import { isLight } from "../app/settings.ts";
import { lookAt, onPicture, pictures } from "../server/screens.ts";
import type { Key } from "../server/types.ts";
import { DARK, LIGHT } from "../terminal/colours.ts";
import { draw } from "./picture.ts";

/** The thumbnails that are in view. They are drawn from one queue, a few milliseconds a frame. */
interface Frame {
  key: Key;
  canvas: HTMLCanvasElement;
  width: number;
  height: number;
  inView: boolean;
}

const FRAME_MS = 4;
const frames = new Map<Element, Frame>();
const byKey = new Map<Key, Frame>();
const queue = new Set<Frame>();
let due = false;

function ask(frame: Frame) {
  if (!frame.inView || frame.width === 0 || !pictures.has(frame.key)) return;
  queue.add(frame);
  drawSoon();
}

function drawSoon() {
  if (!due) requestAnimationFrame(drawSome);
  due = true;
}

function drawSome() {
  due = false;
  const began = performance.now();
  const theme = isLight.peek() ? LIGHT : DARK;
  for (const frame of queue) {
    queue.delete(frame);
    const picture = pictures.get(frame.key);
    if (picture && frame.inView) {
      draw(frame.canvas, picture, theme, { width: frame.width, height: frame.height, ratio: devicePixelRatio });
      frame.canvas.dataset.drawn = "yes";
    }
    if (performance.now() - began > FRAME_MS) break;
  }
  if (queue.size > 0) drawSoon();
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const frame = frames.get(entry.target);
      if (!frame) continue;
      frame.inView = entry.isIntersecting;
      if (frame.inView) ask(frame);
      else free(frame);
    }
    subscribe();
  },
  { rootMargin: "120px" },
);

// The observers give sizes without a look at the layout.
const sized = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const frame = frames.get(entry.target);
    if (!frame) continue;
    frame.width = entry.contentRect.width;
    frame.height = entry.contentRect.height;
    ask(frame);
  }
});

/** A canvas that nobody sees has no pixels. */
function free(frame: Frame) {
  queue.delete(frame);
  frame.canvas.width = frame.canvas.height = 0;
  delete frame.canvas.dataset.drawn;
}

const subscribe = () => lookAt([...frames.values()].filter((frame) => frame.inView).map((frame) => frame.key));

/** Shows a session's screen in a canvas from now on; the function that is returned ends that. */
export function hang(key: Key, place: HTMLElement, canvas: HTMLCanvasElement): () => void {
  const frame: Frame = { key, canvas, width: 0, height: 0, inView: false };
  frames.set(place, frame);
  byKey.set(key, frame);
  seen.observe(place);
  sized.observe(place);
  return () => {
    seen.unobserve(place);
    sized.unobserve(place);
    frames.delete(place);
    if (byKey.get(key) === frame) byKey.delete(key);
    free(frame);
    subscribe();
  };
}

onPicture((key) => {
  const frame = byKey.get(key);
  if (frame) ask(frame);
});

effect(() => {
  isLight.value;
  frames.forEach(ask);
});
document.fonts?.addEventListener("loadingdone", () => frames.forEach(ask));
