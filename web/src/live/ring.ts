// Values of the last minutes, at times of the experiment. Pure.

/**
 * Columns of numbers over time, of which the newest `capacity` are kept. Times grow. Where nothing
 * was received for longer than `gap`, a row of `NaN` stands between, so that a chart shows a gap.
 */
export class Ring {
  readonly times: Float64Array;
  readonly columns: Float32Array[];
  private start = 0;
  private used = 0;

  constructor(
    readonly capacity: number,
    width: number,
    private readonly gap: number,
  ) {
    this.times = new Float64Array(capacity);
    this.columns = Array.from({ length: width }, () => new Float32Array(capacity));
  }

  get length(): number {
    return this.used;
  }

  /** The newest time; `-Infinity` before the first. */
  get newest(): number {
    return this.used === 0 ? -Infinity : (this.times[this.slot(this.used - 1)] as number);
  }

  /** Adds a row. A row at the newest time replaces it; an older one is ignored. */
  push(time: number, values: readonly number[]): void {
    if (time < this.newest) return;
    if (time === this.newest) {
      this.write(this.slot(this.used - 1), time, values);
      return;
    }
    if (this.used > 0 && time - this.newest > this.gap) {
      this.append(
        (this.newest + time) / 2,
        this.columns.map(() => NaN),
      );
    }
    this.append(time, values);
  }

  /** Rows from `from` on, oldest first: the times, then a list for each column. `NaN` is `null`. */
  since(from: number): [number[], ...(number | null)[][]] {
    const first = this.firstAt(from);
    const slots = Array.from({ length: this.used - first }, (_, index) => this.slot(first + index));
    const listed = this.columns.map((column) =>
      slots.map((slot) => (Number.isNaN(column[slot]) ? null : (column[slot] as number))),
    );
    return [slots.map((slot) => this.times[slot] as number), ...listed];
  }

  /** The newest value of a column; `NaN` if there is none. */
  last(column: number): number {
    return this.used === 0 ? NaN : (this.columns[column]?.[this.slot(this.used - 1)] ?? NaN);
  }

  clear(): void {
    this.start = 0;
    this.used = 0;
  }

  private slot(index: number): number {
    return (this.start + index) % this.capacity;
  }

  private append(time: number, values: readonly number[]): void {
    if (this.used === this.capacity) this.start = (this.start + 1) % this.capacity;
    else this.used += 1;
    this.write(this.slot(this.used - 1), time, values);
  }

  private write(slot: number, time: number, values: readonly number[]): void {
    this.times[slot] = time;
    this.columns.forEach((column, index) => {
      column[slot] = values[index] ?? NaN;
    });
  }

  private firstAt(from: number): number {
    let [low, high] = [0, this.used];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[this.slot(middle)] as number) < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
