// What an overlay hands to the renderer: numbers by pipe, marks by node, a legend and a table.

import type { AirPaint } from '../../scene/air';

/** Bits of `flags`. */
export const PAINT_DOWN = 1;
export const PAINT_DROPS = 2;
export const PAINT_CONTENTION = 4;
/** The kernel counts here, and knows less (direct links). */
export const PAINT_DIRECT = 8;

export interface NodeMark {
  /** A short text beside the node. */
  badge?: string;
  /** A ring around it. */
  ring?: 'failed' | 'contention' | 'starting';
}

/** A row of a legend: what is drawn, and what it means. */
export interface LegendRow {
  swatch:
    | { kind: 'line'; levels: readonly number[] }
    | {
        kind:
          | 'gauge'
          | 'drops'
          | 'down'
          | 'contention'
          | 'direct'
          | 'badge'
          | 'hidden'
          | 'reach'
          | 'airtime';
      };
  text: string;
}

export interface Table {
  columns: readonly { title: string; numeric: boolean }[];
  /** Each row with the name of what it is about, to select it. */
  rows: readonly { link?: string; node?: string; cells: readonly string[] }[];
}

/** Everything of the picture that an overlay decides. Arrays are by pipe: 2 × link + direction. */
export interface OverlayPicture {
  /** The links, in the order of the pipes. */
  links: readonly string[];
  /** Colour of each pipe, `--s0` … `--s4`. */
  level: Uint8Array;
  /** Width of each pipe, in px. */
  width: Float32Array;
  /** Fill of the gauge at each pipe's mouth, 0…1; `NaN`: no gauge. */
  fill: Float32Array;
  flags: Uint8Array;
  /** Text beside a pipe, '' for none. */
  label: (pipe: number) => string;
  /** Text beside a link as a whole, '' for none. */
  linkLabel: (link: number) => string;
  nodes: ReadonlyMap<string, NodeMark>;
  /** Radio, on a map. */
  air?: AirPaint;
  legend: readonly LegendRow[];
  table: () => Table;
  /** Another number whenever something is to be drawn anew. */
  version: number;
}
