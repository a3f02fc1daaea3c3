/** Deploy, run, simulate, apply and destroy: each is a job of the server, whose progress is shown. */

import { ApiFailure, api } from '../live/http';
import { page } from '../state.svelte';

export interface Job {
  readonly id: number | string;
  readonly command: string;
  readonly file?: string | null;
  readonly experiment?: string | null;
  readonly ended?: { code: number } | null;
}

export interface PlanStep {
  readonly change: 'add' | 'remove' | 'replace' | 'change';
  readonly part: string;
  readonly name: string;
  readonly detail?: string | null;
}

export interface Plan {
  readonly running: boolean;
  readonly refused?: string | null;
  readonly steps: readonly PlanStep[];
  readonly notes?: readonly string[];
}

export const MARKS: { readonly [change: string]: string } = {
  add: '+',
  remove: '-',
  replace: '!',
  change: '~',
};

export type Command = 'deploy' | 'run' | 'simulate' | 'apply' | 'destroy' | 'cleanup';

interface JobEvent {
  progress?: unknown;
  text?: { stream: 'stdout' | 'stderr'; line: string };
  ended?: { code: number };
}

class Jobs {
  /** The job that this page has started last, while its outcome is shown. */
  current = $state.raw<Job | null>(null);
  lines = $state.raw<readonly string[]>([]);
  progress = $state('');
  code = $state<number | null>(null);
  /** A plan that waits for a yes. */
  plan = $state.raw<Plan | null>(null);
  private abort: AbortController | null = null;

  get running(): boolean {
    return this.current !== null && this.code === null;
  }

  /** Starts a command and follows it to its end. Returns its exit code. */
  async start(command: Command, action: Readonly<Record<string, unknown>>): Promise<number> {
    this.abort?.abort();
    this.lines = [];
    this.code = null;
    this.progress = `${command}…`;
    try {
      const job = await api.post<Job>(`/api/${command}`, action);
      this.current = job;
      page.say(`${command} has begun`);
      return await this.follow(job);
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      this.current ??= { id: '', command };
      this.lines = [...this.lines, failure.message, ...(failure.help ? [failure.help] : [])];
      this.code = 1;
      page.say(`${command}: ${failure.message}`);
      return 1;
    }
  }

  private async follow(job: Job): Promise<number> {
    this.abort = new AbortController();
    let code: number | null = null;
    await api.events(
      `/api/jobs/${job.id}/events`,
      (events) => {
        const lines = [...this.lines];
        for (const event of events as JobEvent[]) {
          if (event.text) lines.push(event.text.line);
          if (event.progress) {
            this.progress = progressText(event.progress) || this.progress;
            const failed = (event.progress as { failed?: { error?: string; help?: string } })
              .failed;
            if (failed) lines.push(...[failed.error, failed.help].filter((of) => of !== undefined));
          }
          if (event.ended) code = event.ended.code;
        }
        this.lines = lines.slice(-500);
      },
      this.abort.signal,
    );
    this.code = code ?? 1;
    page.say(
      this.code === 0
        ? `${job.command}: done`
        : `${job.command} failed: ${this.lines.at(-1) ?? ''}`,
    );
    return this.code;
  }

  async stop(): Promise<void> {
    if (this.current) await api.post(`/api/jobs/${this.current.id}/stop`, {});
  }

  dismiss(): void {
    this.current = null;
    this.lines = [];
    this.progress = '';
  }
}

/** A line of progress (`Progress` of the API), as one reads it. */
export function progressText(progress: unknown): string {
  if (typeof progress !== 'object' || progress === null) return '';
  const [kind, value] = Object.entries(progress)[0] ?? ['', null];
  const of = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  switch (kind) {
    case 'nodes':
    case 'services':
      return `${String(of.done)} of ${String(of.total)} ${kind}`;
    case 'up':
      return 'the network is up; services are to become ready';
    case 'note':
      return String(value);
    case 'ready':
      return `ready after ${Number(of.seconds).toFixed(1)} s`;
    case 'simulated':
      return `${Number(of.seconds).toFixed(1)} s${of.whole_seconds ? ` of ${String(of.whole_seconds)} s` : ''} simulated`;
    case 'ended':
      return 'ended';
    default:
      return '';
  }
}

export const jobs = new Jobs();
