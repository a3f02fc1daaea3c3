import { describe, expect, it } from 'vitest';
import { ApiFailure, Session, failureOf, tokenOf, type Surroundings } from './session';

const TOKEN = '0a'.repeat(32);
const ABOUT = { version: '1', directory: '/lab', read_only: false };

function around(fragment: string, answers: Record<string, [number, unknown]>) {
  const kept = new Map<string, string>();
  const sent: { path: string; init: RequestInit }[] = [];
  const surroundings: Surroundings & { forgotten: boolean } = {
    fragment,
    forgotten: false,
    forgetFragment() {
      surroundings.forgotten = true;
    },
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    },
    fetch: async (path, init) => {
      sent.push({ path: String(path), init: init ?? {} });
      const answer = answers[String(path)];
      if (answer === undefined) throw new TypeError('no network');
      return new Response(JSON.stringify(answer[1]), { status: answer[0] });
    },
  };
  return { surroundings, kept, sent };
}

describe('a session', () => {
  it('takes the token out of the address and keeps the key', async () => {
    const { surroundings, kept, sent } = around(`#${TOKEN}`, {
      '/session': [200, { key: 'k', about: ABOUT }],
      '/api/x': [200, { a: 1 }],
    });
    const session = await Session.open(surroundings);
    expect(surroundings.forgotten).toBe(true);
    expect([...kept.values()]).toEqual(['k']);
    expect(session.about.directory).toBe('/lab');
    expect(await session.get('/api/x')).toEqual({ a: 1 });
    expect(new Headers(sent[1]?.init.headers).get('Authorization')).toBe('Bearer k');
    expect(sent.every(({ path }) => !path.includes(TOKEN))).toBe(true);
  });
  it('goes on with the key after a reload', async () => {
    const { surroundings, kept } = around('', { '/api/about': [200, ABOUT] });
    kept.set('netloom-session', 'k');
    expect((await Session.open(surroundings)).about).toEqual(ABOUT);
  });
  it('forgets a key that the server does not know', async () => {
    const { surroundings, kept } = around('', { '/api/about': [401, { error: 'who?' }] });
    kept.set('netloom-session', 'old');
    await expect(Session.open(surroundings)).rejects.toMatchObject({
      status: 401,
      message: 'who?',
    });
    expect(kept.size).toBe(0);
  });
  it('without token and key is refused without a request', async () => {
    const { surroundings, sent } = around('#short', {});
    await expect(Session.open(surroundings)).rejects.toMatchObject({ unauthorized: true });
    expect(sent).toHaveLength(0);
  });
  it('says when the server does not answer', async () => {
    const { surroundings } = around(`#${TOKEN}`, {});
    await expect(Session.open(surroundings)).rejects.toMatchObject({ status: 0 });
  });
});

it('a token has 256 bits', () => {
  expect(tokenOf(`#${TOKEN}`)).toBe(TOKEN);
  expect(tokenOf(`#${TOKEN}x`)).toBeNull();
  expect(tokenOf('#n7')).toBeNull();
});

it('failures are what the server said', () => {
  expect(failureOf(400, '{"error":"no","help":"do"}')).toMatchObject({ message: 'no', help: 'do' });
  expect(failureOf(502, 'gone').message).toBe('gone');
  expect(failureOf(500, '')).toBeInstanceOf(ApiFailure);
  expect(failureOf(500, '').message).toBe('the server answered 500');
});
