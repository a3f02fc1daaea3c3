/** Draws a picture onto a Canvas 2D: one path for each style, nothing decided here. */

import type { Picture, Stroke, Text } from '../scene/picture';
import type { Tokens } from './tokens';

type Context = CanvasRenderingContext2D;

export function paint(g: Context, shown: Picture, tokens: Tokens): void {
  g.lineCap = 'butt';
  for (const stroke of shown.ground) draw(g, stroke, tokens);
  discs(g, shown, tokens);
  g.lineCap = 'round';
  g.globalAlpha = 0.24;
  for (const stroke of shown.halos) draw(g, stroke, tokens);
  g.globalAlpha = 1;
  g.lineCap = 'butt';
  for (const stroke of shown.strokes) draw(g, stroke, tokens);
  g.setLineDash([]);
  if (shown.chevrons.xy.length > 0) draw(g, shown.chevrons, tokens);
  crosses(g, shown.crosses, tokens);
  gauges(g, shown, tokens);
  if (shown.level === 'far') squares(g, shown, tokens);
  else symbols(g, shown, tokens);
  rings(g, shown, tokens);
  airtime(g, shown, tokens);
  texts(g, shown.texts, tokens);
}

function draw(g: Context, { token, width, dash, xy }: Stroke, tokens: Tokens): void {
  g.strokeStyle = tokens.of(token);
  g.lineWidth = width;
  g.setLineDash(dash ? [6, 5] : []);
  g.beginPath();
  for (let i = 0; i < xy.length; i += 4) {
    g.moveTo(xy[i], xy[i + 1]);
    // A place alone is a dot of the line's width.
    g.lineTo(xy[i + 2] + (xy[i] === xy[i + 2] && xy[i + 1] === xy[i + 3] ? 0.01 : 0), xy[i + 3]);
  }
  g.stroke();
}

function crosses(g: Context, xy: readonly number[], tokens: Tokens): void {
  if (xy.length === 0) return;
  g.fillStyle = tokens.of('--land');
  g.beginPath();
  for (let i = 0; i < xy.length; i += 2) circle(g, xy[i], xy[i + 1], 10);
  g.fill();
  g.strokeStyle = tokens.of('--drop');
  g.lineWidth = 2.4;
  g.beginPath();
  for (let i = 0; i < xy.length; i += 2) cross(g, xy[i], xy[i + 1], 5);
  g.stroke();
}

function gauges(g: Context, { gauges: all, drops }: Picture, tokens: Tokens): void {
  for (const { x, y, angle, fill } of all) {
    g.save();
    g.translate(x, y);
    g.rotate(angle);
    g.fillStyle = tokens.of('--surface');
    g.fillRect(-14, -5, 28, 10);
    g.fillStyle = tokens.of(fill >= 0.95 ? '--s4' : '--s2');
    g.fillRect(-14, -5, 28 * fill, 10);
    g.strokeStyle = tokens.of('--text-2');
    g.lineWidth = 1;
    g.strokeRect(-14.5, -5.5, 29, 11);
    g.restore();
  }
  g.fillStyle = tokens.of('--drop');
  g.beginPath();
  for (let i = 0; i < drops.length; i += 2) {
    g.moveTo(drops[i] - 5, drops[i + 1] + 5);
    g.lineTo(drops[i], drops[i + 1] - 5);
    g.lineTo(drops[i] + 5, drops[i + 1] + 5);
    g.closePath();
  }
  g.fill();
}

function squares(g: Context, { nodes, radius }: Picture, tokens: Tokens): void {
  g.fillStyle = tokens.of('--text-2');
  g.beginPath();
  for (const xy of nodes) {
    for (let i = 0; i < xy.length; i += 2) {
      g.rect(xy[i] - radius, xy[i + 1] - radius, 2 * radius, 2 * radius);
    }
  }
  g.fill();
}

/** Outlines of the five kinds, in the order of `KINDS`; `s` is 1 at a radius of 11. */
const OUTLINES: readonly ((g: Context, x: number, y: number, s: number) => void)[] = [
  (g, x, y, s) => box(g, x, y, 8 * s, 8 * s, 3 * s),
  (g, x, y, s) => circle(g, x, y, 11 * s),
  (g, x, y, s) => box(g, x, y, 12 * s, 7.5 * s, 2 * s),
  (g, x, y, s) => circle(g, x, y, 8 * s),
  (g, x, y, s) => hexagon(g, x, y, 10 * s),
];

/** What is inside of these outlines. */
const INSIDES: readonly ((g: Context, x: number, y: number) => void)[] = [
  (g, x, y) => {
    g.rect(x - 4.5, y - 4.5, 9, 6);
    line(g, x - 4, y + 4, x + 4, y + 4);
  },
  (g, x, y) => {
    line(g, x - 5, y, x + 5, y);
    line(g, x, y - 5, x, y + 5);
    angle(g, x + 5, y, -2.4, -2.4);
    angle(g, x - 5, y, 2.4, -2.4);
  },
  (g, x, y) => {
    line(g, x - 6, y - 2.2, x + 6, y - 2.2);
    angle(g, x + 6, y - 2.2, -2.4, -2.4);
    line(g, x - 6, y + 2.6, x + 6, y + 2.6);
    angle(g, x - 6, y + 2.6, 2.4, -2.4);
  },
  (g, x, y) => {
    g.moveTo(x + 3.5, y);
    g.arc(x, y, 3.5, 0, 2 * Math.PI);
    g.moveTo(x + 12, y);
    g.arc(x, y, 12, 0, 2 * Math.PI);
  },
  (g, x, y) => {
    line(g, x - 4, y, x + 5, y);
    angle(g, x + 5, y, -3, -3);
  },
];

function symbols(g: Context, shown: Picture, tokens: Tokens): void {
  const s = shown.radius / 11;
  stacks(g, shown, tokens);
  g.lineWidth = shown.level === 'near' ? 1.8 : 1.4;
  g.strokeStyle = tokens.of('--text');
  shown.nodes.forEach((xy, kind) => {
    if (xy.length === 0) return;
    g.fillStyle = tokens.of('--surface');
    g.beginPath();
    for (let i = 0; i < xy.length; i += 2) OUTLINES[kind](g, xy[i], xy[i + 1], s);
    g.fill();
    g.stroke();
  });
  if (shown.level === 'near') {
    g.lineWidth = 1.3;
    g.beginPath();
    shown.nodes.forEach((xy, kind) => {
      for (let i = 0; i < xy.length; i += 2) INSIDES[kind](g, xy[i], xy[i + 1]);
    });
    g.stroke();
  }
  ringsAt(g, shown.kernels, shown.radius + 4, '--text', [], tokens);
  ringsAt(g, shown.generated, shown.radius + 4, '--text-3', [2, 3], tokens);
  // Simulated: hollow, that is, the ground shows through the middle.
  g.fillStyle = tokens.of('--land');
  g.beginPath();
  for (let i = 0; i < shown.hollow.length; i += 2) {
    circle(g, shown.hollow[i], shown.hollow[i + 1], shown.radius * 0.62);
  }
  g.fill();
  g.strokeStyle = tokens.of('--drop');
  g.lineWidth = 2.4;
  g.beginPath();
  for (let i = 0; i < shown.failed.length; i += 2) {
    cross(g, shown.failed[i], shown.failed[i + 1], shown.radius);
  }
  g.stroke();
}

/** Two cards behind a node that stands for many. */
function stacks(g: Context, { stacks: xy, radius }: Picture, tokens: Tokens): void {
  g.strokeStyle = tokens.of('--text');
  g.fillStyle = tokens.of('--surface');
  g.lineWidth = 1.2;
  for (const off of [7, 3.5]) {
    g.beginPath();
    for (let i = 0; i < xy.length; i += 2) {
      box(g, xy[i] + off, xy[i + 1] - off, radius * 0.8, radius * 0.8, 3);
    }
    g.fill();
    g.stroke();
  }
}

function rings(g: Context, { rings: all, radius }: Picture, tokens: Tokens): void {
  for (const { x, y, token } of all) ringsAt(g, [x, y], radius + 7, token, [], tokens);
}

function ringsAt(
  g: Context,
  xy: readonly number[],
  radius: number,
  token: string,
  dash: number[],
  tokens: Tokens,
): void {
  if (xy.length === 0) return;
  g.strokeStyle = tokens.of(token);
  g.lineWidth = 2;
  g.setLineDash(dash);
  g.beginPath();
  for (let i = 0; i < xy.length; i += 2) circle(g, xy[i], xy[i + 1], radius);
  g.stroke();
  g.setLineDash([]);
}

/** How far a sender reaches. */
function discs(g: Context, { discs: all }: Picture, tokens: Tokens): void {
  g.fillStyle = g.strokeStyle = tokens.of('--accent');
  g.lineWidth = 1.5;
  for (const { x, y, radius, dash } of all) {
    g.setLineDash(dash ? [4, 4] : []);
    g.beginPath();
    circle(g, x, y, radius);
    g.globalAlpha = dash ? 0.04 : 0.08;
    g.fill();
    g.globalAlpha = 1;
    g.stroke();
  }
  g.setLineDash([]);
}

/** Rings of stations: what they send and sense; a crossed ring of those that are hidden. */
function airtime(g: Context, { arcs, hidden, radius }: Picture, tokens: Tokens): void {
  g.lineWidth = 4;
  for (const { x, y, from, to, token } of arcs) {
    g.strokeStyle = tokens.of(token);
    g.beginPath();
    g.arc(x, y, radius + 4, (from - 0.25) * 2 * Math.PI, (to - 0.25) * 2 * Math.PI);
    g.stroke();
  }
  if (hidden.length === 0) return;
  g.strokeStyle = tokens.of('--drop');
  g.lineWidth = 2;
  g.beginPath();
  for (let i = 0; i < hidden.length; i += 2) {
    circle(g, hidden[i], hidden[i + 1], radius + 8);
    cross(g, hidden[i], hidden[i + 1], (radius + 8) * Math.SQRT1_2);
  }
  g.stroke();
}

/** Texts by font and colour, so that neither changes often. */
function texts(g: Context, all: readonly Text[], tokens: Tokens): void {
  g.textAlign = 'center';
  g.textBaseline = 'middle';
  g.lineJoin = 'round';
  g.lineWidth = 3.5;
  for (const font of ['name', 'strong', 'number'] as const) {
    const of = all.filter((t) => t.font === font);
    if (of.length === 0) continue;
    g.font = tokens.font(font);
    g.strokeStyle = tokens.of('--land');
    // A halo of the ground's colour keeps texts apart from lines under them.
    for (const { text, x, y } of of) g.strokeText(text, x, y);
    let token = '';
    for (const t of of) {
      if (t.token !== token) {
        token = t.token;
        g.fillStyle = tokens.of(token);
      }
      g.fillText(t.text, t.x, t.y);
    }
  }
}

function line(g: Context, x0: number, y0: number, x1: number, y1: number): void {
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
}

/** An arrow's head at its point. */
function angle(g: Context, x: number, y: number, dx: number, dy: number): void {
  g.moveTo(x + dx, y + dy);
  g.lineTo(x, y);
  g.lineTo(x + dx, y - dy);
}

function circle(g: Context, x: number, y: number, radius: number): void {
  g.moveTo(x + radius, y);
  g.arc(x, y, radius, 0, 2 * Math.PI);
}

function cross(g: Context, x: number, y: number, half: number): void {
  line(g, x - half, y - half, x + half, y + half);
  line(g, x + half, y - half, x - half, y + half);
}

function box(g: Context, x: number, y: number, halfX: number, halfY: number, round: number): void {
  g.roundRect(x - halfX, y - halfY, 2 * halfX, 2 * halfY, round);
}

function hexagon(g: Context, x: number, y: number, radius: number): void {
  for (let k = 0; k < 6; k++) {
    const px = x + radius * Math.cos((k * Math.PI) / 3);
    const py = y + radius * Math.sin((k * Math.PI) / 3);
    if (k === 0) g.moveTo(px, py);
    else g.lineTo(px, py);
  }
  g.closePath();
}
