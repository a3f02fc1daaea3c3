/** What keys do while the canvas has the focus. */

import type { Scene } from '../scene/scene';
import { pan, zoomAt, type View } from '../scene/view';
import { page } from '../state.svelte';
import type { Hand } from './gestures';

/** Keys of whoever shows the canvas: a letter as it is typed, and what it does. */
export type Keys = ReadonlyMap<string, () => void>;

export interface At {
  scene: Scene;
  focus: string | null;
  view: View;
  editable: boolean;
  movable: (name: string) => boolean;
  /** How far an arrow key moves a node, in units of the plane. */
  step: number;
  linking: boolean;
  hand: Hand;
  keys?: Keys;
  setFocus: (name: string) => void;
  setView: (view: View) => void;
  startLink: () => void;
  endLink: () => void;
  cancel: () => void;
  fit: () => void;
}

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Whether the key was taken. */
export function keyOn(event: KeyboardEvent, at: At): boolean {
  const arrow = ARROWS[event.key];
  if (arrow) return onArrow(event, at, arrow);
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (event.key) {
    case 'Enter':
      return onEnter(event, at);
    case 'Escape':
      if (at.linking) at.cancel();
      else page.clearSelection();
      return true;
    case ' ':
      if (at.focus !== null) toggle(at.focus);
      return true;
    case '+':
    case '=':
      at.setView(zoomAt(at.view, at.view.width / 2, at.view.height / 2, 1.25));
      return true;
    case '-':
      at.setView(zoomAt(at.view, at.view.width / 2, at.view.height / 2, 0.8));
      return true;
    case '0':
      at.fit();
      return true;
    case 'l':
    case 'L':
      if (!at.editable || at.focus === null) return false;
      at.startLink();
      return true;
    default: {
      const own = at.keys?.get(event.key);
      own?.();
      return own !== undefined;
    }
  }
}

/** Arrows go to the nearest node that way; with Shift they move the selected, with Alt the view. */
function onArrow(event: KeyboardEvent, at: At, [dx, dy]: readonly [number, number]): boolean {
  const { scene } = at;
  if (event.altKey) {
    at.setView(pan(at.view, -dx * 60, -dy * 60));
    return true;
  }
  if (event.shiftKey && page.selection.nodes.some(at.movable)) {
    const places = new Map<string, readonly [number, number]>();
    for (const name of page.selection.nodes) {
      const i = scene.node(name);
      if (i < 0 || !at.movable(name)) continue;
      scene.move(i, scene.x[i] + dx * at.step, scene.y[i] + dy * at.step);
      places.set(name, [scene.x[i], scene.y[i]]);
    }
    at.hand.moving?.([...places.keys()]);
    at.hand.moved?.(places);
    return true;
  }
  const from = at.focus === null ? -1 : scene.node(at.focus);
  const to = from < 0 ? 0 : scene.toward(from, dx, dy);
  if (to >= 0 && to < scene.nodes.length) at.setFocus(scene.nodes[to].name);
  return true;
}

function onEnter(event: KeyboardEvent, at: At): boolean {
  if (at.linking) {
    at.endLink();
    return true;
  }
  if (at.focus === null) return false;
  at.hand.open?.({ node: at.focus }, event.shiftKey);
  return true;
}

function toggle(name: string): void {
  const { nodes, links } = page.selection;
  page.select(nodes.includes(name) ? nodes.filter((of) => of !== name) : [...nodes, name], links);
}
