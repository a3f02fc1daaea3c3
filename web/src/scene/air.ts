/** What is drawn of radio on a map: its grid in metres, who hears whom, reach, tracks, airtime. */

import type { Picture, Text } from './picture';
import type { Scene } from './scene';
import { inView, toScreenX, toScreenY, type View } from './view';

/** What the radio overlay says; nodes by name, lengths in units of the plane. */
export interface AirPaint {
  /** Units of the plane for a metre. */
  readonly units: number;
  readonly pairs: readonly {
    readonly from: string;
    readonly to: string;
    readonly level: number;
    readonly width: number;
    readonly dash: boolean;
    readonly faint: boolean;
  }[];
  readonly reach: readonly {
    readonly node: string;
    readonly radius: number;
    readonly dash: boolean;
  }[];
  readonly hidden: ReadonlySet<string>;
  readonly rings: ReadonlyMap<string, { readonly sent: number; readonly sensed: number }>;
  readonly tracks: readonly { readonly node: string; readonly xy: readonly number[] }[];
}

/** A round number of 1, 2 or 5 times a power of ten, at least `of`. */
export function nice(of: number): number {
  const power = 10 ** Math.floor(Math.log10(of));
  return ([1, 2, 5].find((step) => step * power >= of * (1 - 1e-9)) ?? 10) * power;
}

/** How lines are added to a picture. */
export type Line = (
  token: string,
  width: number,
  dash: boolean,
  ax: number,
  ay: number,
  bx: number,
  by: number,
) => void;

/** A disc in pixels: the reach of a sender. */
export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly dash: boolean;
}

/** A part of a ring around a station, clockwise from the top; angles in turns. */
export interface Arc {
  readonly x: number;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly token: string;
}

/** Adds what lies under nodes and names: ground, reach, tracks, pairs, rings. */
export function air(out: Picture, scene: Scene, view: View, paint: AirPaint, line: Line): void {
  grid(out, view, paint.units);
  const at = (name: string): readonly [number, number] | null => {
    const i = scene.node(name);
    return i < 0 ? null : [toScreenX(view, scene.x[i]), toScreenY(view, scene.y[i])];
  };
  for (const { node, radius, dash } of paint.reach) {
    const place = at(node);
    if (place) out.discs.push({ x: place[0], y: place[1], radius: radius * view.scale, dash });
  }
  for (const { node, xy } of paint.tracks) {
    const now = at(node);
    if (now === null || xy.length === 0) continue;
    for (let k = 0; k < xy.length; k += 2) {
      const last = k + 2 >= xy.length;
      const x = last ? now[0] : toScreenX(view, xy[k + 2]);
      const y = last ? now[1] : toScreenY(view, xy[k + 3]);
      line('--s0', 1, false, toScreenX(view, xy[k]), toScreenY(view, xy[k + 1]), x, y);
    }
  }
  for (const { from, to, level, width, dash, faint } of paint.pairs) {
    const [a, b] = [at(from), at(to)];
    if (a === null || b === null) continue;
    const token = faint ? '--line-strong' : `--s${level}`;
    // Each direction at its own side, as pipes of a link.
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const off = faint ? 0 : width / 2 + 0.5;
    const [ox, oy] = [((a[1] - b[1]) / length) * off, ((b[0] - a[0]) / length) * off];
    line(token, Math.round(width * 2) / 2, dash, a[0] + ox, a[1] + oy, b[0] + ox, b[1] + oy);
  }
  if (out.level === 'far') return;
  for (const [node, { sent, sensed }] of paint.rings) {
    const place = at(node);
    if (place === null) continue;
    const [x, y] = place;
    const until = Math.min(1, sent);
    if (until >= 0.002) out.arcs.push({ x, y, from: 0, to: until, token: '--s3' });
    const most = Math.min(1, until + sensed);
    if (most - until >= 0.002) out.arcs.push({ x, y, from: until, to: most, token: '--s1' });
  }
  for (const node of paint.hidden) {
    const place = at(node);
    if (place) out.hidden.push(...place);
  }
}

/** Lines at round distances, at least 70 pixels apart, and their numbers at the lower edge. */
function grid(out: Picture, view: View, units: number): void {
  const step = nice(70 / (units * view.scale));
  const box = inView(view);
  const xy: number[] = [];
  for (let k = Math.ceil(box.x0 / units / step); k * step * units <= box.x1; k++) {
    const x = toScreenX(view, k * step * units);
    xy.push(x, 0, x, view.height);
    out.texts.push(metres(k * step, x, view.height - 8));
  }
  for (let k = Math.ceil(box.y0 / units / step); k * step * units <= box.y1; k++) {
    const y = toScreenY(view, k * step * units);
    xy.push(0, y, view.width, y);
    out.texts.push(metres(-k * step, 26, y));
  }
  out.ground.push({ token: '--grid', width: 1, dash: false, xy });
}

function metres(of: number, x: number, y: number): Text {
  // -0 is written as 0.
  return { text: `${of || 0} m`, x, y, font: 'number', token: '--text-3', ground: false };
}
