import { effect, signal } from "@preact/signals";
import { FitAddon } from "@xterm/addon-fit";
import { type ISearchOptions, SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { Terminal as Xterm } from "@xterm/xterm";
import type { Terminal } from "belay-client";
import { isLight, settings } from "../app/settings.ts";
import { connection, line } from "../server/connection.ts";
import { idOf, type Key, ownerOf } from "../server/types.ts";
import { offerClipboard } from "./clipboard.ts";
import { DARK, LIGHT } from "./colours.ts";
import { LEAST_CONTRAST } from "./contrast.ts";
import { follow, offerLinks } from "./links.ts";
import "./style-sheet.ts";

export type Mode = "write" | "watch";
const MIN_FONT = 8;
/** Width and height of a character of JetBrains Mono, in parts of its size. */
const WIDTH = 0.6;
const HEIGHT = 1.32;
/** After so long without a connection nothing more is typed. */
const TYPE_MS = 2000;
const BELL_MS = 1000;

/** One session on the screen: xterm.js, and the attachment that feeds it. Lives as long as its pane is seen. */
export class View {
  readonly mode = signal<Mode>("watch");
  readonly holder = signal<string | null>(null);
  readonly isPrivate = signal(false);
  readonly size = signal({ cols: 80, rows: 24 });
  readonly gap = signal<{ lost: number; reason: string } | null>(null);
  readonly link = signal<string | null>(null);
  readonly clipboard = signal<string | null>(null);
  readonly rang = signal(0);
  readonly ended = signal<string | null>(null);
  /** Its program has exited: nothing is typed and no size is set any more. */
  readonly over = signal(false);
  readonly ready = signal(false);
  readonly xterm: Xterm;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon({ highlightLimit: 500 });
  readonly #off: (() => void)[] = [];
  #terminal: Terminal | null = null;
  #host: HTMLElement | null = null;
  #stop: () => void = () => {};
  #over = false;
  #mayWriteClipboard = false;

  constructor(
    readonly key: Key,
    private readonly refused: (error: Error) => void,
  ) {
    this.xterm = new Xterm({
      allowProposedApi: true,
      fontFamily: '"JetBrains Mono Variable", monospace',
      fontSize: settings.peek().fontSize,
      scrollback: 5000,
      minimumContrastRatio: LEAST_CONTRAST,
      linkHandler: {
        activate: (event, target) => follow(event, target),
        hover: (_, target) => this.link.value === target || (this.link.value = target),
        leave: () => (this.link.value = null),
      },
    });
    this.xterm.loadAddon(this.#fit);
    this.xterm.loadAddon(this.#search);
    this.xterm.loadAddon(new Unicode11Addon());
    this.xterm.unicode.activeVersion = "11";
    const allow = () => this.#mayWriteClipboard;
    const owned = [
      offerLinks(this.xterm, (target) => (this.link.value = target)),
      offerClipboard(this.xterm, allow, (text) => (this.clipboard.value = text)),
      this.xterm.onBell(() => this.#ring()),
      this.xterm.onResize((size) => this.#sized(size)),
    ];
    this.#off.push(...owned.map((one) => () => one.dispose()), () => this.#disposeOfXterm());
    this.#off.unshift(
      effect(() => {
        const { optionIsMeta, screenReader } = settings.value;
        Object.assign(this.xterm.options, { macOptionIsMeta: optionIsMeta, screenReaderMode: screenReader });
        this.xterm.options.theme = isLight.value ? LIGHT : DARK;
        this.fit();
      }),
      effect(() => this.#stopTypingWhenOffline()),
    );
  }

  /** Puts it on the page and attaches. */
  async open(host: HTMLElement, mode: Mode) {
    this.#host = host;
    await document.fonts.load('13px "JetBrains Mono Variable"');
    if (this.#over) return;
    this.xterm.open(host);
    this.#label();
    const watcher = new ResizeObserver(() => this.fit());
    watcher.observe(host);
    this.#off.unshift(() => watcher.disconnect());
    await this.#attach(mode);
  }

  #label() {
    this.xterm.textarea?.setAttribute("aria-label", `Terminal ${idOf(this.key)}. Control Shift K leaves it.`);
  }

  async #attach(mode: Mode) {
    const belay = await connection();
    if (this.#over) return;
    const terminal = await belay.attach(idOf(this.key), { mode, owner: ownerOf(this.key), screen: true });
    if (this.#over) return void terminal.detach();
    this.#terminal = terminal;
    terminal.on("mode", (now) => this.#drives(now));
    terminal.on("lease", (lease) => this.#lease(lease));
    terminal.on("gap", (gap) => (this.gap.value = gap));
    terminal.on("resized", (size) => this.#resized(size));
    terminal.on("exit", () => this.#exited());
    terminal.on("refused", (error) => this.mode.value === "write" && !this.over.value && this.refused(error));
    terminal.on("closed", ({ reason, error }) => this.#closed(terminal, reason, error));
    if (terminal.cols && terminal.rows) this.#resized({ cols: terminal.cols, rows: terminal.rows });
    this.#drives(terminal.mode);
    this.#stop = terminal.show(this.xterm);
    this.ready.value = true;
  }

  #drives(mode: Mode) {
    this.mode.value = mode;
    this.xterm.options.disableStdin = mode === "watch" || this.over.peek();
    this.fit();
  }

  #exited() {
    this.over.value = true;
    this.xterm.options.disableStdin = true;
  }

  #lease(lease: { holder: string | null; private?: boolean }) {
    this.holder.value = lease.holder;
    this.isPrivate.value = lease.private ?? false;
  }

  #closed(terminal: Terminal, reason: string, error?: Error) {
    if (terminal !== this.#terminal || this.#over || reason === "detached" || reason === "replaced") return;
    this.ended.value = error?.message ?? reason;
    this.#exited();
  }

  async take(isPrivate = false) {
    await this.#terminal?.drive();
    await this.#terminal?.takeKeyboard({ private: isPrivate });
    this.#lease({ holder: this.#me, private: isPrivate });
    this.focus();
  }

  async giveBack(watch: boolean) {
    await this.#terminal?.giveBackKeyboard();
    this.#lease({ holder: null });
    if (watch) await this.#terminal?.watchOnly();
  }

  /** Types what was pressed before this could be typed into, unless it only watches. */
  begin(text: string) {
    if (text !== "" && this.mode.peek() === "write") this.#terminal?.write(text).catch(this.refused);
    this.takeFocus();
  }

  /** Unless something else in its pane has it: a question, or the field to find text. */
  takeFocus() {
    if (!this.#host?.closest(".pane")?.querySelector(":focus")) this.focus();
  }

  #me: string | null = null;
  /** Under which name the keyboard is taken. */
  as(name: string | null) {
    this.#me = name;
    return this;
  }

  #resized(size: { cols: number; rows: number }) {
    this.size.value = size;
    if (this.mode.value === "watch" || !this.#terminal) this.xterm.resize(size.cols, size.rows);
    this.fit();
  }

  /** A repaint may bring another size than the one that the view began with. */
  #sized(size: { cols: number; rows: number }) {
    this.size.value = { cols: size.cols, rows: size.rows };
    if (this.mode.value === "watch") this.fit();
  }

  /** Who drives gives the terminal the pane's size; for who watches, the text shrinks instead. */
  fit() {
    if (!this.#host?.clientWidth || !this.xterm.element || this.over.peek()) return;
    const wanted = settings.peek().fontSize;
    if (this.mode.value === "write") {
      this.xterm.options.fontSize = wanted;
      const size = this.#fit.proposeDimensions();
      if (size && (size.cols !== this.xterm.cols || size.rows !== this.xterm.rows)) {
        this.xterm.resize(size.cols, size.rows);
        this.size.value = size;
      }
      return;
    }
    const { cols, rows } = this.size.value;
    const wide = (this.#host.clientWidth - 16) / (cols * WIDTH);
    const high = (this.#host.clientHeight - 8) / (rows * HEIGHT);
    const fitting = Math.floor(Math.min(wanted, wide, high) * 2) / 2;
    this.xterm.options.fontSize = Math.max(MIN_FONT, fitting);
  }

  #stopTypingWhenOffline() {
    const now = line.value;
    if (now.at === "live") {
      this.xterm.options.disableStdin = this.mode.peek() === "watch" || this.over.peek();
      return undefined;
    }
    const timer = setTimeout(() => (this.xterm.options.disableStdin = true), TYPE_MS);
    return () => clearTimeout(timer);
  }

  #ring() {
    if (Date.now() - this.rang.peek() > BELL_MS && settings.peek().bell) this.rang.value = Date.now();
  }

  find(text: string, back: boolean, how: ISearchOptions) {
    return back ? this.#search.findPrevious(text, how) : this.#search.findNext(text, how);
  }

  onFound(hear: (found: { resultIndex: number; resultCount: number }) => void) {
    const heard = this.#search.onDidChangeResults(hear);
    return () => heard.dispose();
  }

  stopFinding() {
    this.#search.clearDecorations();
    this.xterm.clearSelection();
  }

  /** From now on programs of this session may write the clipboard; what waits is written. */
  allowClipboard() {
    this.#mayWriteClipboard = true;
    const text = this.clipboard.value;
    this.clipboard.value = null;
    return text === null ? Promise.resolve() : navigator.clipboard.writeText(text);
  }

  focus() {
    this.xterm.focus();
  }

  /** The rows that are on the screen. */
  text(): string[] {
    const buffer = this.xterm.buffer.active;
    return Array.from(
      { length: this.xterm.rows },
      (_, row) => buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? "",
    );
  }

  get offset() {
    return this.#terminal?.offset ?? 0;
  }

  /** What it was given last is drawn first: xterm.js fails if it is disposed of before. */
  #disposeOfXterm() {
    this.xterm.write("", () => this.xterm.dispose());
  }

  dispose() {
    this.#over = true;
    this.#stop();
    this.#terminal?.detach().catch(() => undefined); // the connection may be gone, and the attachment with it
    for (const off of this.#off) off();
  }
}
