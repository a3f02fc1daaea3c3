// From times to pixels and back, for the ribbon, the timeline and charts alike. Pure.

import type { Band } from './timeline';

export class Axis {
  constructor(
    readonly band: Band,
    readonly left: number,
    readonly right: number,
  ) {}

  /** Pixel of a time in ns. */
  x(time: number): number {
    const { from, to } = this.band;
    return this.left + ((time - from) / (to - from)) * (this.right - this.left);
  }

  /** Time in ns at a pixel, within the axis. */
  time(x: number): number {
    const share = Math.min(1, Math.max(0, (x - this.left) / (this.right - this.left)));
    return this.band.from + share * (this.band.to - this.band.from);
  }

  /** Left edge and width of a band that is at least a pixel wide; `null` outside the axis. */
  span(from: number, to: number): { x: number; width: number } | null {
    const [a, b] = [Math.max(from, this.band.from), Math.min(to, this.band.to)];
    if (b < a) return null;
    return { x: this.x(a), width: Math.max(1, this.x(b) - this.x(a)) };
  }
}

/** Numbers beside each other that would cover: keeps those at least `least` px apart, first wins. */
export function apart<T>(items: readonly T[], x: (item: T) => number, least: number): T[] {
  let last = -Infinity;
  return items.filter((item) => {
    const at = x(item);
    if (at - last < least) return false;
    last = at;
    return true;
  });
}
