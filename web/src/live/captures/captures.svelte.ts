/** Captures that run in this page: each is a stream of the engine, kept until it is closed. */

import { ApiFailure, api, engine } from '../http';
import { live } from '../live.svelte';
import { PcapngReader } from './pcapng';
import { placesOf } from './targets';

/** Bytes that the page keeps of one capture, which ends then. */
export const MOST = 256 << 20;

export class Capture {
  /** Grows with what came, a few times a second. */
  tick = $state(0);
  /** Why it has ended; '' while it runs. */
  ended = $state('');
  readonly reader = new PcapngReader();
  private readonly stopping = new AbortController();
  private blob = new Blob([]);
  private parts: Uint8Array<ArrayBuffer>[] = [];
  private waiting = 0;
  private told = 0;

  constructor(
    readonly id: number,
    readonly experiment: string,
    readonly place: string,
    readonly drops: boolean,
  ) {}

  /** Reads until it is stopped, the engine ends it, or it is too large. */
  async run(): Promise<void> {
    try {
      const query = new URLSearchParams({ interface: this.place, drops: String(this.drops) });
      const answer = await api.send(`${engine(this.experiment, 'capture')}?${query}`, {
        signal: this.stopping.signal,
      });
      const body = answer.body?.getReader();
      for (;;) {
        const piece = await body?.read();
        if (piece === undefined || piece.done) break;
        this.take(piece.value);
        if (this.reader.bytes >= MOST) {
          this.stopping.abort();
          throw new Error(
            'it has 256 MiB, the most that the page keeps: download it, or use the command',
          );
        }
      }
      this.end('the experiment has ended it');
    } catch (failure) {
      if (this.stopping.signal.aborted && !(failure instanceof Error && failure.name === 'Error'))
        this.end('stopped');
      else if (failure instanceof ApiFailure)
        this.end([failure.message, failure.help].filter(Boolean).join(' '));
      else this.end(failure instanceof Error ? failure.message : String(failure));
    }
  }

  private take(chunk: Uint8Array<ArrayBuffer>): void {
    this.parts.push(chunk);
    this.waiting += chunk.length;
    // What is in a blob need not be in memory.
    if (this.waiting > 1 << 20) this.gather();
    this.reader.push(chunk);
    const now = performance.now();
    if (now - this.told < 200) return;
    this.told = now;
    this.tick += 1;
    // What comes in a quiet moment is shown, too.
    setTimeout(() => (this.tick += 1), 200);
  }

  private gather(): void {
    this.blob = new Blob([this.blob, ...this.parts]);
    [this.parts, this.waiting] = [[], 0];
  }

  private end(why: string): void {
    this.ended = why;
    this.tick += 1;
  }

  stop(): void {
    this.stopping.abort();
  }

  /** All that it has so far: whole frames, since the engine sends whole blocks. */
  file(): Blob {
    this.gather();
    return new Blob([this.blob], { type: 'application/x-pcapng' });
  }
}

class Captures {
  all = $state.raw<readonly Capture[]>([]);
  /** The capture whose frames are shown. */
  shown = $state<number | null>(null);
  /** What is written in the field of the next one. */
  wanted = $state('');
  refused = $state('');
  private next = 1;

  /** Starts captures at an interface, a medium, or both ends of a link. */
  start(text: string, drops: boolean): void {
    const { experiment, network } = live;
    const places = placesOf(text.trim(), network);
    this.refused =
      experiment === null
        ? 'Nothing runs: deploy the network first.'
        : places.length === 0
          ? `${text || 'nothing'} is no interface (node:name), link or medium (medium:name).`
          : '';
    if (experiment === null || this.refused !== '') return;
    for (const place of places) {
      const medium = place.startsWith('medium:') && network?.node('medium') === undefined;
      const capture = new Capture(this.next++, experiment, place, drops && !medium);
      this.all = [...this.all, capture];
      this.shown = capture.id;
      void capture.run();
    }
  }

  close(id: number): void {
    this.all.find((of) => of.id === id)?.stop();
    this.all = this.all.filter((of) => of.id !== id);
    if (this.shown === id) this.shown = this.all.at(-1)?.id ?? null;
  }
}

export const captures = new Captures();
