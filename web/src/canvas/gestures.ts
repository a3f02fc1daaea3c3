/** What the pointer does on the canvas: it selects, moves nodes, draws links and boxes, and pans. */

import type { Scene } from '../scene/scene';
import { levelOf, radiusOf, SPREAD } from '../scene/picture';
import { pan, toPlaneX, toPlaneY, toScreenX, toScreenY, zoomAt, type View } from '../scene/view';
import { page } from '../state.svelte';
import type { Tokens } from './tokens';

/** What the gestures ask for. */
export interface Hand {
  /** Nodes were moved to these places of the plane. */
  moved?: (places: ReadonlyMap<string, readonly [number, number]>) => void;
  /** Nodes begin to be moved, or no longer are: an empty list. */
  moving?: (names: readonly string[]) => void;
  linked?: (a: string, b: string) => void;
  /** A double click or Enter on a node or a link. `apart`: the canvas keeps the focus. */
  open?: (what: { node?: string; link?: string }, apart: boolean) => void;
  /** Whether a press on a node begins a link instead of a move. */
  linkTool?: () => boolean;
}

export interface Owner {
  scene: () => Scene;
  view: () => View;
  setView: (view: View) => void;
  /** Whether links can be drawn. */
  editable: () => boolean;
  /** Whether a node can be moved. */
  movable: (name: string) => boolean;
  hand: () => Hand;
  changed: () => void;
  focus: (name: string) => void;
}

type Gesture =
  | { kind: 'none' }
  | { kind: 'pan'; x: number; y: number; moved: boolean; clears: boolean }
  | { kind: 'move'; x: number; y: number; moved: boolean; from: Map<number, [number, number]> }
  | { kind: 'box'; x0: number; y0: number; x1: number; y1: number }
  | { kind: 'link'; from: string; x: number; y: number; keys: boolean };

/** Width of the ring around a node from which a drag draws a link, in pixels. */
const RING = 9;
const SLOP = 4;

export class Gestures {
  private gesture: Gesture = { kind: 'none' };
  private over: { x: number; y: number } | null = null;
  private hover: { node: number; ring: boolean } = { node: -1, ring: false };

  constructor(private readonly owner: Owner) {}

  get linking(): boolean {
    return this.gesture.kind === 'link';
  }

  /** Where the pointer is on the plane, if it is over the canvas. */
  pointer(): { x: number; y: number } | null {
    const view = this.owner.view();
    return this.over && { x: toPlaneX(view, this.over.x), y: toPlaneY(view, this.over.y) };
  }

  cursor(): string {
    if (this.gesture.kind === 'pan') return 'grabbing';
    if (this.gesture.kind === 'link' || this.hover.ring) return 'crosshair';
    return this.hover.node >= 0 ? 'pointer' : 'default';
  }

  private at(event: MouseEvent, canvas: HTMLCanvasElement): { x: number; y: number } {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private nodeAt(x: number, y: number): { node: number; ring: boolean } {
    const scene = this.owner.scene();
    const view = this.owner.view();
    const radius = Math.max(6, radiusOf(levelOf(scene, view), view) + 2);
    const px = toPlaneX(view, x);
    const py = toPlaneY(view, y);
    const node = scene.grid.nearest(px, py, (radius + RING) / view.scale);
    if (node < 0) return { node, ring: false };
    const away = Math.hypot(px - scene.x[node], py - scene.y[node]) * view.scale;
    const ring = away > radius;
    if (ring && !this.owner.editable()) return { node: -1, ring: false };
    return { node, ring };
  }

  private linkAt(x: number, y: number): number {
    const view = this.owner.view();
    return this.owner
      .scene()
      .linkAt(toPlaneX(view, x), toPlaneY(view, y), 6 / view.scale, SPREAD / view.scale);
  }

  down(event: PointerEvent, canvas: HTMLCanvasElement): void {
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    const { x, y } = this.at(event, canvas);
    if (event.button !== 0) {
      this.gesture = { kind: 'pan', x, y, moved: false, clears: false };
      return;
    }
    const { node, ring } = this.nodeAt(x, y);
    const scene = this.owner.scene();
    if (node >= 0) {
      const { name } = scene.nodes[node];
      this.owner.focus(name);
      if (this.owner.editable() && (ring || this.owner.hand().linkTool?.())) {
        this.gesture = { kind: 'link', from: name, x, y, keys: false };
      } else {
        this.pick(name, event.shiftKey || event.ctrlKey);
        this.gesture = { kind: 'move', x, y, moved: false, from: this.movable(node) };
      }
    } else if (event.shiftKey) {
      this.gesture = { kind: 'box', x0: x, y0: y, x1: x, y1: y };
    } else {
      const link = this.linkAt(x, y);
      if (link >= 0) this.pickLink(scene.links[link].name, event.ctrlKey);
      this.gesture = { kind: 'pan', x, y, moved: false, clears: link < 0 };
    }
    this.owner.changed();
  }

  private pick(name: string, more: boolean): void {
    const { nodes, links } = page.selection;
    if (!more) {
      if (!nodes.includes(name)) page.select([name]);
    } else if (nodes.includes(name))
      page.select(
        nodes.filter((of) => of !== name),
        links,
      );
    else page.select([...nodes, name], links);
  }

  private pickLink(name: string, more: boolean): void {
    const { nodes, links } = page.selection;
    if (!more) page.select([], [name]);
    else if (links.includes(name))
      page.select(
        nodes,
        links.filter((of) => of !== name),
      );
    else page.select(nodes, [...links, name]);
  }

  private movable(node: number): Map<number, [number, number]> {
    const scene = this.owner.scene();
    const from = new Map<number, [number, number]>();
    const selected = page.selection.nodes.map((name) => scene.node(name)).filter((i) => i >= 0);
    for (const i of selected.includes(node) ? selected : [node]) {
      if (this.owner.movable(scene.nodes[i].name)) from.set(i, [scene.x[i], scene.y[i]]);
    }
    return from;
  }

  move(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const { x, y } = this.at(event, canvas);
    this.over = { x, y };
    const { gesture } = this;
    const scene = this.owner.scene();
    const view = this.owner.view();
    if (gesture.kind === 'pan') {
      if (!gesture.moved && Math.hypot(x - gesture.x, y - gesture.y) < SLOP) return;
      this.owner.setView(pan(view, x - gesture.x, y - gesture.y));
      this.gesture = { ...gesture, x, y, moved: true };
    } else if (gesture.kind === 'move') {
      if (!gesture.moved && Math.hypot(x - gesture.x, y - gesture.y) < SLOP) return;
      if (!gesture.moved) this.moving(gesture.from.keys());
      gesture.moved = true;
      for (const [i, [x0, y0]] of gesture.from) {
        scene.move(i, x0 + (x - gesture.x) / view.scale, y0 + (y - gesture.y) / view.scale);
      }
    } else if (gesture.kind === 'box') {
      this.gesture = { ...gesture, x1: x, y1: y };
    } else {
      if (gesture.kind === 'link') this.gesture = { ...gesture, x, y };
      const hover = this.nodeAt(x, y);
      if (
        hover.node === this.hover.node &&
        hover.ring === this.hover.ring &&
        gesture.kind === 'none'
      )
        return;
      this.hover = hover;
    }
    this.owner.changed();
  }

  private moving(nodes: Iterable<number>): void {
    const scene = this.owner.scene();
    this.owner.hand().moving?.([...nodes].map((i) => scene.nodes[i].name));
  }

  up(event: PointerEvent): void {
    const { gesture } = this;
    const scene = this.owner.scene();
    this.gesture = { kind: 'none' };
    if (gesture.kind === 'pan' && !gesture.moved && gesture.clears) page.clearSelection();
    else if (gesture.kind === 'move' && gesture.moved) {
      const places = new Map<string, readonly [number, number]>();
      for (const i of gesture.from.keys())
        places.set(scene.nodes[i].name, [scene.x[i], scene.y[i]]);
      if (places.size > 0) this.owner.hand().moved?.(places);
    } else if (gesture.kind === 'move' && !event.shiftKey && !event.ctrlKey) {
      const first = [...gesture.from.keys()].length > 1 ? this.hover.node : -1;
      if (first >= 0) page.select([scene.nodes[first].name]);
    } else if (gesture.kind === 'box') this.box(gesture, event.ctrlKey);
    else if (gesture.kind === 'link' && !gesture.keys) this.finish(gesture);
    this.owner.changed();
  }

  private box(
    { x0, y0, x1, y1 }: { x0: number; y0: number; x1: number; y1: number },
    more: boolean,
  ): void {
    const scene = this.owner.scene();
    const view = this.owner.view();
    const names: string[] = [];
    scene.grid.within(
      {
        x0: toPlaneX(view, Math.min(x0, x1)),
        y0: toPlaneY(view, Math.min(y0, y1)),
        x1: toPlaneX(view, Math.max(x0, x1)),
        y1: toPlaneY(view, Math.max(y0, y1)),
      },
      (i) => names.push(scene.nodes[i].name),
    );
    page.select(more ? [...new Set([...page.selection.nodes, ...names])] : names);
    page.say(`${page.selection.nodes.length} nodes selected`);
  }

  private finish({ from, x, y }: { from: string; x: number; y: number }): void {
    const { node } = this.nodeAt(x, y);
    const to = node >= 0 ? this.owner.scene().nodes[node].name : null;
    if (to !== null && to !== from) this.owner.hand().linked?.(from, to);
    else if (to === from) page.select([from]);
  }

  startLink(from: string): void {
    const scene = this.owner.scene();
    const view = this.owner.view();
    const i = scene.node(from);
    if (i < 0) return;
    this.gesture = {
      kind: 'link',
      from,
      x: toScreenX(view, scene.x[i]),
      y: toScreenY(view, scene.y[i]),
      keys: true,
    };
    page.say(`link from ${from}: arrows to the other end, Enter; Esc leaves it`);
    this.owner.changed();
  }

  endLink(to: string): void {
    if (this.gesture.kind !== 'link') return;
    const { from } = this.gesture;
    if (to === from) return;
    this.gesture = { kind: 'none' };
    this.owner.hand().linked?.(from, to);
    this.owner.changed();
  }

  /** The keyboard has gone to another node. */
  toward(): void {
    this.owner.changed();
  }

  cancel(): void {
    if (this.gesture.kind === 'move') {
      if (this.gesture.moved) this.moving([]);
      for (const [i, [x, y]] of this.gesture.from) this.owner.scene().move(i, x, y);
    }
    this.gesture = { kind: 'none' };
    this.owner.changed();
  }

  leave(): void {
    this.over = null;
    this.hover = { node: -1, ring: false };
    this.owner.changed();
  }

  double(event: MouseEvent, canvas: HTMLCanvasElement): void {
    const { x, y } = this.at(event, canvas);
    const { node } = this.nodeAt(x, y);
    const scene = this.owner.scene();
    if (node >= 0) this.owner.hand().open?.({ node: scene.nodes[node].name }, event.shiftKey);
    else {
      const link = this.linkAt(x, y);
      if (link >= 0) this.owner.hand().open?.({ link: scene.links[link].name }, event.shiftKey);
    }
  }

  /** A wheel zooms; two fingers on a touchpad pan, and zoom when they spread. */
  wheel(event: WheelEvent): void {
    event.preventDefault();
    const view = this.owner.view();
    const canvas = event.currentTarget as HTMLCanvasElement;
    const { x, y } = this.at(event, canvas);
    const fingers = event.deltaMode === 0 && (event.deltaX !== 0 || Math.abs(event.deltaY) < 40);
    if (event.ctrlKey || !fingers) {
      const step = event.ctrlKey && fingers ? 0.01 : 0.0016;
      const delta = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
      this.owner.setView(zoomAt(view, x, y, Math.exp(-delta * step)));
    } else {
      this.owner.setView(pan(view, -event.deltaX, -event.deltaY));
    }
  }

  /** Draws what is under way. */
  paint(g: CanvasRenderingContext2D, tokens: Tokens, focus: string | null): void {
    const scene = this.owner.scene();
    const view = this.owner.view();
    const { gesture } = this;
    g.strokeStyle = tokens.of('--accent');
    g.lineWidth = 1.5;
    if (gesture.kind === 'box') {
      g.strokeRect(gesture.x0, gesture.y0, gesture.x1 - gesture.x0, gesture.y1 - gesture.y0);
    } else if (gesture.kind === 'link') {
      const from = scene.node(gesture.from);
      const to = gesture.keys && focus !== null ? scene.node(focus) : -1;
      if (from < 0) return;
      g.lineWidth = 2;
      g.setLineDash([5, 4]);
      g.beginPath();
      g.moveTo(toScreenX(view, scene.x[from]), toScreenY(view, scene.y[from]));
      if (to >= 0) g.lineTo(toScreenX(view, scene.x[to]), toScreenY(view, scene.y[to]));
      else g.lineTo(gesture.x, gesture.y);
      g.stroke();
      g.setLineDash([]);
    } else if (this.hover.node >= 0 && this.hover.ring && this.hover.node < scene.nodes.length) {
      const radius = Math.max(6, radiusOf(levelOf(scene, view), view)) + RING - 2;
      g.beginPath();
      g.arc(
        toScreenX(view, scene.x[this.hover.node]),
        toScreenY(view, scene.y[this.hover.node]),
        radius,
        0,
        2 * Math.PI,
      );
      g.stroke();
    }
  }
}
