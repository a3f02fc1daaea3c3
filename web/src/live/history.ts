// The last ten minutes of pipes: watched ones at every frame, all that carry something once a
// second. Pure.

import { COLUMNS, type Column, type Pipes } from './pipes';
import { Ring } from './ring';

const KEPT_S = 600;
/** Pipes beyond this many have a past only while they are watched: 10 min of one take 19 kB. */
const MOST = 4000;

export class History {
  private readonly coarse = new Map<number, Ring>();
  private readonly fine = new Map<number, Ring>();
  private next = -Infinity;

  /** Keeps every frame of these pipes from now on, and of no others. */
  watch(pipes: readonly number[]): void {
    for (const pipe of this.fine.keys()) if (!pipes.includes(pipe)) this.fine.delete(pipe);
    for (const pipe of pipes) {
      if (!this.fine.has(pipe)) this.fine.set(pipe, new Ring(KEPT_S * 4, COLUMNS.length, 3));
    }
  }

  /** Takes what all pipes do now. */
  take(pipes: Pipes): void {
    for (const [pipe, ring] of this.fine) ring.push(pipes.time, pipes.row(pipe));
    if (pipes.time < this.next) return;
    this.next = Math.floor(pipes.time) + 1;
    for (let pipe = 0; pipe < pipes.count; pipe += 1) {
      if (pipes.active[pipe] !== 1) continue;
      let ring = this.coarse.get(pipe);
      if (ring === undefined && this.coarse.size < MOST) {
        ring = new Ring(KEPT_S, COLUMNS.length, 4);
        this.coarse.set(pipe, ring);
      }
      ring?.push(pipes.time, pipes.row(pipe));
    }
  }

  /** Times in s and columns of a pipe from `from` on: by the second, then by the frame. */
  of(pipe: number, from: number): [number[], ...(number | null)[][]] {
    const fine = this.fine.get(pipe)?.since(from) ?? empty();
    const coarse = this.coarse.get(pipe)?.since(from) ?? empty();
    const begin = fine[0][0] ?? Infinity;
    const older = coarse[0].findIndex((time) => time >= begin);
    const until = older === -1 ? coarse[0].length : older;
    return coarse.map((column, index) => [
      ...column.slice(0, until),
      ...(fine[index] as number[]),
    ]) as [number[], ...number[][]];
  }

  /** A column of several pipes, at the times of any of them; `null` where one has no value. */
  aligned(
    pipes: readonly number[],
    column: Column,
    from: number,
  ): [number[], ...(number | null)[][]] {
    const all = pipes.map((pipe) => this.of(pipe, from));
    const times = [...new Set(all.flatMap(([times]) => times))].sort((a, b) => a - b);
    const index = COLUMNS.indexOf(column) + 1;
    return [
      times,
      ...all.map((rows) => {
        const values = new Map(rows[0].map((time, row) => [time, rows[index]?.[row] ?? null]));
        return times.map((time) => values.get(time) ?? null);
      }),
    ];
  }

  /** Forgets all: another network. */
  clear(): void {
    this.coarse.clear();
    this.fine.clear();
    this.next = -Infinity;
  }
}

function empty(): [number[], ...(number | null)[][]] {
  return [[], ...COLUMNS.map(() => [])];
}
