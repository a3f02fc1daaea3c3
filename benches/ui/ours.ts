// The page's canvas alone, on a made network, for benches/ui/run.mjs.
import { paint } from '../../web/src/canvas/paint';
import { Tokens } from '../../web/src/canvas/tokens';
import { picture, type Marks, type PipePaint } from '../../web/src/scene/picture';
import { KINDS, Scene } from '../../web/src/scene/scene';
import { fit, type View } from '../../web/src/scene/view';
import type { Made } from './network.mjs';

interface Bench {
  begin: (made: Made) => void;
  frame: (moment: { dx: number; dy: number; zoom: number }) => void;
  change: (links: number[], levels: number[]) => void;
}

declare global {
  interface Window {
    bench: Bench;
  }
}

const canvas = document.createElement('canvas');
document.body.append(canvas);
const g = canvas.getContext('2d');
const tokens = new Tokens();
const marks: Marks = { nodes: new Set(), links: new Set(), focus: -1 };
const widths = new Map<string, number>();
let scene: Scene;
let paints: PipePaint;
let base: View;

function measure(text: string, font: 'name' | 'strong' | 'number'): number {
  const key = font + text;
  let width = widths.get(key);
  if (width === undefined && g) {
    g.font = tokens.font(font);
    width = g.measureText(text).width;
    widths.set(key, width);
  }
  return width ?? 0;
}

window.bench = {
  begin({ nodes, links }) {
    canvas.width = window.innerWidth;
    canvas.height = window.innerHeight;
    scene = new Scene(
      nodes.map(([x, y], i) => ({ name: `n${i}`, kind: KINDS[i % 3], x, y })),
      links.map(([a, b], i) => ({ name: `l${i}`, a, b })),
    );
    const count = links.length;
    paints = {
      links: links.map((_, i) => `l${i}`), level: new Uint8Array(2 * count), width: new Float32Array(2 * count).fill(1.5),
      fill: new Float32Array(2 * count).fill(NaN), flags: new Uint8Array(2 * count), label: () => '', linkLabel: () => '',
      nodes: new Map(), version: 0,
    };
    base = fit({ x: 0, y: 0, scale: 1, width: canvas.width, height: canvas.height }, scene.bounds());
  },
  change(links, levels) {
    links.forEach((link, i) => {
      for (const pipe of [2 * link, 2 * link + 1]) {
        paints.level[pipe] = levels[i];
        paints.width[pipe] = 1.2 + levels[i] * 1.5;
      }
    });
  },
  frame({ dx, dy, zoom }) {
    if (!g) return;
    g.clearRect(0, 0, canvas.width, canvas.height);
    const view = { ...base, x: base.x + dx / base.scale, y: base.y + dy / base.scale, scale: base.scale * zoom };
    paint(g, picture(scene, view, marks, paints, measure), tokens);
  },
};
