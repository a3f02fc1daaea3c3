import { describe, expect, it } from 'vitest';
import { Network } from '../network';
import { DIRECT, DOWN, FULL, Pipes } from '../pipes';
import type { LinkStatus, NodeStatus, Verdict } from '../types';
import { OVERLAYS, stateText, type Seen } from './overlays';
import { levelOf, levelOfShare, steps, widthOf } from './scale';
import { PAINT_CONTENTION, PAINT_DIRECT, PAINT_DOWN, PAINT_DROPS } from './types';

const pipe = (rate: string) => ({
  config: { rate, delay: '20ms', jitter: 'none', loss: '0%', state: 'up' },
  statistics: {},
});
const link = (name: string, there = '100Mbit/s', back = there) =>
  ({
    name,
    endpoints: [
      { node: 'a', interface: 'eth1' },
      { node: 'b', interface: 'eth1' },
    ],
    forward: pipe(there),
    reverse: pipe(back),
  }) as unknown as LinkStatus;
const node = (name: string) =>
  ({ name, kind: 'host', primary: ['10.0.0.1'], interfaces: [] }) as unknown as NodeStatus;

function seen(of: Partial<Seen> = {}): Seen {
  const network = new Network(
    [link('x'), link('y', '10Mbit/s', '5Mbit/s'), link('z')],
    [node('a'), node('b')],
    1,
  );
  const pipes = new Pipes(6, 1);
  pipes.state.fill(0);
  const set = (index: number, delivered: number, busy: number): void => {
    [pipes.delivered[index], pipes.busy[index], pipes.active[index]] = [delivered, busy, 1];
    pipes.peak = Math.max(pipes.peak, delivered);
  };
  set(0, 97.8e6, 0.98);
  set(1, 1.63e6, 0.02);
  set(2, 12e6, 0.4);
  pipes.state[0] = FULL;
  pipes.fill[0] = 1;
  pipes.filled[0] = pipes.filled[1] = 1;
  pipes.queued[0] = 150_000;
  pipes.drops[0] = 12;
  pipes.state[3] = DOWN;
  pipes.state[4] = DIRECT;
  return { network, pipes, verdict: null, services: [], failed: new Set(['b']), ...of };
}

const draw = (name: string, of?: Partial<Seen>) => {
  const overlay = OVERLAYS.find((each) => each.name === name);
  if (overlay === undefined) throw new Error(name);
  return overlay.draw(seen(of), 1);
};

describe('overlays', () => {
  it('all have a legend, and a table of all that is drawn', () => {
    for (const overlay of OVERLAYS) {
      const picture = overlay.draw(seen(), 3);
      expect(picture.legend.length, overlay.name).toBeGreaterThan(0);
      const { columns, rows } = picture.table();
      for (const { cells } of rows) expect(cells.length, overlay.name).toBe(columns.length);
      expect(picture.nodes.get('b')?.ring, overlay.name).toBe('failed');
      expect(picture.flags[3], overlay.name).toBe(PAINT_DOWN);
      expect(picture.flags[4], overlay.name).toBe(PAINT_DIRECT);
      expect(picture.version).toBe(3);
    }
    expect(OVERLAYS.map(({ key }) => key)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
  it('throughput has width and number per direction, and orange only at the limit', () => {
    const picture = draw('Throughput');
    expect([...picture.level]).toEqual([4, 1, 2, 0, 0, 0]);
    expect(picture.label(0)).toBe('97.8');
    expect(picture.label(1)).toBe('1.63');
    expect(picture.label(3)).toBe('');
    expect(picture.width[0]).toBeGreaterThan(picture.width[1] as number);
    expect(picture.fill[0]).toBe(1);
    expect((picture.flags[0] as number) & PAINT_DROPS).toBe(PAINT_DROPS);
    expect(picture.legend[0]?.text).toBe('0 · 1 · 10 · 100 Mbit/s · over 95 % of its rate');
  });
  it('share is of the line’s time', () => {
    const picture = draw('Share');
    expect([...picture.level]).toEqual([4, 1, 2, 0, 0, 0]);
    expect(picture.label(0)).toBe('98 %');
    expect(picture.table().rows[4]?.cells[2]).toBe('–');
  });
  it('the queue has gauges where something has waited, and says what was dropped', () => {
    const picture = draw('Queue');
    expect([...picture.fill]).toEqual([1, 0, NaN, NaN, NaN, NaN]);
    expect(picture.label(0)).toBe('146 KiB −12.0/s');
  });
  it('what is set is text, once if both directions agree', () => {
    const picture = draw('As set');
    expect(picture.linkLabel(0)).toBe('100Mbit/s · 20ms');
    expect(picture.linkLabel(1)).toBe('→ 10Mbit/s · 20ms | ← 5Mbit/s · 20ms');
  });
  it('contention marks the pipe and the node of a finding', () => {
    const verdict = {
      findings: [
        { signal: 'lateness', on: { kind: 'pipe', name: 'y/reverse' } },
        { signal: 'run_queue', on: { kind: 'run_queue', who: { kind: 'node', name: 'a' } } },
      ],
      signals: [
        {
          signal: 'cpu',
          on: { kind: 'cpu', cpu: 1 },
          held: '2s',
          worst: 3,
          shares: [{ who: { kind: 'node', name: 'a' } }],
        },
      ],
      bound: { nodes: [] },
    } as unknown as Verdict;
    const picture = draw('Contention', { verdict });
    expect((picture.flags[3] as number) & PAINT_CONTENTION).toBe(PAINT_CONTENTION);
    expect(picture.nodes.get('a')).toEqual({ ring: 'contention', badge: 'run queue' });
    expect(picture.table().rows[0]?.cells).toEqual(['cpu', 'CPU 1', '2s', '3.00', 'node a']);
  });
  it('services say which are not ready', () => {
    const services = [
      { node: 'a', service: 'frr', state: { ready: { pid: 3 } }, log: '' },
      { node: 'a', service: 'dns', state: { failed: { reason: 'no' } }, log: '' },
    ];
    expect(draw('Services', { services }).nodes.get('a')).toEqual({
      ring: 'failed',
      badge: 'frr, dns failed',
    });
    expect(stateText({ failed: { reason: '<b>' } })).toBe('failed, reason <b>');
    expect(stateText('never_started')).toBe('never started');
  });
});

describe('scales', () => {
  it('are powers of ten below the peak', () => {
    expect(steps(97.8e6)).toEqual([1e6, 1e7, 1e8]);
    expect(steps(100e6)).toEqual([1e6, 1e7, 1e8]);
    expect(steps(0)).toEqual([1e4, 1e5, 1e6]);
  });
  it('grow', () => {
    let before = 0;
    for (let bits = 1; bits < 1e10; bits *= 3) {
      const width = widthOf(bits, steps(1e8));
      expect(width).toBeGreaterThanOrEqual(before);
      before = width;
    }
    expect(before).toBe(7);
    expect([0, 9e4, 1e6, 2e6, 1e7, 6e7, 1e8].map((bits) => levelOf(bits, steps(1e8)))).toEqual([
      0, 0, 1, 1, 2, 3, 3,
    ]);
    expect([0, 0.01, 0.3, 0.7, 0.95].map(levelOfShare)).toEqual([0, 1, 2, 3, 4]);
  });
});
