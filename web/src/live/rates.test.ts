import { expect, it } from 'vitest';
import { Rates } from './rates';

it('a rate is of one thing, and begins again with its counter', () => {
  const rates = new Rates();
  expect(rates.next('a', 0, 0)).toBeNull();
  expect(rates.next('a', 1e9, 2000)).toBe(0.5);
  expect(rates.next('a', 1e9, 2100)).toBe(0.5);
  expect(rates.next('b', 5e9, 3000)).toBeNull();
  expect(rates.next('b', 6e9, 4000)).toBe(1);
  expect(rates.next('b', 1, 5000)).toBeNull();
  expect(rates.next('b', null, 6000)).toBeNull();
});
