import { expect, test } from 'vitest';
import { compare, orderOf } from './order';

test('amounts are in the order of their size, whatever their unit, and words in that of a reader', () => {
  const sorted = (cells: string[]): string[] =>
    cells.toSorted((a, b) => compare(orderOf(a), orderOf(b)));
  expect(sorted(['1.20 Gbit/s', '94.1 Mbit/s', '–', '900 kbit/s'])).toEqual([
    '–',
    '900 kbit/s',
    '94.1 Mbit/s',
    '1.20 Gbit/s',
  ]);
  expect(sorted(['100 %', '9.10 %', '0 %'])).toEqual(['0 %', '9.10 %', '100 %']);
  expect(sorted(['n10', 'n2', 'm1'])).toEqual(['m1', 'n2', 'n10']);
  expect(sorted(['-70.0 dBm', '−91.5 dBm', '2 dBm'])).toEqual(['−91.5 dBm', '-70.0 dBm', '2 dBm']);
});
