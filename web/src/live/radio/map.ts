// The map: stations at their places in metres, other nodes in a row below. Pure.

import { nice } from '../../scene/air';
import { HOP, sceneOf, type GraphInput, type Place } from '../../scene/graph';
import type { Scene } from '../../scene/scene';
import type { Air } from './air';

/** Units of the plane for a metre: the stations lie about a hop apart. */
export function unitsPerMetre(air: Air): number {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  let there = 0;
  for (let i = 0; i < air.stations.length; i++) {
    if (air.present[i] !== 1) continue;
    there++;
    [x0, x1] = [Math.min(x0, air.x[i]), Math.max(x1, air.x[i])];
    [y0, y1] = [Math.min(y0, air.y[i]), Math.max(y1, air.y[i])];
  }
  const span = Math.max(x1 - x0, y1 - y0, 1);
  return there < 2 ? 1 : (HOP * Math.max(3, 1.4 * Math.sqrt(there))) / span;
}

/** From metres to the plane and back; north is up. */
export const toPlane = ([x, y]: Place, units: number): Place => [x * units, -y * units];
export const toMetres = ([x, y]: Place, units: number): Place => [x / units, -y / units];

/** A step of the arrow keys in m: about 20 units of the plane. */
export const stepOf = (units: number): number => nice(14 / units);

/** The network on the map. A medium is no node there: its stations are. */
export function mapScene(graph: GraphInput, air: Air, units: number): Scene {
  const media = new Set(air.media.map(({ name }) => name));
  const nodes = graph.nodes.filter(({ name }) => !media.has(name));
  const links = graph.links.filter(({ ends }) => ends.every(({ node }) => !media.has(node)));
  const places = new Map<string, Place>();
  for (const { name } of nodes) {
    const place = air.place(name);
    if (place) places.set(name, toPlane(place, units));
  }
  aside(nodes, places).forEach((place, name) => places.set(name, place));
  return sceneOf({ nodes, links, stacks: [] }, new Set(), places);
}

/** Places of nodes that are nowhere: rows below the map. */
function aside(
  nodes: GraphInput['nodes'],
  places: ReadonlyMap<string, Place>,
): ReadonlyMap<string, Place> {
  const [xs, ys] = [[...places.values()].map(([x]) => x), [...places.values()].map(([, y]) => y)];
  const [left, low] = [Math.min(...xs, Infinity), Math.max(...ys, -Infinity)];
  const [x0, y0] = [Number.isFinite(left) ? left : 0, Number.isFinite(low) ? low : 0];
  const others = nodes.filter(({ name }) => !places.has(name));
  return new Map(
    others.map(({ name }, i): [string, Place] => [
      name,
      [x0 + (i % 12) * HOP, y0 + HOP * (1.2 + Math.floor(i / 12))],
    ]),
  );
}

/** Moves the scene's nodes to where their stations are now, but for those in `held`. */
export function follow(scene: Scene, air: Air, units: number, held: ReadonlySet<string>): void {
  for (const node of air.nodes()) {
    const place = air.place(node);
    const i = scene.node(node);
    if (place === null || i < 0 || held.has(node)) continue;
    const [x, y] = toPlane(place, units);
    if (Math.abs(scene.x[i] - x) > 1e-3 || Math.abs(scene.y[i] - y) > 1e-3) scene.move(i, x, y);
  }
}
