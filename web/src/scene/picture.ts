/** What is drawn of a scene at a view: lines by style, nodes, marks and texts, in pixels. The canvas
 * only copies it, so tests of what is drawn need no canvas. */

import { air, type AirPaint, type Arc, type Disc } from './air';
import { along, beside, Room } from './labels';
import { FAILED, GENERATED, KINDS, OWN_KERNEL, SIMULATED, type Scene } from './scene';
import { inView, toScreenX, toScreenY, type View } from './view';

/** What an overlay says of pipes (2 × link + direction) and nodes; `live/overlay` makes it. */
export interface PipePaint {
  readonly links: readonly string[];
  readonly level: Uint8Array;
  readonly width: Float32Array;
  readonly fill: Float32Array;
  readonly flags: Uint8Array;
  readonly label: (pipe: number) => string;
  readonly linkLabel: (link: number) => string;
  readonly nodes: ReadonlyMap<string, { badge?: string; ring?: string }>;
  /** Radio, if the scene is a map. */
  readonly air?: AirPaint;
  readonly version: number;
}

export const PAINT_DOWN = 1;
export const PAINT_DROPS = 2;
export const PAINT_CONTENTION = 4;

/** `far`: squares and lines of one pixel. `middle`: names of the most connected. `near`: all. */
export type Level = 'far' | 'middle' | 'near';

export interface Stroke {
  readonly token: string;
  readonly width: number;
  readonly dash: boolean;
  /** Segments: x, y, x, y of each. */
  readonly xy: number[];
}

export interface Text {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly font: 'name' | 'strong' | 'number';
  readonly token: string;
  /** Drawn on a ground of its own, since a line may pass under it. */
  readonly ground: boolean;
}

export interface DrawnNode {
  readonly node: number;
  readonly x: number;
  readonly y: number;
  readonly mark: string;
}

export interface Picture {
  level: Level;
  /** Radius of a node in pixels. */
  radius: number;
  /** Under everything: a map's grid, and the reach of a sender. */
  ground: Stroke[];
  discs: Disc[];
  /** Under lines: what is selected, hatched contention. */
  halos: Stroke[];
  strokes: Stroke[];
  chevrons: Stroke;
  /** By kind, then x, y of each: a square of `radius` at `far`, else its symbol. */
  nodes: number[][];
  /** Nodes that are not like the others: x, y of each. */
  hollow: number[];
  failed: number[];
  kernels: number[];
  generated: number[];
  rings: { x: number; y: number; token: string }[];
  stacks: number[];
  /** Around stations: shares of the time. Stations that are hidden: x, y of each. */
  arcs: Arc[];
  hidden: number[];
  gauges: { x: number; y: number; angle: number; fill: number }[];
  drops: number[];
  crosses: number[];
  texts: Text[];
}

/** What is marked beside what the scene is. */
export interface Marks {
  readonly nodes: ReadonlySet<number>;
  readonly links: ReadonlySet<number>;
  /** The node that the keyboard is at, or -1. */
  readonly focus: number;
  /** A sign at a node or link: of a plan (`+ - ! ~`), or of a problem (`×`, `!`). */
  readonly nodeSigns?: ReadonlyMap<number, Sign>;
  readonly linkSigns?: ReadonlyMap<number, Sign>;
}

export interface Sign {
  readonly text: string;
  readonly token: string;
}

export type Measure = (text: string, font: Text['font']) => number;

/** Pixels between the lines of a fan. */
export const SPREAD = 10;
/** More nodes in view than these are drawn without symbols. */
const MANY = 1500;

export function levelOf(scene: Scene, view: View): Level {
  // A hop is about 100 units.
  const hop = view.scale * 100;
  if (hop < 22) return 'far';
  return hop < 62 && scene.nodes.length > 40 ? 'middle' : 'near';
}

export function radiusOf(level: Level, view: View): number {
  if (level === 'far') return Math.max(1.5, Math.min(4, view.scale * 14));
  return level === 'middle' ? 6 : 11;
}

export function picture(
  scene: Scene,
  view: View,
  marks: Marks,
  paint: PipePaint | null,
  measure: Measure,
): Picture {
  return new Composer(scene, view, marks, paint, measure).compose();
}

/** The index of each link of the scene in an overlay's arrays; -1 where it says nothing. */
const PLACES = new WeakMap<readonly string[], { scene: Scene; at: Int32Array }>();

function places(scene: Scene, paint: PipePaint): Int32Array {
  const known = PLACES.get(paint.links);
  if (known?.scene === scene) return known.at;
  const at = new Int32Array(scene.links.length).fill(-1);
  paint.links.forEach((name, i) => {
    const link = scene.link(name);
    if (link >= 0) at[link] = i;
  });
  PLACES.set(paint.links, { scene, at });
  return at;
}

class Composer {
  private readonly out: Picture;
  private readonly room = new Room();
  private readonly strokes = new Map<string, Stroke>();
  private readonly halos = new Map<string, Stroke>();
  /** Nodes in view, and whether. */
  private readonly seen: number[] = [];
  private readonly at: Int32Array | null;

  constructor(
    private readonly scene: Scene,
    private readonly view: View,
    private readonly marks: Marks,
    private readonly paint: PipePaint | null,
    private readonly measure: Measure,
  ) {
    scene.grid.within(inView(view, 40), (i) => this.seen.push(i));
    let level = levelOf(scene, view);
    if (level === 'near' && this.seen.length > MANY) level = 'middle';
    this.at = paint ? places(scene, paint) : null;
    this.out = {
      level,
      radius: radiusOf(level, view),
      ground: [],
      discs: [],
      halos: [],
      strokes: [],
      chevrons: { token: '--land', width: 1.4, dash: false, xy: [] },
      nodes: KINDS.map(() => []),
      hollow: [],
      failed: [],
      kernels: [],
      generated: [],
      rings: [],
      stacks: [],
      arcs: [],
      hidden: [],
      gauges: [],
      drops: [],
      crosses: [],
      texts: [],
    };
  }

  compose(): Picture {
    for (const i of this.seen) this.node(i);
    if (this.paint?.air) {
      const line = this.stroke.bind(this);
      air(this.out, this.scene, this.view, this.paint.air, line);
    }
    this.links();
    if (this.out.level !== 'far') this.names();
    this.out.strokes = [...this.strokes.values()].sort((a, b) => a.width - b.width);
    this.out.halos = [...this.halos.values()];
    return this.out;
  }

  private node(i: number): void {
    const { out, scene, view } = this;
    const x = toScreenX(view, scene.x[i]);
    const y = toScreenY(view, scene.y[i]);
    out.nodes[scene.kind[i]].push(x, y);
    if (this.marks.nodes.has(i)) this.halo('--accent', out.radius * 2 + 12, x, y, x, y);
    if (i === this.marks.focus) out.rings.push({ x, y, token: '--accent' });
    const sign = this.marks.nodeSigns?.get(i);
    if (sign) this.sign(sign, x + out.radius * 0.9, y - out.radius * 0.9);
    if (out.level === 'far') return;
    const flags = scene.flags[i];
    if (flags & SIMULATED) out.hollow.push(x, y);
    if (flags & FAILED) out.failed.push(x, y);
    if (flags & OWN_KERNEL) out.kernels.push(x, y);
    if (flags & GENERATED) out.generated.push(x, y);
    if (scene.nodes[i].count) out.stacks.push(x, y);
    const ring = this.paint?.nodes.get(scene.nodes[i].name)?.ring;
    if (ring === 'failed') out.failed.push(x, y);
    else if (ring)
      out.rings.push({ x, y, token: ring === 'contention' ? '--suspect' : '--text-3' });
    const r = out.radius + 1;
    this.room.take(x - r, y - r, x + r, y + r);
  }

  private links(): void {
    const { scene, view } = this;
    const box = inView(view, 20);
    for (let i = 0; i < scene.a.length; i++) {
      if (scene.bundle[i] === 0) continue;
      const [a, b] = [scene.a[i], scene.b[i]];
      const [ax, ay, bx, by] = [scene.x[a], scene.y[a], scene.x[b], scene.y[b]];
      if (
        (ax < box.x0 && bx < box.x0) ||
        (ax > box.x1 && bx > box.x1) ||
        (ay < box.y0 && by < box.y0) ||
        (ay > box.y1 && by > box.y1)
      )
        continue;
      this.link(
        i,
        toScreenX(view, ax),
        toScreenY(view, ay),
        toScreenX(view, bx),
        toScreenY(view, by),
      );
    }
  }

  private link(i: number, x0: number, y0: number, x1: number, y1: number): void {
    const { scene, out } = this;
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const nx = -(y1 - y0) / length;
    const ny = (x1 - x0) / length;
    // A fan's steps are for the direction from the smaller index.
    const turn = scene.a[i] < scene.b[i] ? 1 : -1;
    const off = out.level === 'far' ? 0 : scene.step[i] * SPREAD * turn;
    const [ax, ay, bx, by] = [x0 + nx * off, y0 + ny * off, x1 + nx * off, y1 + ny * off];
    if (this.marks.links.has(i)) this.halo('--accent', 16, ax, ay, bx, by);
    const place = this.at ? this.at[i] : -1;
    if (this.paint && place >= 0) {
      this.pipes(this.paint, place, ax, ay, bx, by, nx, ny, length);
    } else {
      const many = scene.bundle[i] > 1 || (scene.links[i].count ?? 0) > 1;
      const dashed = (scene.linkFlags[i] & GENERATED) !== 0 && out.level !== 'far';
      const width = out.level === 'far' ? 1 : many ? 4 : 1.5;
      this.stroke('--s0', width, dashed, ax, ay, bx, by);
    }
    const sign = this.marks.linkSigns?.get(i);
    if (sign) this.sign(sign, (ax + bx) / 2, (ay + by) / 2);
    if (out.level === 'near' && length > 44) this.linkTexts(i, place, ax, ay, bx, by, length);
  }

  /** Both directions, side by side, each as wide and as coloured as the overlay says. */
  private pipes(
    paint: PipePaint,
    place: number,
    ax: number,
    ay: number,
    bx: number,
    by: number,
    nx: number,
    ny: number,
    length: number,
  ): void {
    const { out } = this;
    const down = (paint.flags[2 * place] & paint.flags[2 * place + 1] & PAINT_DOWN) !== 0;
    if (down) {
      this.stroke('--text-2', out.level === 'far' ? 1 : 2, true, ax, ay, bx, by);
      if (out.level !== 'far') out.crosses.push((ax + bx) / 2, (ay + by) / 2);
      return;
    }
    if (out.level === 'far') {
      const level = Math.max(paint.level[2 * place], paint.level[2 * place + 1]);
      this.stroke(`--s${level}`, level > 1 ? 2 : 1, false, ax, ay, bx, by);
      return;
    }
    const shrink = out.level === 'middle' ? 0.5 : 1;
    for (const direction of [0, 1]) {
      const pipe = 2 * place + direction;
      const side = direction === 0 ? 1 : -1;
      const width = Math.max(1, Math.round(paint.width[pipe] * shrink * 2) / 2);
      const off = (width / 2 + 0.8) * side;
      const [ox, oy] = [nx * off, ny * off];
      if (paint.flags[pipe] & PAINT_CONTENTION) {
        this.halo('--suspect', width + 6, ax + ox, ay + oy, bx + ox, by + oy);
      }
      this.stroke(
        `--s${paint.level[pipe]}`,
        width,
        (paint.flags[pipe] & PAINT_DOWN) !== 0,
        ax + ox,
        ay + oy,
        bx + ox,
        by + oy,
      );
      if (out.level === 'near' && width >= 3 && length > 60) {
        this.chevron(ax + ox, ay + oy, bx + ox, by + oy, direction, width, length);
      }
      this.mouth(paint, pipe, direction === 0 ? [ax, ay, bx, by] : [bx, by, ax, ay], length);
    }
  }

  private chevron(
    ax: number,
    ay: number,
    bx: number,
    by: number,
    direction: number,
    width: number,
    length: number,
  ): void {
    const ux = (bx - ax) / length;
    const uy = (by - ay) / length;
    const k = direction === 0 ? 1 : -1;
    const t = direction === 0 ? 0.54 : 0.46;
    const h = width * 0.4;
    for (const e of [-6, 0, 6]) {
      const cx = ax + (bx - ax) * t + ux * e;
      const cy = ay + (by - ay) * t + uy * e;
      const [px, py] = [cx + ux * 2 * k, cy + uy * 2 * k];
      const [qx, qy] = [cx - ux * 2.5 * k, cy - uy * 2.5 * k];
      this.out.chevrons.xy.push(qx - uy * h, qy + ux * h, px, py, px, py, qx + uy * h, qy - ux * h);
    }
  }

  /** The gauge of the queue where a pipe begins, and a mark where it drops. */
  private mouth(paint: PipePaint, pipe: number, ends: number[], length: number): void {
    const fill = paint.fill[pipe];
    const drops = (paint.flags[pipe] & PAINT_DROPS) !== 0;
    if (this.out.level !== 'near' || (!(fill >= 0) && !drops) || length < 70) return;
    const [x0, y0, x1, y1] = ends;
    const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
    const at = this.out.radius + 20;
    // At the right of the direction in which frames go.
    const x = x0 + ux * at + uy * -13;
    const y = y0 + uy * at + ux * 13;
    if (fill >= 0)
      this.out.gauges.push({ x, y, angle: Math.atan2(uy, ux), fill: Math.min(1, fill) });
    if (drops) this.out.drops.push(x + ux * 22, y + uy * 22);
    this.room.take(x - 14, y - 10, x + 14, y + 10);
  }

  private linkTexts(
    i: number,
    place: number,
    ax: number,
    ay: number,
    bx: number,
    by: number,
    length: number,
  ): void {
    const { scene, paint } = this;
    if (paint && place >= 0) {
      for (const direction of [0, 1]) {
        const text = paint.label(2 * place + direction);
        if (text) this.onLine(text, ax, ay, bx, by, direction === 0 ? 0.62 : 0.38);
      }
      const text = paint.linkLabel(place);
      if (text) this.onLine(text, ax, ay, bx, by, 0.5);
    } else {
      const { text, count } = scene.links[i];
      const number =
        scene.bundle[i] > 1 ? `${scene.bundle[i]} links` : (count ?? 0) > 1 ? `×${count}` : '';
      if (number) this.onLine(number, ax, ay, bx, by, 0.5);
      else if (text && length > 110) this.onLine(text, ax, ay, bx, by, 0.5);
    }
    const ends = scene.links[i].ends;
    // Interfaces matter to who looks at a node or a link, or from very near.
    const looked =
      this.marks.links.has(i) ||
      this.marks.nodes.has(scene.a[i]) ||
      this.marks.nodes.has(scene.b[i]);
    if (ends && length > 110 && (looked || this.view.scale > 2)) {
      const t = (this.out.radius + 26) / length;
      this.onLine(ends[0], ax, ay, bx, by, t, '--text-3');
      this.onLine(ends[1], ax, ay, bx, by, 1 - t, '--text-3');
    }
  }

  private onLine(
    text: string,
    ax: number,
    ay: number,
    bx: number,
    by: number,
    at: number,
    token = '--text-2',
  ): void {
    const placed = along(this.room, ax, ay, bx, by, at, 5, this.measure(text, 'number'));
    if (placed) this.out.texts.push({ text, ...placed, font: 'number', token, ground: true });
  }

  /** Names of nodes, the selected first, then the most connected. */
  private names(): void {
    const { scene, view, out, marks } = this;
    const inSight = new Uint8Array(scene.nodes.length);
    for (const i of this.seen) inSight[i] = 1;
    const first = [...new Set([...marks.nodes, ...(marks.focus < 0 ? [] : [marks.focus])])].filter(
      (i) => inSight[i],
    );
    for (const i of first) {
      this.name(i, toScreenX(view, scene.x[i]), toScreenY(view, scene.y[i]), first.length <= 12);
      inSight[i] = 0;
    }
    let left = out.level === 'near' ? Infinity : 160;
    for (const i of scene.byDegree) {
      if (!inSight[i]) continue;
      if (left-- <= 0) break;
      this.name(i, toScreenX(view, scene.x[i]), toScreenY(view, scene.y[i]));
    }
  }

  /** `must`: over the symbols of others, if there is no other room. */
  private name(i: number, x: number, y: number, must = false): void {
    const { scene, out } = this;
    const { name, count } = scene.nodes[i];
    const text = count ? `${name} ×${count}` : name;
    const font = scene.kind[i] === 0 ? 'name' : 'strong';
    const width = this.measure(text, font);
    const placed =
      beside(this.room, x, y, out.radius + 2, width) ??
      (must ? { x, y: y + out.radius + 14 } : null);
    if (!placed) return;
    if (must)
      this.room.take(placed.x - width / 2, placed.y - 8, placed.x + width / 2, placed.y + 8);
    out.texts.push({ text, ...placed, font, token: '--text', ground: false });
    const badge = this.paint?.nodes.get(name)?.badge;
    if (!badge || out.level !== 'near') return;
    const below = beside(this.room, x, y, out.radius + 2, this.measure(badge, 'number'));
    if (below)
      out.texts.push({ text: badge, ...below, font: 'number', token: '--text-2', ground: true });
  }

  private sign({ text, token }: Sign, x: number, y: number): void {
    this.out.texts.push({ text, x, y, font: 'strong', token, ground: true });
    this.room.take(x - 8, y - 8, x + 8, y + 8);
  }

  private stroke(
    token: string,
    width: number,
    dash: boolean,
    ax: number,
    ay: number,
    bx: number,
    by: number,
  ): void {
    push(this.strokes, token, width, dash, ax, ay, bx, by);
  }

  private halo(token: string, width: number, ax: number, ay: number, bx: number, by: number): void {
    push(this.halos, token, width, false, ax, ay, bx, by);
  }
}

function push(
  into: Map<string, Stroke>,
  token: string,
  width: number,
  dash: boolean,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): void {
  const key = `${token} ${width} ${dash}`;
  let stroke = into.get(key);
  if (!stroke) {
    stroke = { token, width, dash, xy: [] };
    into.set(key, stroke);
  }
  stroke.xy.push(ax, ay, bx, by);
}
