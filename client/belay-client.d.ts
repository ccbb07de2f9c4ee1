import type { ManagerOptions, SocketOptions } from "socket.io-client";

/** What the server knows about a session. */
export interface Session {
  id: string;
  backend: "pty" | "pipe";
  command: string;
  args: string[];
  workdir: string;
  cols: number | null;
  rows: number | null;
  pid: number | null;
  owner: string;
  labels: Record<string, string>;
  origin: "api" | "terminal" | "agent" | "library";
  keep: boolean;
  started_at: string;
  ended_at: string | null;
  state: "starting" | "running" | "exited" | "closed";
  exit_code: number | null;
  signal: string | null;
  survivors: number;
  output_start: number;
  output_end: number;
  last_activity_at: string;
  end_reason: string | null;
  /** The title that a program gave the terminal. */
  title?: string | null;
  /** What the session may do, if it is guarded. */
  guard?: Record<string, unknown> | null;
  /** Whether a program waits for input, and whether it asks for a password (no echo). Known while somebody watches the list. */
  input?: { waiting: boolean | null; echo_off: boolean } | null;
  viewers?: { name: string; mode: "write" | "watch" }[];
  /** Who typed last. */
  typed?: { by: string; agent: boolean; at: string } | null;
  /** Who has taken the keyboard, and whether privately. */
  keyboard?: string | null;
  keyboard_private?: boolean;
  /** The names of the variables that were set when it was opened. */
  env_names?: string[];
  version?: number;
}

/** What has changed in the lists that are watched. */
export interface Changes {
  version?: number;
  /** Whether `sessions` is the whole list: forget any others. */
  all?: boolean;
  /** Merge the fields into what you know. If only counters have changed, only those fields are there. */
  sessions?: (Pick<Session, "id" | "owner"> & Partial<Session>)[];
  /** Sessions that were closed; apply these before `sessions`. */
  gone?: { id: string; owner: string }[];
  stats?: { seconds: Second[] };
  events?: Happened[];
}

/** What sessions did in one second; `at` is in seconds since 1970. */
export interface Second {
  at: number;
  live: number;
  limit: number;
  opened: number;
  refused: number;
  bytes_in: number;
  bytes_out: number;
  viewers: number;
  terminals: number;
}

/** Something that happened; docs/protocol.md lists the other fields of each kind. */
export interface Happened {
  number: number;
  at: string;
  event:
    | "opened"
    | "exited"
    | "closed"
    | "refused"
    | "attached"
    | "left"
    | "keyboard"
    | "typed"
    | "called"
    | "asked"
    | "answered"
    | "denied"
    | "checked";
  owner: string;
  session: string | null;
  by: string | null;
  agent: boolean;
  [fact: string]: unknown;
}

/** A small picture of a session's screen: the numbers of all rows, and those rows that are new or have changed. */
export interface Thumbnail {
  id: string;
  owner: string;
  offset: number;
  cols: number;
  rows: number;
  title: string;
  alternate: boolean;
  cursor: { row: number; column: number; visible: boolean; shape: string; blinks: boolean };
  numbers: number[];
  lines: Row[];
}

export interface Row {
  row: number;
  number: number;
  text: string;
  spans: Span[];
}

/** A part of a row in one style, by the indexes of its characters. Colours are palette indexes or `#rrggbb`. */
export interface Span {
  from: number;
  to: number;
  foreground?: number | string;
  background?: number | string;
  bold?: boolean;
  dim?: boolean;
  inverse?: boolean;
  invisible?: boolean;
  [style: string]: unknown;
}

/** A program that waits until somebody allows or denies it. */
export interface Approval {
  id: string;
  session: string;
  owner: string;
  program: string;
  /** The command line. Of a very long one, the middle is folded. */
  words: string[];
  /** How many words are folded. */
  more_words?: number;
  workdir: string;
  /** Names of variables that steer the program and that the session did not begin with, as safe text. */
  variables?: string[];
  /** What to show to people: safe text, in which hidden characters are written out. */
  shown: { command: string; program: string; workdir: string };
  /** The command lines of its parent processes, nearest first, as safe text. */
  ancestors: string[];
  rule: string | null;
  /** How many processes wait for the same answer. */
  count?: number;
  /** Who typed it privately. Unless that is you, or you are an admin, you cannot see what it is. */
  private_to?: string;
  /** For how long it can be allowed. */
  scopes: ("once" | "session" | "conversation" | "workspace")[];
  /** Who may answer besides admins. */
  approvers?: string[];
  asked_at: string;
  expires_at: string;
}

/** What to start. Without a command: a login shell. */
export interface Spec {
  id?: string;
  command?: string[];
  cmd?: string;
  workdir?: string;
  env?: Record<string, string>;
  cols?: number;
  rows?: number;
  /** Keep the session when all clients of its owner are gone. */
  keep?: boolean;
}

export interface Exit {
  exit_code: number;
  signal: string | null;
  offset: number;
}

/** The server refused a request. */
export class BelayError extends Error {
  readonly code: string;
  /** When to try again, if the server says. */
  readonly retryAfterMs?: number;
  readonly details: Record<string, unknown>;
}

export interface Options extends Partial<ManagerOptions & Omit<SocketOptions, "auth">> {
  /** A function is called again for each connection. */
  token: string | (() => string | Promise<string>);
}

/** How to view a session. */
export interface Attach {
  /** The offset to begin with. */
  from?: number;
  /** Default: the most that you may do. */
  mode?: "write" | "watch";
  owner?: string;
  /** Begin with a repaint, and get one after each gap. `show` turns this on anyway; setting it here saves a round trip. */
  screen?: boolean;
  /** Most rows above the screen in a repaint; with `screen`, the default is 1,000. */
  history?: number;
  /** Get a repaint instead of more bytes than this at once; with `screen`, the default is 256 KiB. */
  skip?: number;
}

/** A picture of the terminal: reset it, give it the size, write the bytes. Output continues at the offset. */
export interface Repaint {
  offset: number;
  cols: number;
  rows: number;
  /** Why you got it: the view began, output was lost, or there was more than `skip`. */
  reason: "attach" | "gap" | "skip";
  data: Uint8Array;
}

/** Colours as `#rgb` or `#rrggbb`. */
export interface Colours {
  foreground?: string;
  background?: string;
  cursor?: string;
  /** The first 16 colours. */
  palette?: string[];
}

type Off = () => void;

/** Signs in. Resolves once the server has accepted the client; rejects with a `BelayError` if it refuses. */
export function connect(url: string, options: Options): Promise<Belay>;

/** A connection to a server. Reconnects whenever it breaks. */
export class Belay {
  /** Creates a session and attaches to it in write mode, from its first byte. */
  create(spec?: Spec): Promise<Terminal>;
  /**
   * Attaches to a session; without `from`, from the oldest byte still kept, or with `screen` from a repaint. Name the `owner` if
   * several owners have a session with that id.
   */
  attach(id: string, how?: Attach): Promise<Terminal>;
  list(): Promise<Session[]>;
  /** Watches these lists instead of earlier ones, across reconnects; `[]` ends it. `changed` events follow, the first at once. */
  watch(lists: ("sessions" | "stats" | "events")[]): Promise<void>;
  /** Watches the screens of up to 64 sessions, as `ID` or `OWNER/ID`, instead of earlier ones; `[]` ends it. */
  screens(ids: string[]): Promise<void>;
  /** Resolves when connected; rejects after the server has refused the client or after `close`. */
  connected(): Promise<void>;
  close(): void;
  on(event: "connect", handler: () => void): Off;
  on(event: "disconnect", handler: (reason: string) => void): Off;
  /** While not connected: about when the next attempt comes; 0: now. */
  on(event: "retry", handler: (next: { inMs: number }) => void): Off;
  on(event: "changed", handler: (changes: Changes) => void): Off;
  on(event: "thumbnail", handler: (screen: Thumbnail) => void): Off;
  /** The connection has ended for good. */
  on(event: "end", handler: (error: BelayError) => void): Off;
}

/** This client's view of a session. After a reconnect it resumes at its offset. */
export class Terminal {
  readonly id: string;
  readonly session: Session;
  readonly mode: "write" | "watch";
  /** The offset of the next byte of output. */
  readonly offset: number;
  readonly cols: number | null;
  readonly rows: number | null;
  readonly exit?: Exit;
  /**
   * Types. Input arrives in order and exactly once, however often the connection breaks. Resolves to the number of bytes
   * that the program accepted.
   */
  write(data: string | Uint8Array): Promise<number>;
  resize(cols: number, rows: number): Promise<void>;
  /** Rejects if the connection breaks meanwhile; never sent again. */
  signal(signal: string): Promise<void>;
  takeKeyboard(how?: { private?: boolean }): Promise<void>;
  giveBackKeyboard(): Promise<void>;
  /** Reports this window's colours, for programs that ask. `show` reports those of the theme. */
  colours(colours: Colours): Promise<void>;
  /** From now on this view may type and resize; output continues at the same offset. */
  drive(): Promise<void>;
  /** From now on this view only watches; output continues at the same offset. */
  watchOnly(): Promise<void>;
  /** Stops acknowledging output: the server sends no more than 512 KiB. `show` does this while the page is hidden. */
  pause(): void;
  /** Continues; missed output arrives as output, or as one repaint if it is more than `skip`. */
  resume(): void;
  /** Ends the session and all its processes. */
  close(how?: { force?: boolean }): Promise<void>;
  /** Detaches from the session, which keeps running. */
  detach(): Promise<void>;
  /**
   * Shows the session in an xterm.js `Terminal`, beginning with a repaint, and sends what is typed there. A view that only watches
   * gives the terminal the session's size. Picks the widths of Unicode 11 if the page has loaded that addon. Returns a function that
   * stops this.
   */
  show(xterm: {
    cols: number;
    rows: number;
    options?: { allowProposedApi?: boolean; theme?: object };
    unicode?: { versions: ReadonlyArray<string>; activeVersion: string };
    write(data: string | Uint8Array, done?: () => void): void;
    reset(): void;
    resize(cols: number, rows: number): void;
    onData(handler: (text: string) => void): { dispose(): void };
    onBinary(handler: (text: string) => void): { dispose(): void };
    onResize(handler: (size: { cols: number; rows: number }) => void): { dispose(): void };
  }): Off;
  /** Output waits for its first handler and for promises that handlers return. */
  on(event: "output", handler: (data: Uint8Array, offset: number) => void | Promise<unknown>): Off;
  on(event: "screen", handler: (repaint: Repaint) => void | Promise<unknown>): Off;
  on(event: "gap", handler: (gap: { lost: number; next: number; reason: string }) => void): Off;
  on(event: "resized", handler: (size: { cols: number; rows: number }) => void): Off;
  on(event: "lease", handler: (lease: { holder: string | null; private: boolean }) => void): Off;
  on(event: "exit", handler: (exit: Exit) => void): Off;
  /** Attached again after a reconnect. */
  on(event: "attached", handler: () => void): Off;
  /** This view types now, or only watches. */
  on(event: "mode", handler: (mode: "write" | "watch") => void): Off;
  /** The server refused something that `show` sent. */
  on(event: "refused", handler: (error: Error) => void): Off;
  /** This view has ended; the session may keep running, as after `detach`. */
  on(event: "closed", handler: (end: { reason: string; error?: BelayError }) => void): Off;
}
