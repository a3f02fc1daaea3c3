import { expect, it } from 'vitest';
import { Recording, networkOf, type Table } from './replay';
import type { Scenario } from './types';

const pipe = { queue: { limit: '10packets' } };
const scenario = {
  nodes: [
    { name: 'a', kind: 'host' },
    { name: 'b', kind: 'router' },
  ],
  links: [
    {
      name: 'x',
      endpoints: [
        { node: 'a', interface: 'eth1' },
        { node: 'b', interface: 'eth2' },
      ],
      forward: pipe,
      reverse: pipe,
    },
  ],
} as unknown as Scenario;

function table(samples: number): Table {
  const columns: Record<string, (string | number)[]> = {
    time_ns: [],
    link: [],
    direction: [],
    offered_bytes: [],
    delivered_bytes: [],
    dropped_frames: [],
    queued_frames: [],
    queued_bytes: [],
    busy_ns: [],
  };
  for (let sample = 0; sample < samples; sample += 1) {
    for (const direction of ['forward', 'reverse']) {
      const row: Record<string, string | number> = {
        time_ns: sample * 5e8,
        link: 'x',
        direction,
        offered_bytes: 2000 * sample,
        queued_frames: 5,
        queued_bytes: 7500,
        delivered_bytes: direction === 'forward' ? 1000 * sample : 0,
        dropped_frames: 3 * sample,
        busy_ns: 2.5e8 * sample,
      };
      for (const [name, value] of Object.entries(row)) columns[name]?.push(value);
    }
  }
  return {
    columns: Object.entries(columns).map(([name, values]) => ({ name, values })),
    rows: 2 * samples,
    truncated: false,
    step: 1,
  };
}

it('a recording says the same at a time, forwards and backwards', () => {
  const { links, nodes } = networkOf(scenario);
  expect(nodes[0]?.interfaces[0]).toMatchObject({ name: 'eth1', link: 'x', peer: { node: 'b' } });
  const recording = new Recording(table(9), links);
  expect([...recording.times]).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
  expect([-1, 0, 0.4, 0.5, 99].map((time) => recording.sampleAt(time))).toEqual([-1, 0, 0, 1, 8]);
  const frame = recording.frame(3, 7);
  expect(frame).toMatchObject({ time: 1.5, interval: 0.5, revision: 7, count: 2 });
  expect([...frame.delivered]).toEqual([16_000, 0]);
  expect([...frame.drops]).toEqual([6, 6]);
  expect([...frame.busy]).toEqual([0.5, 0.5]);
  expect([...frame.fill]).toEqual([0.5, 0.5]);
  const forwards = [1, 2, 3, 4].map((sample) => recording.frame(sample, 1));
  const backwards = [4, 3, 2, 1].map((sample) => recording.frame(sample, 1)).reverse();
  expect(backwards).toEqual(forwards);
});

it('the first sample has no rates, and a file without its columns is refused', () => {
  const { links } = networkOf(scenario);
  expect([...new Recording(table(1), links).frame(0, 1).delivered]).toEqual([0, 0]);
  expect(() => new Recording({ columns: [], rows: 0, truncated: false, step: 1 }, links)).toThrow(
    'time_ns',
  );
});
