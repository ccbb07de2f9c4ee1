/** Requests to the server's REST interface, with this tab's token. */
const TOKEN = "belay-token";

export const tokenOfTab = () => sessionStorage.getItem(TOKEN);
export const keepToken = (token: string) => sessionStorage.setItem(TOKEN, token);
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

/** The server refused; its message says why and what to do. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

async function request(
  method: string,
  path: string,
  body?: unknown,
  { token = tokenOfTab(), signal }: How = {},
): Promise<Response> {
  const headers: Record<string, string> = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch {
    throw new Refused("UNREACHABLE", "The server does not answer. Is it running?", 0);
  }
  if (!answer.ok) {
    const error = await answer
      .json()
      .then((json) => json.error)
      .catch(() => undefined);
    throw new Refused(
      error?.code ?? "INTERNAL",
      error?.message ?? `The server answered ${answer.status}.`,
      answer.status,
    );
  }
  return answer;
}

/** With another token than this tab's; and until when an answer is wanted. */
interface How {
  token?: string | null;
  signal?: AbortSignal;
}

export async function call<T>(method: string, path: string, body?: unknown, how?: How): Promise<T> {
  const answer = await request(method, path, body, how);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

export const bytesOf = async (path: string) => new Uint8Array(await (await request("GET", path)).arrayBuffer());
export const outputOf = (path: string) => request("GET", path);

/** The path of something of a session. */
export const of = (session: { id: string; owner: string }, what = "", query: Record<string, string> = {}) => {
  const parameters = new URLSearchParams({ ...query, owner: session.owner });
  return `/api/sessions/${encodeURIComponent(session.id)}${what}?${parameters}`;
};

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
