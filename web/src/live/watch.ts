// Everything that flows from an experiment's engine to the page: the stream of frames, the stream
// of events, and what is asked again when it may have changed. Without the page's state.

import { decodeLive, type LiveFrame } from '../generated/live';
import { Backoff } from './backoff';
import type { Happened } from './eventlog';
import { ApiFailure, api, engine } from './http';
import { Pace } from './refresher';

/** What the client asks of `/v1/live`. */
export interface LiveRequest {
  interval_ms: number;
  links: 'all' | 'none' | number[];
  busiest?: number;
  stations: boolean;
  positions: boolean;
}

/** What is asked again, by its path. */
export type Asked =
  | 'experiment'
  | 'links'
  | 'nodes'
  | 'processes'
  | 'services'
  | 'verdict'
  | 'scenario'
  | 'media'
  | 'timing'
  | 'neighbours';

/** What a watch hands over. */
export interface Taker {
  frame: (frame: LiveFrame) => void;
  /** The network has changed: another revision, with so many links and stations. */
  network: (revision: number) => void;
  slowed: (interval_ms: number, why: string) => void;
  /** All events of up to 100 ms. */
  events: (events: Happened[]) => void;
  answer: (what: Asked, value: unknown) => void;
  /** The streams work (again), or do not, and why. */
  connected: () => void;
  lost: (failure: ApiFailure) => void;
  /** A request failed while the streams work. */
  failed: (what: Asked, failure: ApiFailure) => void;
}

const EVENTS: Partial<Record<Happened['event'], readonly Asked[]>> = {
  phase: ['experiment', 'processes', 'services'],
  changed: ['links'],
  medium_changed: ['media'],
  neighbour: ['neighbours'],
  applied: ['links', 'nodes', 'media', 'scenario', 'processes', 'services'],
  route_changed: ['nodes'],
  node_failed: ['links', 'services'],
  node_recovered: ['links', 'services'],
  process_started: ['processes'],
  process_ready: ['processes'],
  process_ended: ['processes'],
  process_failed: ['processes'],
  service_ready: ['services'],
  service_health: ['services'],
  service_ended: ['services'],
  contention: ['verdict'],
  timeline: ['links'],
  run_ended: ['experiment', 'processes', 'verdict'],
};

/** Watches one experiment until it is stopped. */
export class Watch {
  private readonly stopping = new AbortController();
  private readonly paces = new Map<Asked, Pace>();
  private socket: WebSocket | null = null;
  private request: LiveRequest;
  private pending: Happened[] = [];
  private nextEvent = 0;
  private timer: ReturnType<typeof setInterval>;
  private flush: ReturnType<typeof setTimeout> | null = null;
  private stopped = false;

  constructor(
    readonly experiment: string,
    private readonly taker: Taker,
    request: LiveRequest,
    asked: readonly Asked[],
  ) {
    this.request = request;
    asked.forEach((what) => this.paces.set(what, new Pace(what === 'verdict' ? 1000 : 250)));
    this.timer = setInterval(() => this.askDue(), 100);
    void this.keep(() => this.frames());
    void this.keep(() => this.eventStream());
  }

  /** Asks for something soon; also for what was not asked so far. */
  want(what: Asked): void {
    let pace = this.paces.get(what);
    if (pace === undefined) {
      pace = new Pace();
      this.paces.set(what, pace);
    }
    pace.want();
  }

  /** Replaces what the stream is asked for. */
  ask(request: LiveRequest): void {
    this.request = request;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
    if (this.flush !== null) clearTimeout(this.flush);
    this.stopping.abort();
    this.socket?.close();
  }

  /** Does `once` again and again until the watch is stopped, with waits that grow. */
  private async keep(once: () => Promise<void>): Promise<void> {
    const backoff = new Backoff();
    while (!this.stopped) {
      const begun = Date.now();
      try {
        await once();
        if (!this.stopped) this.taker.lost(new ApiFailure(0, 'the connection has ended'));
      } catch (failure) {
        if (this.stopped) return;
        this.taker.lost(
          failure instanceof ApiFailure ? failure : new ApiFailure(0, String(failure)),
        );
      }
      if (Date.now() - begun > 5000) backoff.reset();
      await new Promise((resolve) => setTimeout(resolve, backoff.next(Math.random())));
    }
  }

  private async frames(): Promise<void> {
    const socket = await api.socket(engine(this.experiment, 'live'));
    if (this.stopped) return socket.close();
    this.socket = socket;
    socket.send(JSON.stringify(this.request));
    for (const what of this.paces.keys()) this.want(what);
    this.taker.connected();
    return new Promise((resolve, reject) => {
      socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
        try {
          if (typeof data === 'string') this.notice(JSON.parse(data));
          else this.frame(data);
        } catch (cause) {
          socket.close();
          reject(new ApiFailure(0, cause instanceof Error ? cause.message : String(cause)));
        }
      });
      socket.addEventListener('close', () => resolve());
    });
  }

  private frame(data: ArrayBuffer): void {
    const frame = decodeLive(data);
    if (frame === null)
      throw new Error('frames of another version: reload the page to match the engine');
    this.taker.frame(frame);
  }

  private notice(notice: {
    network?: { revision: number };
    slowed?: { interval_ms: number; why: string };
    failed?: { error: string };
  }): void {
    if (notice.network !== undefined) {
      this.taker.network(notice.network.revision);
      this.want('links');
      this.want('nodes');
      this.want('media');
    }
    if (notice.slowed !== undefined)
      this.taker.slowed(notice.slowed.interval_ms, notice.slowed.why);
    if (notice.failed !== undefined) throw new Error(notice.failed.error);
  }

  private async eventStream(): Promise<void> {
    const path = `${engine(this.experiment, 'events')}?since=${this.nextEvent}`;
    await api.events(path, (events) => this.coalesce(events as Happened[]), this.stopping.signal);
  }

  /** Collects events for 50 ms, so that thousands a second cost as much as twenty. */
  private coalesce(events: Happened[]): void {
    for (const event of events) {
      this.nextEvent = Math.max(this.nextEvent, event.number + 1);
      EVENTS[event.event]?.forEach((what) => this.paces.get(what)?.want());
      this.pending.push(event);
    }
    this.flush ??= setTimeout(() => {
      this.flush = null;
      this.taker.events(this.pending.splice(0));
    }, 50);
  }

  private askDue(): void {
    const now = performance.now();
    this.paces.get('verdict')?.want();
    for (const [what, pace] of this.paces) if (pace.due(now)) void this.askFor(what, pace);
  }

  private async askFor(what: Asked, pace: Pace): Promise<void> {
    const begun = performance.now();
    try {
      const value = await api.get(engine(this.experiment, what), this.stopping.signal);
      if (!this.stopped) this.taker.answer(what, value);
    } catch (failure) {
      if (!this.stopped && failure instanceof ApiFailure) this.taker.failed(what, failure);
    } finally {
      const now = performance.now();
      pace.answered(now, now - begun);
    }
  }
}
