/** What the left side lists: experiments, scenario files, results; and what the server says of them. */

import { ApiFailure, api } from '../live/http';
import { page } from '../state.svelte';

export interface Experiment {
  readonly name: string;
  readonly alive: boolean;
  readonly simulated?: boolean;
  readonly status?: { readonly nodes?: unknown; readonly mode?: string } | null;
}

export interface Entry {
  readonly path: string;
  readonly name: string;
  readonly kind: 'folder' | 'scenario' | 'file';
}

export interface Run {
  readonly path: string;
  readonly experiment?: string;
  readonly modified_unix: number;
  readonly finished: boolean;
  readonly judgement?: string | null;
  readonly simulated?: boolean;
}

interface Notice {
  experiments?: readonly Experiment[];
  jobs?: readonly unknown[];
}

class Lists {
  experiments = $state.raw<readonly Experiment[]>([]);
  files = $state.raw<readonly Entry[]>([]);
  results = $state.raw<readonly Run[]>([]);

  /** Follows the server's list of experiments; returns what ends that. */
  watch(): () => void {
    const abort = new AbortController();
    void this.follow(abort.signal);
    void this.refresh();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.refresh();
    }, 5000);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }

  private async follow(signal: AbortSignal): Promise<void> {
    for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
      try {
        await api.events(
          '/api/watch',
          (events) => {
            wait = 250;
            for (const { experiments } of events as Notice[])
              if (experiments) this.experiments = experiments;
          },
          signal,
        );
      } catch (failure) {
        if (signal.aborted) return;
        if (failure instanceof ApiFailure && failure.unauthorized) return;
      }
      await new Promise((done) => setTimeout(done, wait));
    }
  }

  async refresh(): Promise<void> {
    try {
      const [files, results] = await Promise.all([
        api.get<{ entries: readonly Entry[] }>('/api/files?scenarios=true'),
        api.get<readonly Run[]>('/api/results'),
      ]);
      this.files = files.entries;
      this.results = results;
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      if (failure.status !== 0 && failure.status !== 401) page.say(failure.message);
    }
  }
}

export const lists = new Lists();
