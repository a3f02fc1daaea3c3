/** From the network that the server resolved to a scene: ranges folded to stacks, places for all. */

import { Scene, type Kind, type LinkInput, type NodeInput } from './scene';

/** Where a node or link is written. */
export interface Origin {
  readonly line?: number | null;
  readonly end_line?: number | null;
  readonly stack?: number | null;
  /** What makes it, if it has no entry of its own: `constellations.x`. */
  readonly by?: string | null;
}

export interface GraphNode {
  readonly name: string;
  readonly kind: Kind;
  readonly simulated?: boolean;
  readonly own_kernel?: boolean;
  readonly failed?: boolean;
  /** Place by the layout or by the file's `drawing`; a hop is about 1. */
  readonly point?: readonly [number, number] | readonly number[] | null;
  /** Whether the file's `drawing` says where it is. */
  readonly drawn?: boolean;
  readonly origin?: Origin;
}

export interface GraphLink {
  readonly name: string;
  readonly ends: readonly { readonly node: string; readonly interface: string }[];
  readonly direct?: boolean;
  readonly forward?: string;
  readonly reverse?: string;
  readonly origin?: Origin;
}

export interface Stack {
  readonly written: string;
  readonly nodes: readonly string[];
}

export interface GraphInput {
  readonly nodes: readonly GraphNode[];
  readonly links: readonly GraphLink[];
  readonly stacks?: readonly Stack[];
}

/** Units of the plane per hop. */
export const HOP = 100;

export type Place = readonly [number, number];

/** A scene of the graph. `unfolded` are the stacks, as written, whose nodes are shown one by one;
 * `placed` are places that go before those of the layout (what is being dragged, say). */
export function sceneOf(
  graph: GraphInput,
  unfolded: ReadonlySet<string>,
  placed: ReadonlyMap<string, Place>,
): Scene {
  const shownAs = new Map<string, string>();
  const stacks = (graph.stacks ?? []).filter((s) => s.nodes.length > 1 && !unfolded.has(s.written));
  for (const stack of stacks) for (const node of stack.nodes) shownAs.set(node, stack.written);
  const inputs = new Map<string, NodeInput>();
  const sums = new Map<string, { x: number; y: number; count: number }>();
  graph.nodes.forEach((node, i) => {
    const name = shownAs.get(node.name) ?? node.name;
    const [x, y] = placed.get(node.name) ?? placeOf(node, i);
    const sum = sums.get(name) ?? { x: 0, y: 0, count: 0 };
    sums.set(name, { x: sum.x + x, y: sum.y + y, count: sum.count + 1 });
    if (!inputs.has(name)) inputs.set(name, nodeInput(node, name, x, y));
  });
  for (const stack of stacks) {
    const node = inputs.get(stack.written);
    const sum = sums.get(stack.written);
    if (!node || !sum) continue;
    const [x, y] = placed.get(stack.written) ?? [sum.x / sum.count, sum.y / sum.count];
    inputs.set(stack.written, { ...node, x, y, count: sum.count });
  }
  outsideNodes(graph, shownAs, inputs, placed);
  const nodes = [...inputs.values()];
  const index = new Map(nodes.map((node, i) => [node.name, i]));
  return new Scene(nodes, linkInputs(graph, shownAs, index));
}

function placeOf(node: GraphNode, i: number): Place {
  if (node.point && node.point.length >= 2) return [node.point[0] * HOP, node.point[1] * HOP];
  // Without a layout: rows, so that nothing covers another.
  return [(i % 12) * HOP, Math.floor(i / 12) * HOP];
}

type GraphEnd = GraphLink['ends'][number];

/** The node of the scene that an end is at. Ends outside, like `nat:NAME`, are nodes of their own. */
function nodeNameOf(
  end: GraphEnd,
  shownAs: ReadonlyMap<string, string>,
  known: { has: (name: string) => boolean },
): string {
  const name = shownAs.get(end.node) ?? end.node;
  return known.has(name) || !end.interface ? name : `${end.node}:${end.interface}`;
}

/** Adds what links name that is no node: the machine, and what it reaches, beside the other end. */
function outsideNodes(
  graph: GraphInput,
  shownAs: ReadonlyMap<string, string>,
  inputs: Map<string, NodeInput>,
  placed: ReadonlyMap<string, Place>,
): void {
  const inside = new Set(inputs.keys());
  for (const { ends } of graph.links) {
    if (ends.length !== 2) continue;
    ends.forEach((end, i) => {
      const name = nodeNameOf(end, shownAs, inside);
      if (inside.has(name) || inputs.has(name)) return;
      const other = inputs.get(nodeNameOf(ends[1 - i], shownAs, inside));
      const [x, y] = placed.get(name) ?? [(other?.x ?? 0) + 0.4 * HOP, (other?.y ?? 0) - 0.9 * HOP];
      inputs.set(name, { name, kind: 'outside', x, y });
    });
  }
}

function nodeInput(node: GraphNode, name: string, x: number, y: number): NodeInput {
  return {
    name,
    kind: node.kind,
    x,
    y,
    simulated: node.simulated,
    ownKernel: node.own_kernel,
    failed: node.failed,
    generated: Boolean(node.origin?.by),
  };
}

function linkInputs(
  graph: GraphInput,
  shownAs: ReadonlyMap<string, string>,
  index: ReadonlyMap<string, number>,
): LinkInput[] {
  const links: LinkInput[] = [];
  /** Links of folded stacks by their two ends, with how many they are. */
  const folded = new Map<string, { at: number; count: number }>();
  for (const link of graph.links) {
    if (link.ends.length !== 2) continue;
    const [from, to] = link.ends.map((end) => nodeNameOf(end, shownAs, index));
    const a = index.get(from);
    const b = index.get(to);
    if (a === undefined || b === undefined || a === b) continue;
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    const many = link.ends.some((end) => shownAs.has(end.node));
    const before = many ? folded.get(key) : undefined;
    if (before) {
      before.count++;
      links[before.at] = { ...links[before.at], count: before.count };
      continue;
    }
    if (many) folded.set(key, { at: links.length, count: 1 });
    links.push({
      name: link.name,
      a,
      b,
      direct: link.direct,
      generated: Boolean(link.origin?.by),
      text: textOf(link),
      ends: many ? undefined : [link.ends[0].interface, link.ends[1].interface],
    });
  }
  return links;
}

function textOf({ forward, reverse }: GraphLink): string {
  if (!reverse || forward === reverse) return forward ?? '';
  return `${forward} / ${reverse}`;
}
