/** The order of rows of a table by one of its columns. Pure. */

import { parsed } from '../live/units';

/** What a cell is sorted by: its amount if it is one (`94.1 Mbit/s`, `−70.0 dBm`), else its text. */
export function orderOf(cell: string | undefined): number | string {
  const text = (cell ?? '').replaceAll('\u2009', '');
  const [, sign, amount] = /^([−-]?)(\d.*)$/.exec(text) ?? [];
  if (amount === undefined) return text;
  const value = parsed(amount) ?? Number(/^([\d.]+) \p{L}+$/u.exec(amount)?.[1] ?? NaN);
  return Number.isNaN(value) ? text : sign === '' ? value : -value;
}

/** Amounts by size, then texts by the alphabet, with numbers in them by size: `n2` before `n10`. */
export function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return 1;
  if (typeof b === 'number') return -1;
  return a.localeCompare(b, 'en', { numeric: true });
}
