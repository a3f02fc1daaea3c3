// What all pipes do now: columns by pipe (2 × link + direction), kept up to date by frames. Pure.

import { PipeState, type PipeFrame } from '../generated/live';

/** Bits of a pipe's `state`. */
export const { DOWN, DIRECT, FULL, UNKNOWN, UNMODELLED } = PipeState;

export const COLUMNS = ['offered', 'delivered', 'drops', 'queued', 'fill', 'busy'] as const;
export type Column = (typeof COLUMNS)[number];

/** Columns of all pipes of a network of one revision. */
export class Pipes {
  readonly offered: Float32Array;
  readonly delivered: Float32Array;
  readonly drops: Float32Array;
  readonly queued: Float32Array;
  readonly fill: Float32Array;
  readonly busy: Float32Array;
  readonly state: Uint8Array;
  /** Pipes that carried something since the network was as it is. */
  readonly active: Uint8Array;
  /** Pipes in which something waited since then. */
  readonly filled: Uint8Array;
  /** Time of the experiment of the newest frame, in s; `NaN` before the first. */
  time = NaN;
  /** The largest `delivered` so far, in bit/s. */
  peak = 0;
  /** Frames of other revisions, or with rows of unknown pipes: thrown away. */
  refused = 0;

  constructor(
    readonly count: number,
    readonly revision: number,
  ) {
    const column = (): Float32Array => new Float32Array(count);
    this.offered = column();
    this.delivered = column();
    this.drops = column();
    this.queued = column();
    this.fill = column();
    this.busy = column();
    this.state = new Uint8Array(count).fill(UNKNOWN);
    this.active = new Uint8Array(count);
    this.filled = new Uint8Array(count);
  }

  /** Takes the rows of a frame; whether it was of this network. */
  take(frame: PipeFrame): boolean {
    if (frame.revision !== this.revision) {
      this.refused += 1;
      return false;
    }
    for (let row = 0; row < frame.index.length; row += 1) {
      const pipe = frame.index[row] as number;
      if (pipe >= this.count) {
        this.refused += 1;
        continue;
      }
      const delivered = frame.delivered[row] as number;
      this.offered[pipe] = frame.offered[row] as number;
      this.delivered[pipe] = delivered;
      this.drops[pipe] = frame.drops[row] as number;
      this.queued[pipe] = frame.queued[row] as number;
      this.fill[pipe] = frame.fill[row] as number;
      this.busy[pipe] = frame.busy[row] as number;
      this.state[pipe] = frame.state[row] as number;
      if (delivered > 0 || (frame.offered[row] as number) > 0) this.active[pipe] = 1;
      if ((frame.fill[row] as number) >= 0.01) this.filled[pipe] = 1;
      if (delivered > this.peak) this.peak = delivered;
    }
    this.time = frame.time;
    return true;
  }

  /** Whether a pipe has one of these bits. */
  is(pipe: number, bits: number): boolean {
    return ((this.state[pipe] ?? 0) & bits) !== 0;
  }

  row(pipe: number): number[] {
    return COLUMNS.map((name) => this[name][pipe] ?? NaN);
  }
}
