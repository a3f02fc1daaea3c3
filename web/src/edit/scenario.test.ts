import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import {
  addLink,
  addNode,
  duplicate,
  fresh,
  freeName,
  linkAtLine,
  place,
  removeLink,
  removeNode,
  renameNode,
} from './scenario';
import { Source } from './text';

const drawn = (): string => {
  let text = fresh('lab');
  text = addNode(text, 'host1');
  text = addNode(text, 'router1', { kind: 'router' });
  text = addNode(text, 'host2');
  text = addLink(text, { node: 'host1' }, { node: 'router1' }, { rate: '10Mbit/s', delay: '20ms' });
  return addLink(text, { node: 'router1' }, { node: 'host2' }, { rate: '10Mbit/s', delay: '20ms' });
};

const GOLDEN = `name: lab

topology:
  nodes:
    host1:
    router1: { kind: router }
    host2:
  links:
    - { endpoints: [host1, router1], rate: 10Mbit/s, delay: 20ms }
    - { endpoints: [router1, host2], rate: 10Mbit/s, delay: 20ms }
`;

test('a drawing is the file that a person would write', () => {
  expect(drawn()).toBe(GOLDEN);
});

test('places are written below all else, and go with their nodes', () => {
  const placed = place(
    GOLDEN,
    new Map([
      ['host1', [-0, 0.1 + 0.4]],
      ['host2', [2, -1]],
    ]),
  );
  expect(placed).toBe(
    `${GOLDEN}\ndrawing:\n  positions:\n    host1: [0, 0.5]\n    host2: [2, -1]\n`,
  );
  const less = removeNode(placed, 'host1');
  expect(less).not.toContain('host1');
  expect(less).toContain('host2: [2, -1]');
  expect(removeNode(less, 'host2')).not.toContain('drawing');
});

test('removing a node takes its links, and the last link the list', () => {
  const text = removeNode(GOLDEN, 'router1');
  expect(parse(text)).toEqual({ name: 'lab', topology: { nodes: { host1: null, host2: null } } });
});

test('renaming follows into links, processes and quoted ends', () => {
  const text = `topology:
  nodes:
    a: { kind: router } # the first
    b:
  links:
    - endpoints: ["a:eth1", 'b'] # quoted
processes:
  - { node: a, command: echo a }
`;
  expect(renameNode(text, 'a', 'core')).toBe(`topology:
  nodes:
    core: { kind: router } # the first
    b:
  links:
    - endpoints: ["core:eth1", 'b'] # quoted
processes:
  - { node: core, command: echo a }
`);
});

test('a copy has the links among the copied', () => {
  const { text, names } = duplicate(GOLDEN, ['host1', 'router1']);
  expect([...names]).toEqual([
    ['host1', 'host3'],
    ['router1', 'router2'],
  ]);
  expect(text).toContain('    - { endpoints: [host3, router2], rate: 10Mbit/s, delay: 20ms }\n');
  expect(freeName(text, 'host')).toBe('host4');
});

test('a link is found by any of its lines', () => {
  const text =
    'topology:\n  nodes: {a: , b: }\n  links:\n    - endpoints: [a, b]\n      rate: 1Mbit/s\n    - endpoints: [b, a]\n';
  expect([3, 4, 5, 6].map((line) => linkAtLine(text, line))).toEqual([-1, 0, 0, 1]);
});

describe('values by path', () => {
  const text = `topology:
  nodes:
    a: {kind: router}
    b: # nothing yet
    c:
      kind: host   # as usual
      limits:
        cpu: 1
  links:
    - endpoints: [a, b]
      # slow
      rate: 1Mbit/s # really
`;
  const set = (path: (string | number)[], value: Parameters<Source['set']>[1]): string =>
    new Source(text).set(path, value);
  const differs = (out: string): string[] => {
    const before = text.split('\n');
    return out.split('\n').filter((line) => !before.includes(line));
  };

  test.each([
    [['topology', 'nodes', 'a', 'kind'], 'host', ['    a: {kind: host}']],
    [['topology', 'nodes', 'a', 'mtu'], 1400, ['    a: {kind: router, mtu: 1400}']],
    [['topology', 'nodes', 'b', 'kind'], 'switch', ['    b: { kind: switch } # nothing yet']],
    [['topology', 'nodes', 'c', 'kind'], 'router', ['      kind: router   # as usual']],
    [['topology', 'nodes', 'c', 'mtu'], 1400, ['      mtu: 1400']],
    [['topology', 'nodes', 'c', 'limits', 'pids'], 9, ['        pids: 9']],
    [['topology', 'links', 0, 'rate'], '2Mbit/s', ['      rate: 2Mbit/s # really']],
    [['topology', 'links', 0, 'forward', 'loss'], '1%', ['      forward: { loss: 1% }']],
    [
      ['topology', 'defaults', 'link', 'rate'],
      '1Gbit/s',
      ['  defaults:', '    link: { rate: 1Gbit/s }'],
    ],
    [['duration'], '10s', ['duration: 10s']],
  ])('%j', (path, value, lines) => {
    const out = set(path, value);
    expect(differs(out)).toEqual(lines);
    let at: unknown = parse(out);
    for (const key of path) at = (at as Record<string, unknown>)[key];
    expect(at).toEqual(value);
  });

  test('removing keeps comments of others', () => {
    const out = new Source(text).remove(['topology', 'links', 0, 'rate']);
    expect(out).toBe(text.replace('      rate: 1Mbit/s # really\n', ''));
    expect(new Source(text).remove(['topology', 'nodes', 'a', 'kind'])).toContain('    a: {}\n');
  });
});

/** Texts of the examples with the most comments. */
const comments = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim().startsWith('#'));
const examples = readdirSync('../examples', { recursive: true, encoding: 'utf8' })
  .filter((path) => /netloom\.ya?ml$/.test(path))
  .map((path) => [path, readFileSync(`../examples/${path}`, 'utf8')] as const)
  .filter(([, text]) => text.length < 5000)
  .sort(([, a], [, b]) => comments(b).length - comments(a).length)
  .slice(0, 3);

test.each(examples)('50 random edits of %s leave other lines as they are', (_, original) => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 16807) % 2147483647) % below;
  let text = original;
  const first = new Source(original).value(['topology', 'links']);
  const count = Array.isArray(first) ? first.length : 0;
  const touched = new Set<string>();
  for (let i = 0; i < 50; i++) {
    const names = new Source(text).keys(['topology', 'nodes']);
    const [a, b] = [names[random(names.length)], names[random(names.length)]];
    const before = text;
    const kind = random(6);
    if (kind === 0) text = addNode(text, `new${i}`, i % 2 === 0 ? {} : { kind: 'router' });
    else if (kind === 1) text = addLink(text, { node: a }, { node: b }, { delay: `${i}ms` });
    else if (kind === 2) text = place(text, new Map([[a, [i, -i]]]));
    else if (kind === 3) text = new Source(text).set(['topology', 'nodes', a, 'mtu'], 1000 + i);
    else if (kind === 4 && names.length > 3 && a.startsWith('new')) text = removeNode(text, a);
    else if (kind === 5) {
      const links = new Source(text).value(['topology', 'links']);
      // Only what was drawn: what is inside of a link, its comments too, goes with it.
      if (Array.isArray(links) && links.length > count) {
        text = removeLink(text, count + random(links.length - count));
      }
    }
    expect(new Source(text).document.errors, `${kind} ${a}\n${text}`).toEqual([]);
    const after = new Set(text.split('\n'));
    for (const line of before.split('\n')) if (!after.has(line)) touched.add(line);
  }
  // What is left of the original is in its order, and every comment of its own line is there.
  const lines = text.split('\n');
  let at = 0;
  for (const line of original.split('\n')) {
    if (touched.has(line)) continue;
    const found = lines.indexOf(line, at);
    expect(found, line).toBeGreaterThanOrEqual(0);
    at = found + 1;
  }
  expect(touched.size).toBeLessThanOrEqual(100);
  for (const line of comments(original)) expect(text).toContain(line);
});
