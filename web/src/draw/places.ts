/** Places of nodes while a network is drawn: who is there stays; who comes goes near its neighbours. */

import { HOP, type GraphInput, type Place } from '../scene/graph';

export function placeNew(
  graph: GraphInput,
  before: ReadonlyMap<string, Place>,
): Map<string, Place> {
  const places = new Map<string, Place>();
  const kept = graph.nodes.filter((node) => before.has(node.name));
  // Nothing is there yet, or it is another network: as the layout says.
  const anew = kept.length === 0;
  for (const [i, node] of graph.nodes.entries()) {
    const known = before.get(node.name);
    if (known) places.set(node.name, known);
    else if (anew && node.point) places.set(node.name, [node.point[0] * HOP, node.point[1] * HOP]);
    else if (anew) places.set(node.name, [(i % 12) * HOP, Math.floor(i / 12) * HOP]);
  }
  if (anew) return places;
  const neighbours = neighboursOf(graph);
  // A node whose neighbours are new too waits for these.
  let waiting = graph.nodes.filter((node) => !places.has(node.name)).map((node) => node.name);
  while (waiting.length > 0) {
    const ready = waiting.filter((name) => neighbours.get(name)?.some((of) => places.has(of)));
    for (const name of ready.length > 0 ? ready : waiting) {
      const around = (neighbours.get(name) ?? []).flatMap((of) => places.get(of) ?? []);
      places.set(name, freeSpot(middle(around, places), places));
    }
    waiting = waiting.filter((name) => !places.has(name));
  }
  return places;
}

function neighboursOf(graph: GraphInput): Map<string, string[]> {
  const all = new Map<string, string[]>();
  const add = (a: string, b: string): void => {
    const of = all.get(a);
    if (of) of.push(b);
    else all.set(a, [b]);
  };
  for (const { ends } of graph.links) {
    if (ends.length !== 2) continue;
    add(ends[0].node, ends[1].node);
    add(ends[1].node, ends[0].node);
  }
  return all;
}

/** The middle of some places, which come as x, y, x, y…; of none, the right of all. */
function middle(around: readonly number[], places: ReadonlyMap<string, Place>): Place {
  if (around.length >= 2) {
    let [x, y] = [0, 0];
    for (let i = 0; i < around.length; i += 2) {
      x += around[i];
      y += around[i + 1];
    }
    return [(2 * x) / around.length, (2 * y) / around.length];
  }
  let [right, top] = [-Infinity, 0];
  for (const [x, y] of places.values()) if (x > right) [right, top] = [x, y];
  return places.size === 0 ? [0, 0] : [right + HOP, top];
}

/** The nearest spot to a place with no node within 0.8 hops: rings of eight, outwards. */
export function freeSpot([x, y]: Place, places: ReadonlyMap<string, Place>): Place {
  const taken = [...places.values()];
  const free = (px: number, py: number): boolean =>
    taken.every(([qx, qy]) => Math.hypot(px - qx, py - qy) > 0.8 * HOP);
  if (free(x, y)) return [x, y];
  for (let ring = 1; ring < 60; ring++) {
    for (let k = 0; k < 8 * ring; k++) {
      const angle = (2 * Math.PI * k) / (8 * ring);
      const spot: Place = [x + ring * HOP * Math.cos(angle), y + ring * HOP * Math.sin(angle)];
      if (free(...spot)) return spot;
    }
  }
  return [x, y];
}
