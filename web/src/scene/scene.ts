/** A network as arrays of numbers: places, ends of links, what is where. It knows neither the
 * canvas nor the file; `picture.ts` says what of it is drawn. */

import { fans } from './fans';
import { Grid } from './grid';
import type { Box } from './view';

export const KINDS = ['host', 'router', 'switch', 'medium', 'outside'] as const;
export type Kind = (typeof KINDS)[number];

export interface NodeInput {
  readonly name: string;
  readonly kind: Kind;
  readonly x: number;
  readonly y: number;
  readonly simulated?: boolean;
  readonly ownKernel?: boolean;
  readonly failed?: boolean;
  /** Made by a template, a constellation…: its source is not an entry of its own. */
  readonly generated?: boolean;
  /** How many nodes this one stands for, if it is a stack. */
  readonly count?: number;
}

export interface LinkInput {
  readonly name: string;
  readonly a: number;
  readonly b: number;
  readonly direct?: boolean;
  readonly generated?: boolean;
  /** Links that this one stands for, beside itself: those of a stack. */
  readonly count?: number;
  /** What it is like, in a few words: `10Mbit/s, 20ms`. */
  readonly text?: string;
  /** Interfaces at its ends. */
  readonly ends?: readonly [string, string];
}

export const SIMULATED = 1;
export const OWN_KERNEL = 2;
export const FAILED = 4;
export const GENERATED = 8;
export const DIRECT = 16;

export class Scene {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Index into `KINDS`. */
  readonly kind: Uint8Array;
  readonly flags: Uint8Array;
  readonly degree: Uint32Array;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly linkFlags: Uint8Array;
  readonly step: Float32Array;
  readonly bundle: Uint16Array;
  /** Nodes, the most connected first: they get their labels first. */
  readonly byDegree: Uint32Array;
  private readonly nodeIndex = new Map<string, number>();
  private readonly linkIndex = new Map<string, number>();
  private gridOf: Grid | null = null;

  constructor(
    readonly nodes: readonly NodeInput[],
    readonly links: readonly LinkInput[],
  ) {
    this.x = Float32Array.from(nodes, (n) => n.x);
    this.y = Float32Array.from(nodes, (n) => n.y);
    this.kind = Uint8Array.from(nodes, (n) => KINDS.indexOf(n.kind));
    this.flags = Uint8Array.from(
      nodes,
      (n) =>
        (n.simulated ? SIMULATED : 0) |
        (n.ownKernel ? OWN_KERNEL : 0) |
        (n.failed ? FAILED : 0) |
        (n.generated ? GENERATED : 0),
    );
    this.a = Uint32Array.from(links, (l) => l.a);
    this.b = Uint32Array.from(links, (l) => l.b);
    this.linkFlags = Uint8Array.from(
      links,
      (l) => (l.direct ? DIRECT : 0) | (l.generated ? GENERATED : 0),
    );
    this.degree = new Uint32Array(nodes.length);
    for (let i = 0; i < links.length; i++) {
      this.degree[this.a[i]]++;
      this.degree[this.b[i]]++;
    }
    const { step, bundle } = fans(this.a, this.b);
    this.step = step;
    this.bundle = bundle;
    this.byDegree = Uint32Array.from(nodes.keys());
    this.byDegree.sort((i, k) => this.degree[k] - this.degree[i] || i - k);
    nodes.forEach((n, i) => this.nodeIndex.set(n.name, i));
    links.forEach((l, i) => this.linkIndex.set(l.name, i));
  }

  node(name: string): number {
    return this.nodeIndex.get(name) ?? -1;
  }

  link(name: string): number {
    return this.linkIndex.get(name) ?? -1;
  }

  get grid(): Grid {
    this.gridOf ??= new Grid(this.x, this.y);
    return this.gridOf;
  }

  move(node: number, x: number, y: number): void {
    this.x[node] = x;
    this.y[node] = y;
    this.gridOf = null;
  }

  /** What all nodes, or the given ones, take of the plane. */
  bounds(of?: readonly number[]): Box | null {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    const count = of?.length ?? this.x.length;
    for (let k = 0; k < count; k++) {
      const i = of ? of[k] : k;
      x0 = Math.min(x0, this.x[i]);
      y0 = Math.min(y0, this.y[i]);
      x1 = Math.max(x1, this.x[i]);
      y1 = Math.max(y1, this.y[i]);
    }
    return count === 0 ? null : { x0, y0, x1, y1 };
  }

  /** The link whose line passes nearest to a place, at most `reach` away, or -1. `spread` is the
   * distance of a fan's lines. */
  linkAt(x: number, y: number, reach: number, spread: number): number {
    let best = -1;
    let least = reach;
    for (let i = 0; i < this.a.length; i++) {
      if (this.bundle[i] === 0) continue;
      const a = Math.min(this.a[i], this.b[i]);
      const b = Math.max(this.a[i], this.b[i]);
      const dx = this.x[b] - this.x[a];
      const dy = this.y[b] - this.y[a];
      const far = reach + Math.abs(this.step[i] * spread);
      if (
        x < Math.min(this.x[a], this.x[b]) - far ||
        x > Math.max(this.x[a], this.x[b]) + far ||
        y < Math.min(this.y[a], this.y[b]) - far ||
        y > Math.max(this.y[a], this.y[b]) + far
      )
        continue;
      const length = Math.hypot(dx, dy);
      if (length === 0) continue;
      const off = this.step[i] * spread;
      const px = x - this.x[a] + (dy / length) * off;
      const py = y - this.y[a] - (dx / length) * off;
      const t = (px * dx + py * dy) / (length * length);
      if (t < 0 || t > 1) continue;
      const distance = Math.abs(px * dy - py * dx) / length;
      if (distance <= least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }

  /** The nearest node in a direction (a unit step in x or y), as arrow keys go, or -1. */
  toward(from: number, dx: number, dy: number): number {
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.x.length; i++) {
      if (i === from) continue;
      const x = this.x[i] - this.x[from];
      const y = this.y[i] - this.y[from];
      const ahead = x * dx + y * dy;
      const aside = Math.abs(x * dy - y * dx);
      if (ahead <= 0 || aside > ahead * 2) continue;
      const cost = ahead + aside * 2;
      if (cost < least) {
        least = cost;
        best = i;
      }
    }
    return best;
  }
}
