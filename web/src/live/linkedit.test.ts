import { describe, expect, it } from 'vitest';
import {
  CONTROLS,
  changeOf,
  current,
  placeOf,
  requestOf,
  setLine,
  timelineEntry,
  undoOf,
  valueAt,
} from './linkedit';
import type { LinkStatus } from './types';

const pipe = (rate: string, delay = '20ms') => ({
  config: {
    rate,
    delay,
    jitter: 'none',
    loss: '0%',
    state: 'up',
    queue: { discipline: 'fifo', limit: '100packets' },
  },
  statistics: {},
});
const link = (name: string, forward = '10Mbit/s', reverse = forward) =>
  ({
    name,
    endpoints: [
      { node: 'a', interface: 'eth1' },
      { node: 'b', interface: 'eth1' },
    ],
    forward: pipe(forward),
    reverse: pipe(reverse),
  }) as unknown as LinkStatus;

describe('sliders', () => {
  it('lead to values whose place is where the slider is', () => {
    for (const control of CONTROLS) {
      for (const place of [0.1, 0.25, 0.5, 0.9, 1]) {
        const text = valueAt(control, place);
        const tolerance = control.key === 'queue' ? 0.1 : 0.02;
        expect(
          Math.abs((placeOf(control, text) ?? -1) - place),
          `${control.key} ${text}`,
        ).toBeLessThan(tolerance);
      }
    }
  });
  it('have no place for what is no number', () => {
    const [rate] = CONTROLS;
    expect(rate && placeOf(rate, 'unlimited')).toBeNull();
    expect(rate && placeOf(rate, '10Mbit/s')).toBeCloseTo(0.5);
  });
  it('show a value only where all links and directions agree', () => {
    expect(current([link('x'), link('y')], 'both', 'rate')).toBe('10Mbit/s');
    expect(current([link('x', '10Mbit/s', '5Mbit/s')], 'both', 'rate')).toBeNull();
    expect(current([link('x', '10Mbit/s', '5Mbit/s')], 'reverse', 'rate')).toBe('5Mbit/s');
    expect(current([link('x')], 'both', 'queue')).toBe('100packets');
  });
});

describe('changes', () => {
  it('of several links are one request', () => {
    const change = changeOf('rate', ' 5Mbit/s ');
    expect(requestOf(['x', 'y'], 'forward', change)).toEqual({
      changes: [
        { link: 'x', direction: 'forward', change: { rate: '5Mbit/s' } },
        { link: 'y', direction: 'forward', change: { rate: '5Mbit/s' } },
      ],
    });
    expect(changeOf('queue', '64KiB')).toEqual({ queue: { limit: '64KiB' } });
    expect(changeOf('delay', 'netem delay 10ms 2ms')).toEqual({ netem: 'delay 10ms 2ms' });
    expect(() => changeOf('rate', '')).toThrow('10Mbit/s');
  });
  it('can be taken back, each direction to what it was', () => {
    expect(undoOf([link('x', '10Mbit/s', '5Mbit/s')], 'both', { rate: '1Mbit/s' })).toEqual([
      { link: 'x', direction: 'forward', change: { rate: '10Mbit/s' } },
      { link: 'x', direction: 'reverse', change: { rate: '5Mbit/s' } },
    ]);
  });
  it('are text of a timeline and of a shell', () => {
    const changes = requestOf(["a b's"], 'forward', { rate: '5Mbit/s', loss: '1%' }).changes;
    expect(timelineEntry(changes, 12_345_678_900)).toBe(
      `- { at: 12.346s, link: "a b's", direction: forward, set: { rate: 5Mbit/s, loss: 1% } }`,
    );
    expect(setLine('lab', changes)).toBe(
      `netloom set 'a b'\\''s@lab' rate=5Mbit/s loss=1% -d forward`,
    );
    const queue = requestOf(['x'], 'both', changeOf('queue', '50ms')).changes;
    expect(setLine('lab', queue)).toBe('netloom set x@lab queue.limit=50ms');
    expect(timelineEntry(queue, 0)).toBe('- { at: 0ns, link: x, set: { queue: { limit: 50ms } } }');
    const state = requestOf(['no'], 'both', { state: 'down' }).changes;
    expect(timelineEntry(state, 1e9)).toBe('- { at: 1s, link: "no", set: { state: down } }');
  });
});
