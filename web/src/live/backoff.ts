// When to try again what has failed. Pure: the random number is an argument.

/** Waits that double from `first` to `most` ms, each shortened at random by up to a half. */
export class Backoff {
  private tries = 0;

  constructor(
    private readonly first = 250,
    private readonly most = 10_000,
  ) {}

  /** The next wait in ms. `random` is in 0…1. */
  next(random: number): number {
    const whole = Math.min(this.most, this.first * 2 ** Math.min(this.tries, 30));
    this.tries += 1;
    return whole * (1 - random / 2);
  }

  /** Begins again, after a success. */
  reset(): void {
    this.tries = 0;
  }
}
