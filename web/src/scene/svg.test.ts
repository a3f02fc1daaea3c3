import { describe, expect, test } from 'vitest';
import { picture, type Marks, type PipePaint } from './picture';
import { KINDS, Scene } from './scene';
import { escaped, svg } from './svg';

const marks: Marks = { nodes: new Set([0]), links: new Set(), focus: -1 };
const view = { x: 200, y: 0, scale: 1, width: 800, height: 400 };
const measure = (text: string): number => text.length * 7;
const options = {
  width: 800,
  height: 400,
  title: 'two & <more>',
  token: (name: string) => `t${name}`,
};

const scene = (): Scene =>
  new Scene(
    KINDS.map((kind, i) => ({
      name: `<n${i}>&"`,
      kind,
      x: i * 100,
      y: (i % 2) * 60,
      failed: i === 1,
    })),
    [1, 2, 3, 4].map((b) => ({ name: `l${b}`, a: 0, b, text: '10Mbit/s' })),
  );
const paint: PipePaint = {
  links: ['l1', 'l2', 'l3', 'l4'],
  level: Uint8Array.of(1, 2, 3, 4, 0, 0, 0, 0),
  width: new Float32Array(8).fill(3),
  fill: Float32Array.of(0.5, NaN, NaN, 1, NaN, NaN, NaN, NaN),
  flags: Uint8Array.of(0, 2, 0, 0, 1, 1, 0, 4),
  label: (pipe) => `${pipe}<`,
  linkLabel: () => '',
  nodes: new Map([['<n2>&"', { badge: '</text>', ring: 'contention' }]]),
  air: {
    units: 1,
    pairs: [{ from: '<n0>&"', to: '<n1>&"', level: 3, width: 2, dash: false, faint: false }],
    reach: [{ node: '<n0>&"', radius: 90, dash: true }],
    hidden: new Set(['<n3>&"']),
    rings: new Map([['<n0>&"', { sent: 0.2, sensed: 0.8 }]]),
    tracks: [],
  },
  version: 1,
};
const drawn = (): string => svg(picture(scene(), view, marks, paint, measure), options);

/** Whether tags nest, and nothing but text is between them. */
function wellFormed(xml: string): boolean {
  const open: string[] = [];
  const rest = xml.replaceAll(
    /<(\/?)([a-z]+)((?: [\w:-]+="[^"<]*")*)(\/?)>/g,
    (_, end: string, name: string, __: string, alone: string) => {
      if (end) expect(open.pop()).toBe(name);
      else if (!alone) open.push(name);
      return '';
    },
  );
  return open.length === 0 && !/[<>]/.test(rest) && !/&(?!(amp|lt|gt|quot);)/.test(rest);
}

describe('a picture as SVG', () => {
  test('is well formed whatever the names are, with text as text', () => {
    const xml = drawn();
    expect(wellFormed(xml)).toBe(true);
    expect(xml).toContain('>&lt;n0&gt;&amp;&quot;</text>');
    expect(xml).toContain('<title>two &amp; &lt;more&gt;</title>');
    expect(escaped('a\u0000\ud800b')).toBe('a\ufffd\ufffdb');
  });
  test('is the same bytes of the same view, and others of another', () => {
    expect(drawn()).toBe(drawn());
    const moved = svg(picture(scene(), { ...view, x: 150 }, marks, paint, measure), options);
    expect(moved).not.toBe(drawn());
  });
  test('has each node once, and each text of the picture', () => {
    const shown = picture(scene(), view, marks, paint, measure);
    const xml = svg(shown, options);
    expect(xml.match(/<g transform="translate\([^"]*\)" stroke="t--text">/g)).toHaveLength(5);
    expect(xml.match(/<text /g)).toHaveLength(shown.texts.length);
    expect(xml).not.toContain('NaN');
    const far = svg(picture(scene(), { ...view, scale: 0.1 }, marks, null, measure), options);
    expect(wellFormed(far)).toBe(true);
    expect(far).not.toContain('<text');
  });
});
