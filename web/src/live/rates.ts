// Rates of counters that are read now and then. Pure: time is an argument.

export class Rates {
  private of = '';
  private last: { value: number; at: number } | null = null;
  private rate: number | null = null;

  /**
   * The growth of a counter of ns per ns of time since it was last read with another value; `null`
   * before two readings of the same thing. `at` is in ms.
   */
  next(of: string, value: number | null, at: number): number | null {
    if (of !== this.of || value === null) [this.of, this.last, this.rate] = [of, null, null];
    if (value === null) return null;
    if (this.last !== null && value < this.last.value) this.last = this.rate = null;
    if (this.last !== null && at - this.last.at >= 500) {
      this.rate = (value - this.last.value) / ((at - this.last.at) * 1e6);
      this.last = { value, at };
    }
    this.last ??= { value, at };
    return this.rate;
  }
}
