/**
 * The experiment that is shown, as the page knows it: what flows from its engine, and what went
 * wrong on the way. Large things are not proxied (`$state.raw`); columns of pipes change in place,
 * and `tick` tells those who draw them.
 */

import type { LiveFrame } from '../generated/live';
import { page } from '../state.svelte';
import { EventLog, type Happened } from './eventlog';
import { History } from './history';
import { ApiFailure, api, onFailure, session } from './http';
import { Network } from './network';
import { OVERLAYS } from './overlay/overlays';
import type { OverlayPicture } from './overlay/types';
import { Pipes } from './pipes';
import { Radio } from './radio/state.svelte';
import { REPLAYED, Recording, networkOf, type Table } from './replay';
import type { About } from './session';
import { Course, timelineOf, type Timeline } from './timeline';
import type {
  ExperimentStatus,
  LinkStatus,
  MediumStatus,
  Neighbours,
  NodeStatus,
  ProcessStatus,
  ScenarioInForce,
  Scenario,
  ServiceStatus,
  Summary,
  Timing,
  Verdict,
} from './types';
import { Watch, type Asked, type LiveRequest, type Taker } from './watch';

/** What is wrong, and what can be done. */
export interface Trouble {
  kind: 'session' | 'server' | 'engine' | 'reconnecting';
  text: string;
  help: string;
  /** Milliseconds of the wall clock. */
  since: number;
}

const ASKED: readonly Asked[] = [
  'experiment',
  'links',
  'nodes',
  'scenario',
  'processes',
  'services',
  'verdict',
  'timing',
  'media',
];

/** What the name of a finished run begins with, where an experiment's name stands. */
export const RUN = 'run:';

class Live {
  about = $state.raw<About | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  experiment = $state<string | null>(null);
  status = $state.raw<ExperimentStatus | null>(null);
  network = $state.raw<Network | null>(null);
  scenario = $state.raw<ScenarioInForce | null>(null);
  processes = $state.raw<readonly ProcessStatus[]>([]);
  services = $state.raw<readonly ServiceStatus[]>([]);
  verdict = $state.raw<Verdict | null>(null);
  timing = $state.raw<Timing | null>(null);
  failed = $state.raw<ReadonlySet<string>>(new Set());
  /** Grows with every frame. */
  tick = $state(0);
  /** Grows with every piece of events. */
  eventTick = $state(0);
  /** Why frames come more seldom than asked; '' if they do not. */
  slowed = $state('');
  interval = $state(250);
  /** Where the one cursor of all charts is, in ns since zero; `null`: nowhere. */
  cursor = $state<number | null>(null);
  /** Whether what is shown is no more: the engine is gone, the last picture stays. */
  stale = $state(false);

  /** The finished run that is replayed; `null` of a living experiment. */
  recording = $state.raw<Recording | null>(null);
  /** 1 if all samples of the run are shown, 2 if every other one is, and so on. */
  step = $state(1);

  pipes: Pipes | null = null;
  /** Stations of shared media, and who hears whom. */
  readonly radio = new Radio();
  history = new History();
  log = new EventLog();
  course = new Course();
  private watch: Watch | null = null;
  private revision = 0;
  private links: readonly LinkStatus[] = [];
  private nodes: readonly NodeStatus[] = [];
  private request: LiveRequest = {
    interval_ms: 250,
    links: 'all',
    stations: false,
    positions: false,
  };
  private readonly frameListeners = new Set<(frame: LiveFrame) => void>();

  /** Opens the session; the page begins with it. */
  async open(): Promise<void> {
    onFailure((failure) => this.failedToReach(failure));
    try {
      this.about = (await session()).about;
    } catch (failure) {
      if (failure instanceof ApiFailure) this.failedToReach(failure);
      else throw failure;
    }
  }

  /** Shows an experiment, or none. */
  show(name: string | null): void {
    if (name === this.experiment) return;
    this.watch?.stop();
    this.experiment = name;
    this.forget();
    if (name?.startsWith(RUN)) void this.openRun(name.slice(RUN.length), name);
    this.watch =
      name === null || name.startsWith(RUN)
        ? null
        : new Watch(name, this.taker(), this.request, ASKED);
  }

  /** Opens a finished run: its network, events and verdict, then its pipes at its first sample. */
  private async openRun(run: string, name: string): Promise<void> {
    const query = `run=${encodeURIComponent(run)}`;
    const file = async (of: string): Promise<string> =>
      (await api.send(`/api/results/file?${query}&file=${of}`)).text();
    try {
      const [scenario, text, events, summary, table] = await Promise.all([
        file('scenario.json').then((of) => JSON.parse(of) as Scenario),
        file('scenario.yaml'),
        file('events.jsonl'),
        api.get<Summary>(`/api/results/summary?${query}`),
        api.get<Table>(
          `/api/results/table?${query}&file=pipes.parquet&rows=200000&evenly=true&columns=${REPLAYED.join(',')}`,
        ),
      ]);
      if (this.experiment !== name) return;
      this.scenario = { file: `${run}/scenario.yaml`, scenario, text };
      ({ links: this.links, nodes: this.nodes } = networkOf(scenario));
      this.rebuild();
      this.recording = new Recording(table, this.links);
      this.step = table.step;
      this.processes = summary.processes;
      this.takeEvents(
        events
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Happened),
      );
      this.verdict = summary.verdict ?? null;
      this.seek(this.recording.times[0] ?? 0);
    } catch (failure) {
      page.say(
        `${run} cannot be replayed: ${failure instanceof Error ? failure.message : String(failure)}`,
      );
    }
  }

  /** Shows a finished run as it was at a time, in s since zero. */
  seek(time: number): void {
    const { recording, pipes } = this;
    if (recording === null || pipes === null) return;
    const sample = Math.max(0, recording.sampleAt(time));
    pipes.take(recording.frame(sample, pipes.revision));
    this.history.take(pipes);
    this.tick += 1;
  }

  /** Replaces parts of what the stream is asked for. */
  ask(part: Partial<LiveRequest>): void {
    this.request = { ...this.request, ...part };
    this.watch?.ask(this.request);
  }

  /** Asks the engine again for something. */
  want(what: Asked): void {
    this.watch?.want(what);
  }

  onFrame(listener: (frame: LiveFrame) => void): () => void {
    this.frameListeners.add(listener);
    return () => this.frameListeners.delete(listener);
  }

  /** Time of the experiment, in ns since zero. */
  get now(): number {
    void this.tick;
    const streamed = this.pipes?.time ?? NaN;
    return Number.isNaN(streamed) ? (this.status?.now ?? 0) : streamed * 1e9;
  }

  timeline = $derived.by((): Timeline => {
    void this.eventTick;
    return timelineOf(this.course, this.scenario?.scenario ?? null, this.verdict);
  });

  /** What the overlay draws now; `null` before the network is known. */
  picture = $derived.by((): OverlayPicture | null => {
    const version = this.tick;
    if (this.network === null || this.pipes === null) return null;
    const overlay = OVERLAYS.find(({ key }) => key === page.overlay) ?? OVERLAYS[0];
    const { network, pipes, verdict, services, failed } = this;
    const { air, hearing, hidden, units } = this.radio;
    const sender = page.selection.nodes[0] ?? null;
    const seen = air === null ? {} : { radio: { air, hearing, hidden, sender, units } };
    return overlay?.draw({ network, pipes, verdict, services, failed, ...seen }, version) ?? null;
  });

  private forget(): void {
    this.recording = null;
    this.step = 1;
    this.status = this.network = this.scenario = this.verdict = this.timing = null;
    this.processes = [];
    this.services = [];
    this.radio.forget();
    this.failed = new Set();
    this.pipes = null;
    this.history = new History();
    this.log = new EventLog();
    this.course = new Course();
    this.links = [];
    this.nodes = [];
    this.revision = 0;
    this.stale = false;
    this.slowed = '';
    if (this.trouble?.kind === 'engine' || this.trouble?.kind === 'reconnecting')
      this.trouble = null;
    this.tick += 1;
    this.eventTick += 1;
  }

  private taker(): Taker {
    return {
      frame: (frame) => this.takeFrame(frame),
      network: (revision) => {
        this.revision = revision;
        this.rebuild();
      },
      slowed: (interval, why) => {
        this.interval = interval;
        this.slowed = why;
      },
      events: (events) => this.takeEvents(events),
      answer: (what, value) => this.takeAnswer(what, value),
      connected: () => {
        this.stale = false;
        if (this.trouble?.kind !== 'session') this.trouble = null;
      },
      lost: (failure) => void this.lost(failure),
      failed: (_, failure) => this.failedToReach(failure),
    };
  }

  private takeFrame(frame: LiveFrame): void {
    this.frameListeners.forEach((listener) => listener(frame));
    if (this.radio.takeFrame(frame)) this.tick += 1;
    if (frame.kind !== 'pipes' || this.pipes?.take(frame) !== true) return;
    this.history.take(this.pipes);
    this.tick += 1;
  }

  private takeEvents(events: Happened[]): void {
    const fresh = this.log.take(events);
    this.course.take(fresh);
    const failed = new Set(this.failed);
    for (const event of fresh) {
      if (event.event === 'node_failed') {
        failed.add(event.node);
        page.say(`node ${event.node} failed`);
      }
      if (event.event === 'node_recovered') failed.delete(event.node);
    }
    this.failed = failed;
    this.eventTick += 1;
  }

  private takeAnswer(what: Asked, value: unknown): void {
    switch (what) {
      case 'experiment':
        this.status = value as ExperimentStatus;
        break;
      case 'links':
        this.links = value as LinkStatus[];
        this.rebuild();
        break;
      case 'nodes':
        this.nodes = value as NodeStatus[];
        this.rebuild();
        break;
      case 'scenario':
        this.scenario = value as ScenarioInForce;
        break;
      case 'processes':
        this.processes = value as ProcessStatus[];
        break;
      case 'services':
        this.services = value as ServiceStatus[];
        break;
      case 'media':
        // Rows of stations that were not known were thrown away: have them sent again.
        if (this.radio.takeMedia(value as MediumStatus[], this.revision))
          this.watch?.ask(this.request);
        break;
      case 'neighbours':
        this.radio.takeNeighbours(value as Neighbours[]);
        break;
      case 'timing':
        this.timing = value as Timing;
        break;
      case 'verdict':
        this.takeVerdict(value as Verdict);
        break;
    }
  }

  private takeVerdict(verdict: Verdict): void {
    const before = this.verdict?.judgement;
    if (before !== undefined && before !== verdict.judgement) {
      page.say(`the verdict is now ${verdict.judgement}`);
    }
    this.verdict = verdict;
  }

  private rebuild(): void {
    if (this.links.length === 0 && this.nodes.length === 0) return;
    this.network = new Network(this.links, this.nodes, this.revision);
    const count = 2 * this.links.length;
    if (this.pipes?.count !== count || this.pipes.revision !== this.revision) {
      if (this.pipes !== null && this.pipes.count !== count) this.history.clear();
      this.pipes = new Pipes(count, this.revision);
      // Rows that came before the links were known were thrown away: have them sent again.
      this.watch?.ask(this.request);
      this.tick += 1;
    }
  }

  /** The streams ended. Whether the engine or the way to it is gone decides what is said. */
  private async lost(failure: ApiFailure): Promise<void> {
    const name = this.experiment;
    if (name === null || this.trouble?.kind === 'session' || this.trouble?.kind === 'engine')
      return;
    this.stale = true;
    try {
      await api.get(`/api/experiments/${encodeURIComponent(name)}/v1/experiment`);
      this.report('reconnecting', 'The stream has ended; connecting again.', failure.message);
    } catch (gone) {
      if (!(gone instanceof ApiFailure) || gone.status === 0 || gone.unauthorized) return;
      const ended = this.log.kept.findLast(({ event }) => event === 'run_ended');
      const said = ended === undefined ? gone.message : `${name} has ended in order.`;
      this.watch?.stop();
      this.report('engine', said, gone.help ?? '');
      void this.awaitReturn(name);
    }
  }

  /** Watches an experiment again if one of that name is started. */
  private async awaitReturn(name: string): Promise<void> {
    while (this.experiment === name && this.trouble?.kind === 'engine') {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const all = await api
        .get<{ name: string; alive: boolean }[]>('/api/experiments')
        .catch(() => []);
      if (this.experiment !== name || !all.some((of) => of.name === name && of.alive)) continue;
      this.show(null);
      this.show(name);
      return;
    }
  }

  private failedToReach(failure: ApiFailure): void {
    if (failure.unauthorized) {
      this.watch?.stop();
      this.stale = true;
      this.report(
        'session',
        'This page’s session is over.',
        'Run `netloom ui` and open the address that it prints.',
      );
    } else if (failure.status === 0) {
      this.stale = this.experiment !== null;
      this.report(
        'server',
        'netloom ui does not answer; trying again.',
        'If it has ended, run `netloom ui` again; experiments stay.',
      );
    }
  }

  private report(kind: Trouble['kind'], text: string, help: string): void {
    if (this.trouble?.kind === kind && this.trouble.text === text) return;
    this.trouble = { kind, text, help, since: Date.now() };
    page.say(text);
  }
}

export const live = new Live();
