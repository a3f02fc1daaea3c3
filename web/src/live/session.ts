// The session: the token of the address is exchanged for a key, which every request carries.

/** What the server says of itself. */
export interface About {
  version: string;
  directory: string;
  read_only: boolean;
}

/** A request that failed, with what the server said. Status 0: the server was not reached. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly help: string | null = null,
  ) {
    super(message);
  }

  /** Whether the session is not known (any more). */
  get unauthorized(): boolean {
    return this.status === 401;
  }
}

/** The failure that an answer's body describes. */
export function failureOf(status: number, body: string): ApiFailure {
  try {
    const said: unknown = JSON.parse(body);
    if (typeof said === 'object' && said !== null && 'error' in said) {
      const help = 'help' in said && typeof said.help === 'string' ? said.help : null;
      return new ApiFailure(status, String(said.error), help);
    }
  } catch {
    // Not JSON: the text itself is all there is.
  }
  return new ApiFailure(status, body.trim().slice(0, 500) || `the server answered ${status}`);
}

const KEY = 'netloom-session';
const TOKEN = /^#?([0-9a-f]{64})$/;

/** The token in the fragment of an address; `null` if there is none. */
export function tokenOf(fragment: string): string | null {
  return TOKEN.exec(fragment)?.[1] ?? null;
}

/** What a session needs of the browser; tests have their own. */
export interface Surroundings {
  fetch: typeof fetch;
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** The fragment of the address, and how it is taken out of the address bar. */
  fragment: string;
  forgetFragment: () => void;
}

/** The key of the server's session, and requests that carry it. */
export class Session {
  private constructor(
    private readonly around: Surroundings,
    private readonly key: string,
    readonly about: About,
  ) {}

  /**
   * Opens the session: with the token of the address if there is one, else with the key of an
   * earlier load of the page in this tab. Fails with 401 if neither is known.
   */
  static async open(around: Surroundings): Promise<Session> {
    const token = tokenOf(around.fragment);
    if (token !== null) {
      around.forgetFragment();
      const answer = await reach(around, '/session', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token }),
      });
      const { key, about } = (await answer.json()) as { key: string; about: About };
      around.storage.setItem(KEY, key);
      return new Session(around, key, about);
    }
    const key = around.storage.getItem(KEY);
    if (key === null) throw new ApiFailure(401, 'this page has no session');
    try {
      const answer = await reach(around, '/api/about', { headers: bearer(key) });
      return new Session(around, key, (await answer.json()) as About);
    } catch (failure) {
      if (failure instanceof ApiFailure && failure.unauthorized) around.storage.removeItem(KEY);
      throw failure;
    }
  }

  /** Sends a request and returns the answer, if its status is a success. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${this.key}`);
    return reach(this.around, path, { ...init, headers });
  }

  /** GETs JSON. */
  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await (await this.send(path, signal ? { signal } : {})).json()) as T;
  }

  /** Sends JSON and returns the answer's, `null` if it is empty. */
  async json<T>(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown): Promise<T> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await this.send(path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  /** An address that is good once, for 10 s, for what cannot send headers. */
  async ticketed(path: string, query: Record<string, string> = {}): Promise<string> {
    const { ticket } = await this.json<{ ticket: string }>('POST', '/api/tickets', { path });
    return `${path}?${new URLSearchParams({ ...query, ticket })}`;
  }
}

function bearer(key: string): HeadersInit {
  return { Authorization: `Bearer ${key}` };
}

async function reach(around: Surroundings, path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await around.fetch(path, { ...init, cache: 'no-store' });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiFailure(0, 'netloom ui does not answer', 'is it still running?');
  }
  if (!answer.ok) throw failureOf(answer.status, await answer.text());
  return answer;
}

/** The browser's surroundings. */
export function browser(): Surroundings {
  return {
    fetch: window.fetch.bind(window),
    storage: window.sessionStorage,
    fragment: window.location.hash,
    forgetFragment: () => {
      window.history.replaceState(null, '', window.location.pathname + window.location.search);
    },
  };
}
