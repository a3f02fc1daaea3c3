// Delays of one link as the engine measures them, asked once a second while somebody looks.

import { api, engine } from './http';
import type { LinkStatus } from './types';

/** Time in s, then the mean delay of the last second of each direction in ns. */
export type DelayRow = [number, number | null, number | null];

export class Delays {
  readonly rows: DelayRow[] = [];
  private stopped = false;

  constructor(
    private readonly experiment: string,
    private readonly link: string,
    private readonly now: () => number,
    private readonly added: () => void,
  ) {
    void this.run();
  }

  stop(): void {
    this.stopped = true;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const begun = performance.now();
      try {
        const links = await api.get<LinkStatus[]>(`${engine(this.experiment, 'links')}?last=1s`);
        const link = links.find(({ name }) => name === this.link);
        this.rows.push([this.now(), mean(link?.forward), mean(link?.reverse)]);
        if (this.rows.length > 600) this.rows.shift();
        if (!this.stopped) this.added();
      } catch {
        // What is wrong with the engine is in the banner; here it is a gap.
      }
      const took = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, Math.max(1000, 9 * took)));
    }
  }
}

function mean(pipe: LinkStatus['forward'] | undefined): number | null {
  return pipe !== undefined && 'config' in pipe ? (pipe.statistics.delay?.mean_ns ?? null) : null;
}
