// Stations of all media: what each does now, where it is, and where it was. Pure.

import type { PositionFrame, StationFrame } from '../../generated/live';
import type { MediumStatus, StationStatus } from '../types';

/** Bits of a station's `state`. */
export const STATION_ON = 1;
export const STATION_PRESENT = 2;

/** Length of a station's track, in s of the experiment. */
export const TRACK = 60;

export interface Station {
  readonly medium: string;
  readonly node: string;
  readonly interface: string;
}

/** Columns of all stations, in the order of `GET /v1/media`. */
export class Air {
  readonly stations: readonly Station[];
  readonly sent: Float32Array;
  readonly sensed: Float32Array;
  readonly retries: Float32Array;
  readonly failed: Float32Array;
  readonly queued: Uint32Array;
  readonly state: Uint8Array;
  /** Metres to the east, to the north and upwards. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
  readonly present: Uint8Array;
  /** Places of the last minute: time, x, y of each. */
  readonly tracks: readonly number[][];
  private readonly byNode = new Map<string, number[]>();

  constructor(
    readonly media: readonly MediumStatus[],
    readonly revision: number,
  ) {
    const all = media.flatMap(({ name, stations }) =>
      stations.map((status): [Station, StationStatus] => [
        { medium: name, node: status.interface.node, interface: status.interface.interface },
        status,
      ]),
    );
    this.stations = all.map(([station]) => station);
    const column = (): Float32Array => new Float32Array(all.length);
    [this.sent, this.sensed, this.retries, this.failed] = [column(), column(), column(), column()];
    this.queued = Uint32Array.from(all, ([, { queued }]) => queued);
    this.state = Uint8Array.from(
      all,
      ([, { on, position }]) => (on ? STATION_ON : 0) | (position ? STATION_PRESENT : 0),
    );
    this.x = Float64Array.from(all, ([, { position }]) => position?.x ?? 0);
    this.y = Float64Array.from(all, ([, { position }]) => position?.y ?? 0);
    this.z = Float64Array.from(all, ([, { position }]) => position?.z ?? 0);
    this.present = Uint8Array.from(all, ([, { position }]) => (position ? 1 : 0));
    this.tracks = all.map(() => []);
    this.stations.forEach(({ node }, i) => {
      this.byNode.set(node, [...(this.byNode.get(node) ?? []), i]);
    });
  }

  /** Whether the stations are those of `media`, in the same order. */
  isOf(media: readonly MediumStatus[], revision: number): boolean {
    const others = media.flatMap(({ name, stations }) =>
      stations.map(({ interface: at }) => `${name} ${at.node}`),
    );
    return (
      revision === this.revision &&
      others.length === this.stations.length &&
      this.stations.every(({ medium, node }, i) => others[i] === `${medium} ${node}`)
    );
  }

  /** The stations of a node. */
  of(node: string): readonly number[] {
    return this.byNode.get(node) ?? [];
  }

  has(node: string): boolean {
    return this.byNode.has(node);
  }

  nodes(): Iterable<string> {
    return this.byNode.keys();
  }

  /** Where a node is, in m; `null` while it is away. */
  place(node: string): readonly [number, number] | null {
    const at = this.of(node).find((i) => this.present[i] === 1);
    return at === undefined ? null : [this.x[at], this.y[at]];
  }

  /** Takes the rows of a frame; whether it was of these stations. */
  take(frame: StationFrame | PositionFrame): boolean {
    if (frame.revision !== this.revision) return false;
    for (let row = 0; row < frame.index.length; row++) {
      const i = frame.index[row];
      if (i >= this.stations.length) continue;
      if (frame.kind === 'positions') this.goes(frame, row, i);
      else {
        this.sent[i] = frame.sent[row];
        this.sensed[i] = frame.sensed[row];
        this.retries[i] = frame.retries[row];
        this.failed[i] = frame.failed[row];
        this.queued[i] = frame.queued[row];
        this.state[i] = frame.state[row];
      }
    }
    return true;
  }

  private goes(frame: PositionFrame, row: number, i: number): void {
    const [x, y] = [frame.x[row], frame.y[row]];
    const track = this.tracks[i];
    if (frame.present[row] !== 1) track.length = 0;
    else if (this.present[i] === 1 && (x !== this.x[i] || y !== this.y[i])) {
      track.push(frame.time, this.x[i], this.y[i]);
    }
    while (track.length > 0 && track[0] < frame.time - TRACK) track.splice(0, 3);
    [this.x[i], this.y[i], this.z[i]] = [x, y, frame.z[row]];
    this.present[i] = frame.present[row];
  }
}
