// A finished run, played from its `pipes.parquet`: what all pipes did at any time, forwards and
// backwards. Pure.

import type { PipeFrame } from '../generated/live';
import type { LinkStatus, NodeStatus, Scenario } from './types';
import { parsed } from './units';

/** A table as the server hands it over. */
export interface Table {
  columns: { name: string; values: (string | number | null)[] }[];
  rows: number;
  truncated: boolean;
  /** 1 if all samples are there, 2 if every other one is, and so on. */
  step: number;
}

export const REPLAYED = [
  'time_ns',
  'link',
  'direction',
  'offered_bytes',
  'delivered_bytes',
  'dropped_frames',
  'queued_frames',
  'queued_bytes',
  'busy_ns',
] as const;

/** Samples of all pipes, by time. Counters are cumulative, as in the file. */
export class Recording {
  /** Times of the samples in s, growing. */
  readonly times: Float64Array;
  private readonly firstRow: number[];
  private readonly pipe: Int32Array;
  private readonly column: Record<(typeof REPLAYED)[number], (string | number | null)[]>;
  private readonly limits: Float32Array;

  constructor(table: Table, links: readonly LinkStatus[]) {
    const of = Object.fromEntries(table.columns.map(({ name, values }) => [name, values]));
    const missing = REPLAYED.filter((name) => of[name] === undefined);
    if (missing.length > 0) throw new Error(`pipes.parquet has no column ${missing.join(', ')}`);
    this.column = of as typeof this.column;
    const index = new Map(links.map(({ name }, place) => [name, place]));
    this.pipe = Int32Array.from({ length: table.rows }, (_, row) => {
      const link = index.get(String(this.column.link[row]));
      return link === undefined
        ? -1
        : 2 * link + (this.column.direction[row] === 'forward' ? 0 : 1);
    });
    this.limits = Float32Array.from(
      links.flatMap((link) => [limitOf(link.forward), limitOf(link.reverse)]),
    );
    const times: number[] = [];
    this.firstRow = [];
    for (let row = 0; row < table.rows; row += 1) {
      const time = Number(this.column.time_ns[row]) / 1e9;
      if (times.length > 0 && time === times.at(-1)) continue;
      times.push(time);
      this.firstRow.push(row);
    }
    this.firstRow.push(table.rows);
    this.times = Float64Array.from(times);
  }

  /** The last sample at or before a time in s; -1 before the first. */
  sampleAt(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** What all pipes did between the sample before and this one, as a frame of the living stream. */
  frame(sample: number, revision: number): PipeFrame {
    const now = this.rows(sample);
    const before = new Map(
      sample > 0 ? this.rows(sample - 1).map((row) => [this.pipe[row], row]) : [],
    );
    const time = this.times[sample] ?? NaN;
    const interval = sample > 0 ? time - (this.times[sample - 1] as number) : 0;
    const growth = (name: (typeof REPLAYED)[number], row: number): number => {
      const earlier = before.get(this.pipe[row]);
      if (earlier === undefined || interval <= 0) return 0;
      return (
        (Number(this.column[name][row] ?? 0) - Number(this.column[name][earlier] ?? 0)) / interval
      );
    };
    const column = (value: (row: number) => number): Float32Array => Float32Array.from(now, value);
    return {
      kind: 'pipes',
      whole: true,
      last: true,
      count: now.length,
      time,
      interval,
      revision,
      tick: sample,
      index: Uint32Array.from(now, (row) => this.pipe[row] as number),
      offered: column((row) => growth('offered_bytes', row) * 8),
      delivered: column((row) => growth('delivered_bytes', row) * 8),
      drops: column((row) => growth('dropped_frames', row)),
      queued: Uint32Array.from(now, (row) => Number(this.column.queued_bytes[row] ?? 0)),
      fill: column((row) =>
        Math.min(
          1,
          Number(this.column.queued_frames[row] ?? 0) /
            (this.limits[this.pipe[row] as number] as number),
        ),
      ),
      busy: column((row) => growth('busy_ns', row) / 1e9),
      state: Uint8Array.from(now, (row) => (this.column.busy_ns[row] === null ? 2 : 0)),
    };
  }

  private rows(sample: number): number[] {
    const [from, to] = [this.firstRow[sample] ?? 0, this.firstRow[sample + 1] ?? 0];
    return Array.from({ length: to - from }, (_, index) => from + index).filter(
      (row) => (this.pipe[row] as number) >= 0,
    );
  }
}

/** The limit of a pipe's queue in frames; infinite if it has another unit: no fill is shown then. */
function limitOf(pipe: LinkStatus['forward']): number {
  const text = 'config' in pipe ? String(pipe.config.queue.limit) : '';
  return /packets?$|frames?$/.test(text) ? (parsed(text) ?? Infinity) : Infinity;
}

/** Links and nodes of a run as an engine would list them, from its `scenario.json`. */
export function networkOf(scenario: Scenario): { links: LinkStatus[]; nodes: NodeStatus[] } {
  const links = scenario.links.map((link) => ({
    name: link.name,
    endpoints: link.endpoints,
    forward: link.direct === true ? { statistics: null } : { config: link.forward, statistics: {} },
    reverse: link.direct === true ? { statistics: null } : { config: link.reverse, statistics: {} },
  })) as unknown as LinkStatus[];
  const interfaces = new Map<string, object[]>(scenario.nodes.map(({ name }) => [name, []]));
  for (const link of links)
    link.endpoints.forEach((end, index) => {
      const peer = link.endpoints[1 - index];
      interfaces
        .get(end.node)
        ?.push({ name: end.interface, mac: null, addresses: [], link: link.name, peer });
    });
  const nodes = scenario.nodes.map((node) => ({
    name: node.name,
    kind: node.kind,
    simulated: node.simulated ?? false,
    primary: [],
    namespace: null,
    interfaces: interfaces.get(node.name),
  })) as unknown as NodeStatus[];
  return { links, nodes };
}
