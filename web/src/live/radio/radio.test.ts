import { describe, expect, it } from 'vitest';
import { HOP } from '../../scene/graph';
import { nice } from '../../scene/air';
import { picture } from '../../scene/picture';
import { Network } from '../network';
import { OVERLAYS } from '../overlay/overlays';
import { Pipes } from '../pipes';
import type { MediumStatus, Neighbours, NodeStatus } from '../types';
import { Air } from './air';
import { Hearing, hiddenFrom, reachOf, whyNot } from './hearing';
import { follow, mapScene, toMetres, toPlane, unitsPerMetre } from './map';

/** Three in a row, of which the outer ones do not hear each other; a fourth far away. */
const PLACES: Record<string, [number, number]> = {
  a: [0, 0],
  b: [200, 0],
  c: [400, 0],
  d: [0, 900],
};

const media = [
  {
    name: 'air',
    config: {},
    stations: Object.entries(PLACES).map(([node, [x, y]]) => ({
      interface: { node, interface: 'eth1' },
      on: node !== 'd',
      position: { x, y, z: 0 },
      queued: 0,
      window: 31,
      statistics: { collisions: node === 'b' ? 7 : 0 },
    })),
  },
] as unknown as MediumStatus[];

const heard = (node: string, decodes = true, delivery = 1): Neighbours['neighbours'][number] =>
  ({ node, distance: 200, power: -70, snr: 20, decodes, rate: '2Mbit/s', delivery }) as never;
const neighbours = [
  { medium: 'air', node: 'a', neighbours: [heard('b')] },
  { medium: 'air', node: 'b', neighbours: [heard('a', true, 0.5), heard('c')] },
  { medium: 'air', node: 'c', neighbours: [heard('b')] },
  { medium: 'air', node: 'd', neighbours: [] },
] as Neighbours[];

const air = (): Air => new Air(media, 1);
const why = (from: string, to: string, hearing = new Hearing(neighbours)): string =>
  whyNot({ from, to, air: air(), hearing, hidden: new Map([['c', ['b']]]) }).join(' ');

describe('stations', () => {
  it('take rows of frames of their network, and keep tracks', () => {
    const of = air();
    const frame = {
      kind: 'positions' as const,
      whole: false,
      last: true,
      count: 1,
      time: 1,
      interval: 0.25,
      revision: 1,
      tick: 0,
      index: Uint32Array.of(1),
      x: Float32Array.of(250),
      y: Float32Array.of(10),
      z: Float32Array.of(0),
      present: Uint8Array.of(1),
    };
    expect(of.take({ ...frame, revision: 2 })).toBe(false);
    expect(of.place('b')).toEqual([200, 0]);
    expect(of.take(frame)).toBe(true);
    expect(of.place('b')).toEqual([250, 10]);
    expect(of.tracks[1]).toEqual([1, 200, 0]);
    of.take({ ...frame, time: 70 });
    expect(of.tracks[1]).toEqual([]);
    of.take({ ...frame, present: Uint8Array.of(0) });
    expect(of.place('b')).toBeNull();
    expect(of.isOf(media, 1)).toBe(true);
    expect(of.isOf(media, 2)).toBe(false);
  });
});

describe('who hears whom', () => {
  it('says why one does not hear another', () => {
    expect(why('a', 'c')).toMatch(/^No: what a sends does not reach c, which is 400 m away\./);
    expect(why('a', 'c')).toContain('Between them: b decodes a and can reach c.');
    expect(why('a', 'd')).toBe('No: the radio of d is off.');
    expect(why('a', 'x')).toBe('No: x has no station on a shared medium.');
    expect(why('b', 'a')).toMatch(/^Yes: of packets of 1500 bytes at 2Mbit\/s, 50.0 % arrive/);
    expect(why('a', 'b')).toContain('c is hidden from a: it may send at the same time');
    expect(why('a', 'b')).toContain('b has lost 7 signals');
    const senses = new Hearing([{ ...neighbours[0], neighbours: [heard('c', false, 0)] }]);
    expect(why('a', 'c', senses)).toMatch(/^No: c only senses a\./);
  });
  it('knows a reach and hidden stations', () => {
    const hearing = new Hearing(neighbours);
    expect(reachOf(hearing.of('b')).decoded?.distance).toBe(200);
    expect(reachOf(hearing.of('d'))).toEqual({ decoded: null, sensed: null });
    const one = { ...neighbours[0], neighbours: [{ ...heard('b'), hidden_from: ['c'] }] };
    expect([...hiddenFrom([one])]).toEqual([['c', ['b']]]);
  });
});

describe('the map', () => {
  const graph = {
    nodes: [...Object.keys(PLACES), 'wired', 'air'].map((name) => ({
      name,
      kind: name === 'air' ? ('medium' as const) : ('host' as const),
    })),
    links: ['a', 'wired'].map((node) => ({
      name: `${node}--x`,
      ends: [
        { node, interface: 'e' },
        { node: node === 'a' ? 'air' : 'b', interface: 'f' },
      ],
    })),
  };
  it('has stations at their metres, others below, and no medium', () => {
    const of = air();
    const units = unitsPerMetre(of);
    const scene = mapScene(graph, of, units);
    expect(scene.nodes.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'wired']);
    expect(scene.links.map(({ name }) => name)).toEqual(['wired--x']);
    const at = (name: string) => [scene.x[scene.node(name)], scene.y[scene.node(name)]] as const;
    for (const [name, place] of Object.entries(PLACES)) {
      toMetres(at(name), units).forEach((value, k) => expect(value).toBeCloseTo(place[k], 3));
    }
    expect(at('d')[1]).toBeLessThan(at('a')[1]);
    expect(at('wired')[1]).toBeGreaterThanOrEqual(at('a')[1] + HOP);
  });
  it('moves with its stations, but for those in somebody’s hand', () => {
    const of = air();
    const scene = mapScene(graph, of, 1);
    [of.x[0], of.x[1]] = [50, 60];
    follow(scene, of, 1, new Set(['b']));
    expect([scene.x[0], scene.x[1]]).toEqual([toPlane([50, 0], 1)[0], 200]);
  });
  it('has round steps', () => {
    expect([0.3, 1, 3, 7, 70, 150].map(nice)).toEqual([0.5, 1, 5, 10, 100, 200]);
  });
});

describe('the overlay', () => {
  const node = (name: string) => ({ name, kind: 'host', primary: [], interfaces: [] });
  const seen = (sender: string | null) => ({
    network: new Network([], Object.keys(PLACES).map(node) as unknown as NodeStatus[], 1),
    pipes: new Pipes(0, 1),
    verdict: null,
    services: [],
    failed: new Set<string>(),
    radio: {
      air: air(),
      hearing: new Hearing(neighbours),
      hidden: { sender: 'a', nodes: new Map([['c', ['b']]]) },
      sender,
      units: 1,
    },
  });
  const draw = (sender: string | null) => {
    const shown = OVERLAYS.find(({ name }) => name === 'Radio')?.draw(seen(sender), 1);
    if (!shown) throw new Error('no overlay');
    return shown;
  };
  it('draws each pair of which one decodes the other, reach and hidden stations', () => {
    expect(draw(null).air?.pairs.map(({ from, to }) => from + to)).toEqual([
      'ab',
      'ba',
      'bc',
      'cb',
    ]);
    const shown = draw('a');
    expect([...(shown.air?.hidden ?? [])]).toEqual(['c']);
    expect(shown.air?.reach).toEqual([{ node: 'a', radius: 200, dash: false }]);
    expect(shown.nodes.get('c')?.badge).toBe('hidden');
    expect(shown.nodes.get('d')?.badge).toBe('radio off');
    expect(shown.table().rows.map(({ cells }) => [cells[0], cells[1], cells[8]])).toEqual([
      ['a', 'b', 'c'],
      ['b', 'a', ''],
      ['b', 'c', ''],
      ['c', 'b', ''],
      ['d', '–', ''],
    ]);
    // Hidden stations are those of the sender that is selected, not of another.
    expect([...(draw('c').air?.hidden ?? [])]).toEqual([]);
  });
  it('leads to lines on the canvas: one for each pair', () => {
    const scene = mapScene(
      { nodes: Object.keys(PLACES).map((name) => ({ name, kind: 'host' as const })), links: [] },
      air(),
      1,
    );
    const view = { x: 200, y: 0, scale: 1, width: 900, height: 600 };
    const marks = { nodes: new Set<number>(), links: new Set<number>(), focus: -1 };
    const out = picture(scene, view, marks, draw('a'), (text) => text.length * 7);
    expect(out.strokes.reduce((sum, { xy }) => sum + xy.length / 4, 0)).toBe(4);
    expect(out.discs).toEqual([{ x: 250, y: 300, radius: 200, dash: false }]);
    expect(out.hidden).toEqual([650, 300]);
    expect(out.texts.some(({ text }) => text === '200 m')).toBe(true);
  });
});
