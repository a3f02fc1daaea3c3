// The page's one session, and requests for all of the page.

import { readEvents } from './sse';
import { ApiFailure, Session, browser } from './session';

export { ApiFailure } from './session';

let opened: Promise<Session> | null = null;
const listeners = new Set<(failure: ApiFailure) => void>();

/** The session, opened at the first call. */
export function session(): Promise<Session> {
  opened ??= Session.open(browser());
  return opened;
}

/** Has `listener` called with every failure that is of the session or of the server itself. */
export function onFailure(listener: (failure: ApiFailure) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function told<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (failure) {
    if (failure instanceof ApiFailure && (failure.unauthorized || failure.status === 0)) {
      listeners.forEach((listener) => listener(failure));
    }
    throw failure;
  }
}

const json = async <T>(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown): Promise<T> =>
  (await session()).json<T>(method, path, body);

/** Requests with the session's key. Failures are `ApiFailure`s. */
export const api = {
  get: <T>(path: string, signal?: AbortSignal): Promise<T> =>
    told(session().then((of) => of.get<T>(path, signal))),
  post: <T>(path: string, body: unknown): Promise<T> => told(json<T>('POST', path, body)),
  patch: <T>(path: string, body: unknown): Promise<T> => told(json<T>('PATCH', path, body)),
  put: <T>(path: string, body: unknown): Promise<T> => told(json<T>('PUT', path, body)),
  /** Any request; the answer's status is a success. */
  send: (path: string, init?: RequestInit): Promise<Response> =>
    told(session().then((of) => of.send(path, init))),
  /** Reads server-sent events until the stream ends or `signal` aborts it. */
  events: (path: string, take: (events: unknown[]) => void, signal: AbortSignal): Promise<void> =>
    told(
      session()
        .then((of) => of.send(path, { signal }))
        .then((answer) => readEvents(answer, take)),
    ),
  /** An address that is good once, for `<a download>` and frames. */
  ticketed: (path: string, query?: Record<string, string>): Promise<string> =>
    told(session().then((of) => of.ticketed(path, query))),
  /** An open WebSocket. */
  socket: async (path: string): Promise<WebSocket> => {
    const address = await told(session().then((of) => of.ticketed(path)));
    const socket = new WebSocket(
      address.replace(/^/, window.location.origin.replace(/^http/, 'ws')),
    );
    socket.binaryType = 'arraybuffer';
    return new Promise((resolve, reject) => {
      socket.addEventListener('open', () => resolve(socket));
      socket.addEventListener('error', () => reject(new ApiFailure(0, `no connection to ${path}`)));
    });
  },
};

/** The engine's API of an experiment. */
export const engine = (experiment: string, path: string): string =>
  `/api/experiments/${encodeURIComponent(experiment)}/v1/${path}`;
