// The timeline as lanes, bars, marks and bands, from what is planned and what happened. Pure.

import { eventText, type Happened } from './eventlog';
import type { Scenario, Verdict } from './types';
import { parsed, plain } from './units';

/** Something at one time. Times are ns since zero. */
export interface Mark {
  at: number;
  kind: 'planned' | 'happened' | 'changed' | 'failed' | 'met' | 'not met' | 'moved';
  text: string;
  /** Number of the event in the scenario's timeline, from 1. */
  number?: number;
}

/** A process in one node. */
export interface Bar {
  process: string;
  node: string;
  from: number;
  ready: number | null;
  /** `null`: it runs. */
  to: number | null;
  code: number | null;
}

export interface Band {
  from: number;
  to: number;
}

export interface Timeline {
  marks: Mark[];
  bars: Bar[];
  /** Times to leave out, by the verdict. */
  bad: Band[];
  /** Before zero or the end of the warm-up nothing counts. */
  settled: number;
  /** Until when the run is planned; `null`: nobody knows. */
  until: number | null;
}

const ns = (text: unknown): number => parsed(String(text)) ?? 0;

/** Marks and bars that events add, kept up to date piece by piece. */
export class Course {
  readonly marks: Mark[] = [];
  readonly bars: Bar[] = [];
  private readonly running = new Map<string, Bar>();
  private readonly seen = new Set<number>();
  /** Times at which processes reached milestones: `name started`. */
  private readonly reached = new Map<string, number>();

  take(events: readonly Happened[]): void {
    for (const event of events) this.one(event);
  }

  private one(event: Happened): void {
    const { time: at } = event;
    switch (event.event) {
      case 'process_started': {
        const bar: Bar = {
          process: event.process,
          node: event.node,
          from: at,
          ready: null,
          to: null,
          code: null,
        };
        this.bars.push(bar);
        this.running.set(`${event.process}@${event.node}`, bar);
        this.milestone(event.process, 'started', at);
        break;
      }
      case 'process_ready': {
        const bar = this.running.get(`${event.process}@${event.node}`);
        if (bar !== undefined) bar.ready = at;
        this.milestone(event.process, 'ready', at);
        break;
      }
      case 'process_ended': {
        const key = `${event.process}@${event.node}`;
        const bar = this.running.get(key);
        if (bar !== undefined) [bar.to, bar.code] = [at, event.code];
        this.running.delete(key);
        this.milestone(event.process, 'done', at);
        break;
      }
      case 'run_ended':
        for (const bar of this.running.values()) bar.to = at;
        this.running.clear();
        break;
      case 'timeline': {
        const failed = event.failure !== null && event.failure !== undefined;
        this.seen.add(event.timeline);
        this.marks.push({
          at: event.happened ?? event.planned ?? at,
          kind: failed ? 'failed' : 'happened',
          text: eventText(event),
          number: event.timeline + 1,
        });
        break;
      }
      case 'changed':
        // What the timeline changes has its own event.
        if (event.by === 'request')
          this.marks.push({ at, kind: 'changed', text: eventText(event) });
        break;
      case 'applied':
      case 'route_changed':
      case 'medium_changed':
        if (!('by' in event) || event.by === 'request') {
          this.marks.push({ at, kind: 'changed', text: eventText(event) });
        }
        break;
      case 'change_failed':
      case 'node_failed':
      case 'process_failed':
      case 'memory_killed':
        this.marks.push({ at, kind: 'failed', text: eventText(event) });
        break;
      case 'expectation':
        this.marks.push({ at, kind: event.met ? 'met' : 'not met', text: eventText(event) });
        break;
      default:
    }
  }

  private milestone(process: string, what: string, at: number): void {
    this.reached.set(`${process} ${what}`, at);
  }

  /** Planned events that have not happened yet and whose time is known. */
  planned(scenario: Scenario): Mark[] {
    return scenario.timeline.flatMap((event, index): Mark[] => {
      const at = this.timeOf(event.at);
      if (this.seen.has(index) || at === null) return [];
      return [{ at, kind: 'planned', text: actionText(event.action), number: index + 1 }];
    });
  }

  private timeOf(start: Scenario['timeline'][number]['at']): number | null {
    if ('at' in start) return ns(start.at);
    const { process, when, delay } = start.after;
    const reached = this.reached.get(`${process} ${when}`);
    return reached === undefined ? null : reached + ns(delay);
  }
}

/** What an event of the timeline does, in words. */
export function actionText(action: Scenario['timeline'][number]['action']): string {
  switch (action.do) {
    case 'set_link': {
      const set = Object.entries(action.change)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(
          ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
        );
      const way = action.direction === 'both' ? '' : ` (${action.direction})`;
      return plain(`link ${action.link}${way}: ${set.join(', ')}`);
    }
    case 'set_node':
      return plain(`node ${action.node}: ${action.state}`);
    case 'set_media':
      return plain(`media: ${Object.keys(action.changes).join(', ')}`);
    case 'set_station':
      return plain(`station ${action.node}`);
    case 'run':
      return plain(
        `run in ${action.node}: ${Array.isArray(action.command) ? action.command.join(' ') : action.command}`,
      );
    case 'route':
      return plain(`route of ${action.node}`);
  }
}

/** The whole timeline. */
export function timelineOf(
  course: Course,
  scenario: Scenario | null,
  verdict: Verdict | null,
): Timeline {
  const marks = scenario === null ? course.marks : [...course.marks, ...course.planned(scenario)];
  const duration = scenario?.duration;
  return {
    marks: [...marks].sort((a, b) => a.at - b.at),
    bars: course.bars,
    bad: (verdict?.bad ?? []).map(({ from, to }) => ({ from, to })),
    settled: verdict?.settled ?? 0,
    until: duration === null || duration === undefined ? null : ns(duration),
  };
}

/** From when to when all of it is, with a little room: at least 10 s. */
export function extent(timeline: Timeline, now: number): Band {
  const times = [
    0,
    now,
    ...timeline.marks.map(({ at }) => at),
    ...timeline.bars.map(({ from }) => from),
  ];
  if (timeline.until !== null) times.push(timeline.until);
  const from = times.reduce((least, time) => Math.min(least, time), Infinity);
  const to = times.reduce((most, time) => Math.max(most, time), from + 10e9);
  return { from, to: to + (to - from) * 0.02 };
}

/** Times for ticks, between four and nine of them, at round numbers of seconds. */
export function ticks({ from, to }: Band): number[] {
  const rough = (to - from) / 8 / 1e9;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const of = rough >= 10 ? [1, 1.5, 3, 6, 10] : [1, 2, 5, 10];
  const step = (of.find((factor) => factor * decade >= rough) ?? 10) * decade * 1e9;
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.floor(to / step) - first + 1 },
    (_, index) => (first + index) * step,
  );
}

/**
 * Lanes for bars, the first free one for each: bars of one lane do not overlap. Returns the lane
 * of each bar, and how many there are.
 */
export function lanes(bars: readonly Bar[], now: number): { of: number[]; count: number } {
  const ends: number[] = [];
  const order = bars
    .map((_, index) => index)
    .sort((a, b) => (bars[a] as Bar).from - (bars[b] as Bar).from);
  const of: number[] = bars.map(() => 0);
  for (const index of order) {
    const bar = bars[index] as Bar;
    const free = ends.findIndex((end) => end <= bar.from);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = bar.to ?? Math.max(now, bar.from);
    of[index] = lane;
  }
  return { of, count: ends.length };
}
