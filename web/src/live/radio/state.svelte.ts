/** The radio side of the experiment that is shown: stations, who hears whom, who is hidden. */

import type { LiveFrame } from '../../generated/live';
import type { MediumStatus, Neighbours } from '../types';
import { Air } from './air';
import { Hearing, hiddenFrom } from './hearing';
import { unitsPerMetre } from './map';

/** Who is hidden from a sender, as the engine last said. */
export interface Hidden {
  readonly sender: string;
  readonly nodes: ReadonlyMap<string, readonly string[]>;
}

export class Radio {
  air = $state.raw<Air | null>(null);
  media = $state.raw<readonly MediumStatus[]>([]);
  hearing = $state.raw<Hearing | null>(null);
  hidden = $state.raw<Hidden | null>(null);
  /** Units of the plane for a metre; fixed for an experiment, so that the map lies still. */
  units = $state(0);
  /** Stations that are being dragged: frames do not move them. */
  held: ReadonlySet<string> = new Set();

  forget(): void {
    this.air = this.hearing = this.hidden = null;
    this.media = [];
    this.units = 0;
    this.held = new Set();
  }

  /** Takes the media of a network; whether its stations are others than before. */
  takeMedia(media: readonly MediumStatus[], revision: number): boolean {
    this.media = media;
    if (this.air === null ? media.length === 0 : this.air.isOf(media, revision)) return false;
    const air = new Air(media, revision);
    this.air = air.stations.length > 0 ? air : null;
    if (this.units === 0 && this.air) this.units = unitsPerMetre(air);
    return true;
  }

  takeNeighbours(all: readonly Neighbours[]): void {
    this.hearing = new Hearing(all);
  }

  takeHidden(sender: string, of: readonly Neighbours[]): void {
    this.hidden = { sender, nodes: hiddenFrom(of) };
  }

  /** Whether a frame was of the stations. */
  takeFrame(frame: LiveFrame): boolean {
    return frame.kind !== 'pipes' && this.air?.take(frame) === true;
  }
}
