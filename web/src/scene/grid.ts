/** A uniform grid over points, for finding those near a place without a look at all of them. */

import type { Box } from './view';

export class Grid {
  private readonly start: Uint32Array;
  private readonly items: Uint32Array;
  private readonly columns: number;
  private readonly rows: number;
  private readonly cell: number;
  private readonly left: number;
  private readonly top: number;

  /** About two points per cell, if they are spread evenly. */
  constructor(
    private readonly x: Float32Array,
    private readonly y: Float32Array,
  ) {
    const count = x.length;
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < count; i++) {
      x0 = Math.min(x0, x[i]);
      y0 = Math.min(y0, y[i]);
      x1 = Math.max(x1, x[i]);
      y1 = Math.max(y1, y[i]);
    }
    if (count === 0) [x0, y0, x1, y1] = [0, 0, 0, 0];
    const area = Math.max(x1 - x0, 1) * Math.max(y1 - y0, 1);
    this.cell = Math.max(
      Math.sqrt((area * 2) / Math.max(count, 1)),
      (x1 - x0) / 1000,
      (y1 - y0) / 1000,
      1,
    );
    this.left = x0;
    this.top = y0;
    this.columns = Math.floor((x1 - x0) / this.cell) + 1;
    this.rows = Math.floor((y1 - y0) / this.cell) + 1;
    this.start = new Uint32Array(this.columns * this.rows + 1);
    for (let i = 0; i < count; i++) this.start[this.cellOf(x[i], y[i]) + 1]++;
    for (let i = 1; i < this.start.length; i++) this.start[i] += this.start[i - 1];
    this.items = new Uint32Array(count);
    const next = this.start.slice();
    for (let i = 0; i < count; i++) this.items[next[this.cellOf(x[i], y[i])]++] = i;
  }

  /** Calls `found` for each point in `box`. */
  within(box: Box, found: (index: number) => void): void {
    const c0 = this.column(box.x0);
    const c1 = this.column(box.x1);
    const r0 = this.row(box.y0);
    const r1 = this.row(box.y1);
    for (let row = r0; row <= r1; row++) {
      for (let column = c0; column <= c1; column++) {
        const cell = row * this.columns + column;
        for (let k = this.start[cell]; k < this.start[cell + 1]; k++) {
          const i = this.items[k];
          const [x, y] = [this.x[i], this.y[i]];
          if (x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1) found(i);
        }
      }
    }
  }

  /** The point nearest to a place, at most `reach` away, or -1. */
  nearest(x: number, y: number, reach: number): number {
    let best = -1;
    let least = reach * reach;
    this.within({ x0: x - reach, y0: y - reach, x1: x + reach, y1: y + reach }, (i) => {
      const distance = (this.x[i] - x) ** 2 + (this.y[i] - y) ** 2;
      if (distance <= least) {
        least = distance;
        best = i;
      }
    });
    return best;
  }

  private column(x: number): number {
    return Math.min(this.columns - 1, Math.max(0, Math.floor((x - this.left) / this.cell)));
  }

  private row(y: number): number {
    return Math.min(this.rows - 1, Math.max(0, Math.floor((y - this.top) / this.cell)));
  }

  private cellOf(x: number, y: number): number {
    return this.row(y) * this.columns + this.column(x);
  }
}
