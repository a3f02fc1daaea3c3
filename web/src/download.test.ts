import { expect, test } from 'vitest';
import { csv } from './download';

test('a table is CSV that quotes what it must', () => {
  expect(
    csv(
      ['a', 'b'],
      [
        ['1,5', 'say "x"'],
        ['two\nlines', 'ü'],
      ],
    ),
  ).toBe('a,b\r\n"1,5","say ""x"""\r\n"two\nlines",ü\r\n');
});
