import { describe, expect, test } from 'vitest';
import { fans } from './fans';
import { sceneOf, type GraphInput } from './graph';
import { picture, type Marks, type Picture, type PipePaint } from './picture';
import { KINDS, Scene } from './scene';
import { fit, inView, toPlaneX, toScreenX, toScreenY, zoomAt, type View } from './view';

const NO_MARKS: Marks = { nodes: new Set(), links: new Set(), focus: -1 };
const measure = (text: string): number => text.length * 7;
const view = (scale: number): View => ({ x: 0, y: 0, scale, width: 1000, height: 700 });

/** A grid of n × n nodes, each joined with those at its right and below. */
function lattice(n: number): Scene {
  const nodes = Array.from({ length: n * n }, (_, i) => ({
    name: `n${i}`,
    kind: KINDS[i % 3],
    x: (i % n) * 100,
    y: Math.floor(i / n) * 100,
  }));
  const links = nodes.flatMap((_, i) => [
    ...(i % n < n - 1 ? [{ name: `h${i}`, a: i, b: i + 1, text: '10Mbit/s' }] : []),
    ...(i + n < n * n ? [{ name: `v${i}`, a: i, b: i + n, text: '10Mbit/s' }] : []),
  ]);
  return new Scene(nodes, links);
}

const drawnNodes = (of: Picture): number => of.nodes.reduce((sum, xy) => sum + xy.length / 2, 0);
const drawnLinks = (of: Picture): number =>
  of.strokes.reduce((sum, { xy }) => sum + xy.length / 4, 0);

describe('picking', () => {
  test('the grid finds what a look at all points finds', () => {
    const scene = lattice(20);
    let seed = 3;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let k = 0; k < 300; k++) {
      const [x, y, reach] = [random() * 2200 - 100, random() * 2200 - 100, random() * 160];
      const found = scene.grid.nearest(x, y, reach);
      const distances = scene.nodes.map((_, i) => Math.hypot(scene.x[i] - x, scene.y[i] - y));
      const least = Math.min(...distances);
      expect(found < 0 ? Infinity : distances[found]).toBe(least <= reach ? least : Infinity);
    }
  });

  test('a node that moved is found where it is', () => {
    const scene = lattice(3);
    scene.move(4, 1000, 1000);
    expect(scene.grid.nearest(1001, 1000, 5)).toBe(4);
    expect(scene.grid.nearest(100, 100, 5)).toBe(-1);
  });

  test('each line of a fan is picked where it is drawn, whatever its direction', () => {
    const nodes = [0, 200].map((x, i) => ({ name: `n${i}`, kind: 'host' as const, x, y: 0 }));
    const scene = new Scene(nodes, [
      { name: 'p', a: 0, b: 1 },
      { name: 'q', a: 1, b: 0 },
      { name: 'r', a: 0, b: 1 },
    ]);
    const shown = picture(scene, { ...view(1), x: 100 }, NO_MARKS, null, measure);
    const ys = [0, 1, 2].map((k) => shown.strokes[0].xy[4 * k + 1] - 350);
    expect([...ys].sort((a, b) => a - b)).toEqual([-10, 0, 10]);
    ys.forEach((y, k) => expect(scene.linkAt(100, y, 3, 10)).toBe(k));
  });

  test('arrows go to the nearest node that way', () => {
    const scene = lattice(3);
    expect(
      [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ].map(([dx, dy]) => scene.toward(4, dx, dy)),
    ).toEqual([5, 3, 7, 1]);
    expect(scene.toward(2, 1, 0)).toBe(-1);
  });
});

describe('what is drawn', () => {
  test('only what is in view, and lines that cross it', () => {
    const scene = lattice(60);
    const shown = picture(scene, { ...view(1), x: 3000, y: 3000 }, NO_MARKS, null, measure);
    const box = inView({ ...view(1), x: 3000, y: 3000 }, 40);
    const inside = scene.nodes.filter(
      (n) => n.x >= box.x0 && n.x <= box.x1 && n.y >= box.y0 && n.y <= box.y1,
    );
    expect(drawnNodes(shown)).toBe(inside.length);
    expect(drawnLinks(shown)).toBeLessThan(scene.links.length / 10);
  });

  test('from afar: squares and lines of one pixel, no texts', () => {
    const shown = picture(lattice(60), { ...view(0.1), x: 3000, y: 3000 }, NO_MARKS, null, measure);
    expect([shown.level, shown.texts.length]).toEqual(['far', 0]);
    expect(shown.strokes.map((of) => of.width)).toEqual([1]);
    expect(drawnNodes(shown)).toBe(3600);
  });

  test.each([0.25, 0.4, 0.7, 1, 2])('texts do not cover each other at scale %d', (scale) => {
    const scene = lattice(30);
    const shown = picture(
      scene,
      { ...view(scale), x: 1500, y: 1500 },
      { ...NO_MARKS, nodes: new Set([465]) },
      null,
      measure,
    );
    const boxes = shown.texts.map(({ x, y, text }) => [
      x - text.length * 3.5,
      y - 6,
      x + text.length * 3.5,
      y + 6,
    ]);
    const covers = boxes.flatMap((p, i) =>
      boxes.slice(i + 1).filter((q) => p[0] < q[2] && p[2] > q[0] && p[1] < q[3] && p[3] > q[1]),
    );
    expect(covers).toEqual([]);
    expect(shown.texts.some((of) => of.text === 'n465')).toBe(true);
  });
});

describe('what is drawn of links', () => {
  test('more than eight parallel links are one bundle with their number', () => {
    const { step, bundle } = fans(new Uint32Array(12).fill(0), new Uint32Array(12).fill(1));
    expect([...bundle]).toEqual([12, ...Array<number>(11).fill(0)]);
    expect([...step]).toEqual(Array<number>(12).fill(0));
    expect([...fans(new Uint32Array([0, 1, 0]), new Uint32Array([1, 0, 1])).step]).toEqual([
      -1, 0, 1,
    ]);
  });

  test('an overlay decides colour, width, gauges and what is down', () => {
    const nodes = [0, 300].map((x, i) => ({ name: `n${i}`, kind: 'router' as const, x, y: 0 }));
    const scene = new Scene(nodes, [
      { name: 'up', a: 0, b: 1 },
      { name: 'cut', a: 0, b: 1 },
    ]);
    const paint: PipePaint = {
      // In another order than the scene's.
      links: ['cut', 'up'],
      level: new Uint8Array([0, 0, 3, 1]),
      width: new Float32Array([1, 1, 6, 2]),
      fill: new Float32Array([NaN, NaN, 0.5, NaN]),
      flags: new Uint8Array([1, 1, 2, 0]),
      label: (pipe) => (pipe === 2 ? '97.6' : ''),
      linkLabel: () => '',
      nodes: new Map([['n0', { ring: 'failed' }]]),
      version: 1,
    };
    const shown = picture(scene, { ...view(1), x: 150 }, NO_MARKS, paint, measure);
    expect(shown.strokes.map((of) => [of.token, of.width, of.dash])).toEqual(
      expect.arrayContaining([
        ['--s3', 6, false],
        ['--s1', 2, false],
        ['--text-2', 2, true],
      ]),
    );
    expect([
      shown.gauges.length,
      shown.drops.length,
      shown.crosses.length,
      shown.failed.length,
    ]).toEqual([1, 2, 2, 2]);
    expect(shown.texts.map((of) => of.text)).toContain('97.6');
  });
});

describe('view', () => {
  test('zooming keeps the place under the pointer', () => {
    const before = view(0.5);
    const after = zoomAt(before, 300, 200, 1.7);
    expect(toPlaneX(after, 300)).toBeCloseTo(toPlaneX(before, 300));
  });

  test.each([
    [1000, 700],
    [720, 270],
    [390, 200],
  ])('fitting shows all on %d × %d', (width, height) => {
    const scene = lattice(8);
    const fitted = fit({ ...view(1), width, height }, scene.bounds(), 140);
    for (const { x, y } of scene.nodes) {
      expect(toScreenX(fitted, x)).toBeGreaterThan(0);
      expect(toScreenX(fitted, x)).toBeLessThan(width);
      expect(toScreenY(fitted, y)).toBeGreaterThan(0);
      expect(toScreenY(fitted, y)).toBeLessThan(height);
    }
  });
});

test('a range is one stack until it is unfolded', () => {
  const graph: GraphInput = {
    nodes: ['r', 'n1', 'n2', 'n3'].map((name, i) => ({
      name,
      kind: i === 0 ? 'router' : 'host',
      point: [i, 0],
    })),
    links: ['n1', 'n2', 'n3'].map((node) => ({
      name: `r--${node}`,
      ends: [
        { node: 'r', interface: 'eth1' },
        { node, interface: 'eth1' },
      ],
    })),
    stacks: [{ written: 'n[1-3]', nodes: ['n1', 'n2', 'n3'] }],
  };
  const folded = sceneOf(graph, new Set(), new Map());
  expect(folded.nodes.map((of) => [of.name, of.count])).toEqual([
    ['r', undefined],
    ['n[1-3]', 3],
  ]);
  expect(folded.links.map((of) => of.count)).toEqual([3]);
  expect(folded.x[1]).toBe(200);
  const open = sceneOf(graph, new Set(['n[1-3]']), new Map([['n2', [7, 8]]]));
  expect([open.nodes.length, open.links.length, open.x[2]]).toEqual([4, 3, 7]);
});

test('what a link names outside is a node beside the other end', () => {
  const scene = sceneOf(
    {
      nodes: [{ name: 'a', kind: 'host', point: [2, 2] }],
      links: [
        {
          name: 'a--nat',
          ends: [
            { node: 'a', interface: 'eth1' },
            { node: 'nat', interface: 'up' },
          ],
        },
      ],
    },
    new Set(),
    new Map(),
  );
  expect(scene.nodes.map((of) => [of.name, of.kind])).toEqual([
    ['a', 'host'],
    ['nat:up', 'outside'],
  ]);
  expect([scene.links.length, scene.y[1] < scene.y[0]]).toEqual([1, true]);
});
