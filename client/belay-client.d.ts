import type { ManagerOptions, SocketOptions } from "socket.io-client";

/** What the server knows of a session. */
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
}

/** What to start; nothing: a login shell. */
export interface Spec {
  id?: string;
  command?: string[];
  cmd?: string;
  workdir?: string;
  env?: Record<string, string>;
  cols?: number;
  rows?: number;
  /** Lives on when its owner's clients have gone. */
  keep?: boolean;
}

export interface Exit {
  exit_code: number;
  signal: string | null;
  offset: number;
}

/** What the server refused, and why. */
export class BelayError extends Error {
  readonly code: string;
  /** When to try again, if the server says so. */
  readonly retryAfterMs?: number;
  readonly details: Record<string, unknown>;
}

export interface Options extends Partial<ManagerOptions & Omit<SocketOptions, "auth">> {
  /** Asked again at each connection if it is a function. */
  token: string | (() => string | Promise<string>);
}

type Off = () => void;

/** Signs in. Done when the server has let the client in; fails with a `BelayError` if it refuses. */
export function connect(url: string, options: Options): Promise<Belay>;

/** A connection to a server, which is made again whenever it breaks. */
export class Belay {
  /** Creates a session and attaches to it in write mode at its first byte. */
  create(spec?: Spec): Promise<Terminal>;
  /** Attaches to a session; without `from`, at the oldest byte that is kept. */
  attach(id: string, where?: { from?: number; mode?: "write" | "watch" }): Promise<Terminal>;
  list(): Promise<Session[]>;
  /** Done when connected; fails once the server has refused, or after `close`. */
  connected(): Promise<void>;
  close(): void;
  on(event: "connect", handler: () => void): Off;
  on(event: "disconnect", handler: (reason: string) => void): Off;
  /** It will not connect again. */
  on(event: "end", handler: (error: BelayError) => void): Off;
}

/** A session as this client sees it. After a break it goes on at its offset by itself. */
export class Terminal {
  readonly id: string;
  readonly session: Session;
  /** Where the next byte of output goes. */
  readonly offset: number;
  readonly cols: number | null;
  readonly rows: number | null;
  readonly exit?: Exit;
  /** Types: in order, and once, however often the connection breaks. Gives how many bytes were taken. */
  write(data: string | Uint8Array): Promise<number>;
  resize(cols: number, rows: number): Promise<void>;
  /** Fails if the connection breaks meanwhile, and is not sent again. */
  signal(signal: string): Promise<void>;
  takeKeyboard(how?: { private?: boolean }): Promise<void>;
  giveBackKeyboard(): Promise<void>;
  /** Ends the session and all its processes. */
  close(how?: { force?: boolean }): Promise<void>;
  /** Lets go of the session. */
  detach(): Promise<void>;
  /** Shows the session in a `Terminal` of xterm.js and types what is typed there. */
  show(xterm: {
    cols: number;
    rows: number;
    write(data: string | Uint8Array, done?: () => void): void;
    resize(cols: number, rows: number): void;
    onData(handler: (text: string) => void): { dispose(): void };
    onBinary(handler: (text: string) => void): { dispose(): void };
    onResize(handler: (size: { cols: number; rows: number }) => void): { dispose(): void };
  }): Off;
  /** Output waits for the first handler of it, and for promises that handlers return. */
  on(event: "output", handler: (data: Uint8Array, offset: number) => void | Promise<unknown>): Off;
  on(event: "gap", handler: (gap: { lost: number; next: number; reason: string }) => void): Off;
  on(event: "resized", handler: (size: { cols: number; rows: number }) => void): Off;
  on(event: "lease", handler: (lease: { holder: string | null }) => void): Off;
  on(event: "exit", handler: (exit: Exit) => void): Off;
  /** Attached again after a break. */
  on(event: "attached", handler: () => void): Off;
  /** Something that `show` sent was refused. */
  on(event: "refused", handler: (error: Error) => void): Off;
  /** This view has ended; the session may live on, as after `detach`. */
  on(event: "closed", handler: (end: { reason: string; error?: BelayError }) => void): Off;
}
