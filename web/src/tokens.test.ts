import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync('src/tokens.css', 'utf8');
const blocks = [...css.matchAll(/:root\s*\{([^}]*)\}/g)].map(([, body]) => tokens(body));
const light = blocks[0];
const dark: Record<string, string> = { ...light, ...blocks[1] };

function tokens(body: string): Record<string, string> {
  return Object.fromEntries(
    [...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]),
  );
}

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = parseInt(colour.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (y + 0.05) / (x + 0.05);
}

const GROUNDS = ['surface', 'bg', 'raised', 'land'];
/** Pairs that the page uses, and the least contrast of each: text 4.5, marks 3, idle links 2.5. */
const PAIRS: [string, string, number][] = [
  ...GROUNDS.flatMap((ground): [string, string, number][] =>
    ['text', 'text-2', 'text-3'].map((text) => [text, ground, 4.5]),
  ),
  ...['text', 'text-2', 'accent'].map((text): [string, string, number] => [
    text,
    'accent-weak',
    4.5,
  ]),
  ['accent', 'surface', 4.5],
  ['accent', 'raised', 4.5],
  ['on-accent', 'accent', 4.5],
  ...['valid', 'suspect', 'invalid'].flatMap((of): [string, string, number][] => [
    [of, `${of}-weak`, 4.5],
    [of, 'surface', 4.5],
    ['text', `${of}-weak`, 4.5],
    ['text-2', `${of}-weak`, 4.5],
  ]),
  ['s0', 'land', 2.5],
  ['s1', 'land', 3],
  ['s2', 'land', 3],
  ['s3', 'land', 3],
  ['s4', 'land', 3],
  ['drop', 'land', 3],
  ['accent', 'land', 3],
  ['suspect', 'land', 3],
  ...[
    'term-text',
    'term-dim',
    'term-red',
    'term-green',
    'term-yellow',
    'term-blue',
    'term-magenta',
    'term-cyan',
  ].map((text): [string, string, number] => [text, 'term', 4.5]),
];

test.each([
  ['light', light],
  ['dark', dark],
] as const)('contrasts of the %s tokens', (_, of) => {
  const below = PAIRS.filter(([a, b, least]) => contrast(of[a], of[b]) < least).map(
    ([a, b, least]) => `${a} on ${b}: ${contrast(of[a], of[b]).toFixed(2)} < ${least}`,
  );
  expect(below).toEqual([]);
});

test('every colour is a token', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(svelte|ts|css)$/.test(path) && !/tokens\.|generated|\.test\.ts$/.test(path),
  );
  const found = files.flatMap((path) =>
    readFileSync(`src/${path}`, 'utf8')
      .split('\n')
      .map((line, i) => [`${path}:${i + 1}`, line] as const)
      .filter(([, line]) =>
        /#[0-9a-fA-F]{3,8}\b(?!-)|\b(rgb|hsl|oklch)a?\(|: *(white|black|red|green|blue|gr[ae]y)\b/.test(
          line.replace(/\{#\w+/g, '').replace(/\$defs/g, ''),
        ),
      ),
  );
  expect(found).toEqual([]);
});

test('what is used is defined', () => {
  const defined = new Set([...css.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
  // Set by the frame itself.
  for (const name of ['dock', 'time']) defined.add(name);
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(svelte|css)$/.test(path),
  );
  const used = files.flatMap((path) => {
    const text = readFileSync(`src/${path}`, 'utf8');
    const own = new Set(
      [...text.matchAll(/style:--([\w-]+)|[\s"]--([\w-]+):/g)].map(([, a, b]) => a ?? b),
    );
    return [...text.matchAll(/var\(--([\w-]+)[),]/g)]
      .map(([, name]) => name)
      .filter((name) => !own.has(name));
  });
  expect([...new Set(used)].filter((name) => !defined.has(name))).toEqual([]);
});
