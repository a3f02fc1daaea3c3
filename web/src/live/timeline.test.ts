import { describe, expect, it } from 'vitest';
import { Axis, apart } from './axis';
import {
  EventLog,
  KEPT,
  changesText,
  eventText,
  isGrave,
  subjectsOf,
  type Happened,
} from './eventlog';
import { Course, extent, lanes, ticks, timelineOf, type Bar } from './timeline';
import type { Scenario, Verdict } from './types';

let number = 0;
const event = (time: number, of: object): Happened =>
  ({ number: number++, time, ...of }) as Happened;
const S = 1e9;

describe('the timeline', () => {
  const scenario = {
    duration: '40s',
    processes: [],
    nodes: [],
    links: [],
    timeline: [
      {
        at: { after: { process: 'flow', when: 'started', delay: '10s' } },
        action: { do: 'set_link', link: 'x', direction: 'both', change: { state: 'down' } },
      },
      { at: { at: '30s' }, action: { do: 'run', node: 'a', command: 'true' } },
    ],
  } as unknown as Scenario;

  it('knows when an event is planned once what it waits for has happened', () => {
    const course = new Course();
    expect(course.planned(scenario).map(({ at }) => at)).toEqual([30 * S]);
    course.take([event(2 * S, { event: 'process_started', process: 'flow', node: 'a', pid: 1 })]);
    expect(course.planned(scenario)).toEqual([
      { at: 12 * S, kind: 'planned', text: 'link x: state down', number: 1 },
      { at: 30 * S, kind: 'planned', text: 'run in a: true', number: 2 },
    ]);
    course.take([
      event(12 * S, {
        event: 'timeline',
        timeline: 0,
        action: 'link x: state down',
        planned: 12 * S,
        happened: 12 * S,
      }),
    ]);
    const timeline = timelineOf(course, scenario, {
      bad: [{ from: 5, to: 6 }],
      settled: 4,
    } as Verdict);
    expect(timeline.marks.map(({ kind }) => kind)).toEqual(['happened', 'planned']);
    expect(timeline).toMatchObject({ until: 40 * S, settled: 4, bad: [{ from: 5, to: 6 }] });
  });
  it('has a bar for each process, with its milestones', () => {
    const course = new Course();
    course.take([
      event(1, { event: 'process_started', process: 'p', node: 'a', pid: 1 }),
      event(2, { event: 'process_started', process: 'p', node: 'b', pid: 1 }),
      event(3, { event: 'process_ready', process: 'p', node: 'a' }),
      event(4, { event: 'process_ended', process: 'p', node: 'a', code: 7 }),
      event(5, { event: 'run_ended', reason: 'completed' }),
    ]);
    expect(course.bars).toEqual([
      { process: 'p', node: 'a', from: 1, ready: 3, to: 4, code: 7 },
      { process: 'p', node: 'b', from: 2, ready: null, to: 5, code: null },
    ]);
  });
  it('does not say twice what the timeline changed', () => {
    const course = new Course();
    course.take([
      event(1, { event: 'changed', by: 'timeline', changes: [] }),
      event(2, {
        event: 'changed',
        by: 'request',
        changes: [{ link: 'x', change: { rate: '1Mbit/s' } }],
      }),
    ]);
    expect(course.marks).toEqual([
      { at: 2, kind: 'changed', text: 'x: rate 1Mbit/s (by request)' },
    ]);
  });
});

describe('what is drawn of it', () => {
  it('bars of one lane do not overlap', () => {
    const bar = (from: number, to: number | null): Bar => ({
      process: 'p',
      node: 'n',
      from,
      to,
      ready: null,
      code: null,
    });
    const bars = [bar(0, 5), bar(1, 2), bar(2, 3), bar(4, null), bar(6, 7)];
    expect(lanes(bars, 10)).toEqual({ of: [0, 1, 1, 1, 0], count: 2 });
  });
  it('reaches from before zero to the planned end', () => {
    const timeline = {
      marks: [],
      bars: [{ from: -3 * S } as Bar],
      bad: [],
      settled: 0,
      until: 40 * S,
    };
    const band = extent(timeline, 10 * S);
    expect(band.from).toBe(-3 * S);
    expect(band.to).toBeGreaterThan(40 * S);
    for (const length of [0.3, 10, 47, 300, 4000]) {
      const found = ticks({ from: -0.1 * S, to: length * S });
      expect(found.length).toBeGreaterThanOrEqual(4);
      expect(found.length).toBeLessThanOrEqual(10);
    }
  });
});

describe('the axis', () => {
  it('leads from times to pixels and back', () => {
    const axis = new Axis({ from: 0, to: 100 }, 10, 110);
    expect(axis.x(50)).toBe(60);
    expect(axis.time(60)).toBe(50);
    expect(axis.time(-5)).toBe(0);
    expect(axis.span(90, 200)).toEqual({ x: 100, width: 10 });
    expect(axis.span(40, 40)?.width).toBe(1);
    expect(axis.span(101, 200)).toBeNull();
  });
  it('leaves out what would cover', () => {
    expect(apart([1, 2, 9, 12, 30], (x) => x, 8)).toEqual([1, 9, 30]);
  });
});

describe('events', () => {
  it('come twice after a reconnect, and count once', () => {
    const log = new EventLog();
    const some = Array.from(
      { length: 5 },
      (_, index) => ({ number: index, time: index, event: 'warning', message: 'w' }) as Happened,
    );
    log.take(some.slice(0, 3));
    expect(log.take(some)).toHaveLength(2);
    expect(log.total).toBe(5);
    log.take([{ ...some[0], number: 9 } as Happened]);
    expect(log.missed).toBe(4);
    expect(log.counts.get('warning')).toBe(6);
  });
  it('are bounded', () => {
    const log = new EventLog();
    const piece = Array.from(
      { length: 3 * KEPT },
      (_, index) =>
        ({
          number: index,
          time: index,
          event: 'neighbour',
          medium: 'air',
          pair: ['a', 'b'],
          up: true,
        }) as Happened,
    );
    for (let at = 0; at < piece.length; at += 250) log.take(piece.slice(at, at + 250));
    expect(log.kept).toHaveLength(KEPT);
    expect(log.kept.at(-1)?.number).toBe(3 * KEPT - 1);
    expect(log.total).toBe(3 * KEPT);
  });
  it('of others are text', () => {
    const hostile = event(0, {
      event: 'warning',
      message: '<script>alert(1)</script>\u001b]0;x\u0007\u202e',
    });
    expect(eventText(hostile)).toBe('warning: <script>alert(1)</script>\\u001b]0;x\\u0007\\u202e');
    expect(isGrave(hostile)).toBe(true);
  });
  it('lead to what they are about', () => {
    const changes = ['x', 'y', 'z', 'w'].map((link) => ({ link, change: { rate: '1Mbit/s' } }));
    const changed = event(0, { event: 'changed', by: 'request', changes });
    expect(subjectsOf(changed)).toEqual({ nodes: [], links: ['x', 'y', 'z', 'w'] });
    expect(changesText(changes)).toBe('x, y and 2 more: rate 1Mbit/s');
    expect(subjectsOf(event(0, { event: 'node_failed', node: 'n' })).nodes).toEqual(['n']);
  });
});
