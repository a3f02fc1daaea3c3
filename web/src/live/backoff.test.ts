import { expect, it } from 'vitest';
import { Backoff } from './backoff';

it('waits grow to a limit, and begin again after a success', () => {
  const backoff = new Backoff(100, 1000);
  expect([0, 0, 0, 0, 0, 0].map((random) => backoff.next(random))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
  backoff.reset();
  expect(backoff.next(1)).toBe(50);
  for (let tries = 0; tries < 5000; tries += 1) expect(backoff.next(0)).toBeLessThanOrEqual(1000);
});
