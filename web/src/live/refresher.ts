// Asks again for what may have changed, never more often than is cheap. Pure: time is an argument.

/** When to ask again: soon after it was wanted, and for at most a tenth of the time. */
export class Pace {
  private wanted = true;
  private next = -Infinity;

  constructor(private readonly least = 250) {}

  want(): void {
    this.wanted = true;
  }

  /** Whether to ask at `now` (ms). It then counts as asked. */
  due(now: number): boolean {
    if (!this.wanted || now < this.next) return false;
    this.wanted = false;
    this.next = Infinity;
    return true;
  }

  /** The answer came at `now` after `took` ms. */
  answered(now: number, took: number): void {
    this.next = now + Math.max(this.least, 9 * took);
  }
}
