/** The canvas that is shown, for commands; there is one, or none while a table is shown. */

import { save } from '../download';
import { page } from '../state.svelte';

interface Shown {
  fitAll(): void;
  zoom(factor: number): void;
  spot(): { x: number; y: number; byPointer: boolean };
  moveFocus(name: string | null): void;
  take(): void;
  vectors(): string;
  bitmap(ratio: number): Promise<Blob | null>;
  planeAt(x: number, y: number): { x: number; y: number };
}

class Current {
  private shown: Shown | null = null;
  names: () => string[] = () => [];

  use(shown: Shown | null, names: () => string[]): void {
    this.shown = shown;
    this.names = names;
  }

  fit(): void {
    this.shown?.fitAll();
  }

  zoom(factor: number): void {
    this.shown?.zoom(factor);
  }

  spot(): { x: number; y: number; byPointer: boolean } {
    return this.shown?.spot() ?? { x: 0, y: 0, byPointer: false };
  }

  /** The place of the plane under a place of the window. */
  planeAt(x: number, y: number): { x: number; y: number } | null {
    return this.shown?.planeAt(x, y) ?? null;
  }

  moveFocus(name: string): void {
    this.shown?.moveFocus(name);
  }

  take(): void {
    this.shown?.take();
  }

  /** Saves what is in view as SVG. */
  saveSvg(): void {
    if (!this.shown) return page.say('a table is no picture: show the canvas first');
    this.put('svg', new Blob([this.shown.vectors()], { type: 'image/svg+xml' }));
  }

  /** Saves what is in view as PNG, at 1 or 2 pixels for one of the page. */
  async savePng(ratio: 1 | 2): Promise<void> {
    if (!this.shown) return page.say('a table is no picture: show the canvas first');
    const image = await this.shown.bitmap(ratio);
    if (image) this.put(ratio === 1 ? 'png' : '2x.png', image);
    else page.say('the browser makes no picture of this size: make the window smaller');
  }

  private put(end: string, image: Blob): void {
    const subject = (page.mode === 'live' ? page.experiment : page.file) ?? 'network';
    const name = `${subject.replaceAll(/[^\w.-]+/g, '-')}.${end}`;
    save(name, image);
    page.say(`${name}: saved`);
  }
}

export const canvas = new Current();
