/** Edits of a scenario: nodes, links, places of the drawing. Each takes a text and returns one. */

import { isMap, isScalar, isSeq, visit } from 'yaml';
import { Source, type Path } from './text';
import { flow, type Value } from './write';

export const NODES: Path = ['topology', 'nodes'];
export const LINKS: Path = ['topology', 'links'];
export const PLACES: Path = ['drawing', 'positions'];

export interface End {
  readonly node: string;
  readonly interface?: string;
}

/** The text of a new scenario of a name. */
export function fresh(name: string): string {
  return `name: ${name}\n\ntopology:\n  nodes: {}\n`;
}

/** A name that no node has: `host1`, `host2`… */
export function freeName(
  text: string,
  stem: string,
  taken: ReadonlySet<string> = new Set(),
): string {
  const known = new Set(new Source(text).keys(NODES));
  for (let i = 1; ; i++) {
    const name = `${stem}${i}`;
    if (!known.has(name) && !taken.has(name)) return name;
  }
}

export function addNode(
  text: string,
  name: string,
  properties: { readonly [key: string]: Value } = {},
): string {
  const source = new Source(text);
  const nodes = source.at(NODES);
  // `nodes: {}` becomes a block: nobody writes a network on one line.
  if (isMap(nodes) && nodes.flow && nodes.items.length === 0) {
    const start = source.start(NODES) ?? 0;
    const end = source.end(NODES) ?? start;
    const key = text.slice(start, text.indexOf(':', start) + 1);
    const column = start - (text.lastIndexOf('\n', start - 1) + 1);
    const entry = Object.keys(properties).length > 0 ? `${name}: ${flow(properties)}` : `${name}:`;
    return source.splice(start, end, `${key}\n${' '.repeat(column + 2)}${entry}`);
  }
  return source.set([...NODES, name], properties);
}

/** Places in the list of links whose item names the node. */
function linksOf(source: Source, node: string): number[] {
  const links = source.at(LINKS);
  if (!isSeq(links)) return [];
  return links.items.flatMap((item, i) => {
    const ends: unknown = isMap(item) ? item.get('endpoints') : null;
    const names = isSeq(ends)
      ? ends.items.map((end) => nodeOf(isScalar(end) ? end.value : end))
      : [];
    return names.includes(node) ? [i] : [];
  });
}

function nodeOf(end: unknown): string {
  const text = String(end);
  const colon = text.indexOf(':');
  return colon === -1 ? text : text.slice(0, colon);
}

/** Removes a node with its links and its place. */
export function removeNode(text: string, name: string): string {
  let out = text;
  for (const link of linksOf(new Source(out), name).reverse()) out = removeLink(out, link);
  out = new Source(out).remove([...NODES, name]);
  return unplace(out, name);
}

/** Renames a node wherever the file names it as one: links, processes, traffic, places. */
export function renameNode(text: string, from: string, to: string): string {
  let out = new Source(text).rename([...NODES, from], to);
  if (new Source(out).at([...PLACES, from]) !== undefined) {
    out = new Source(out).rename([...PLACES, from], to);
  }
  const source = new Source(out);
  const splices: [number, number, string][] = [];
  visit(source.document, {
    Scalar(_, node, ancestors) {
      if (typeof node.value !== 'string' || !node.range) return;
      const key = [...ancestors].reverse().find((of) => typeof of === 'object' && 'key' in of);
      const under = key && isScalar(key.key) ? String(key.key.value) : '';
      const named =
        under === 'endpoints'
          ? nodeOf(node.value) === from
          : ['node', 'nodes', 'from', 'to'].includes(under) && node.value === from;
      if (!named || (key && key.key === node)) return;
      const quote = /^["']/.test(out[node.range[0]]) ? 1 : 0;
      splices.push([node.range[0] + quote, node.range[0] + quote + from.length, to]);
    },
  });
  for (const [start, end, word] of splices.sort((a, b) => b[0] - a[0])) {
    out = out.slice(0, start) + word + out.slice(end);
  }
  return out;
}

export function addLink(
  text: string,
  a: End,
  b: End,
  properties: { readonly [key: string]: Value } = {},
): string {
  const end = ({ node, interface: name }: End): string => (name ? `${node}:${name}` : node);
  return new Source(text).append(LINKS, { endpoints: [end(a), end(b)], ...properties });
}

/** Removes the link at a place in the list; with the last one, the list goes. */
export function removeLink(text: string, at: number): string {
  const source = new Source(text);
  const links = source.at(LINKS);
  if (isSeq(links) && links.items.length === 1 && at === 0) return source.remove(LINKS);
  return source.remove([...LINKS, at]);
}

/** The place in the list of the link whose entry has a line (from 1), or -1. */
export function linkAtLine(text: string, line: number): number {
  const source = new Source(text);
  const links = source.at(LINKS);
  if (!isSeq(links)) return -1;
  return links.items.findIndex((_, i) => {
    const start = source.start([...LINKS, i]);
    const end = source.end([...LINKS, i]);
    return (
      start !== null &&
      end !== null &&
      source.lines.linePos(start).line <= line &&
      line <= source.lines.linePos(end).line
    );
  });
}

/** Writes where nodes are drawn, in the unit of the file. */
export function place(
  text: string,
  places: ReadonlyMap<string, readonly [number, number]>,
): string {
  let out = text;
  for (const [name, [x, y]] of places) {
    out = new Source(out).set([...PLACES, name], [round(x), round(y)]);
  }
  return out;
}

/** Forgets where a node is drawn; with the last place, `drawing` goes. */
export function unplace(text: string, name: string): string {
  const source = new Source(text);
  if (source.at([...PLACES, name]) === undefined) return text;
  if (source.keys(PLACES).length > 1) return source.remove([...PLACES, name]);
  return source.keys(['drawing']).length > 1 ? source.remove(PLACES) : source.remove(['drawing']);
}

/** Without what binary fractions add, and without a minus at zero. */
function round(of: number): number {
  return Number(of.toPrecision(9)) + 0;
}

/** Copies of nodes under new names, with the links among them. Returns the text and the names. */
export function duplicate(
  text: string,
  names: readonly string[],
): { text: string; names: Map<string, string> } {
  const source = new Source(text);
  const copies = new Map<string, string>();
  let out = text;
  for (const name of names) {
    const copy = freeName(out, name.replace(/\d+$/, '') || name);
    copies.set(name, copy);
    const value = (source.value([...NODES, name]) ?? {}) as { [key: string]: Value };
    out = addNode(out, copy, value);
  }
  const links = (source.value(LINKS) ?? []) as { endpoints?: string[]; name?: string }[];
  for (const link of links) {
    const ends = link.endpoints?.map((end) => {
      const copy = copies.get(nodeOf(end));
      return copy === undefined ? null : copy + end.slice(nodeOf(end).length);
    });
    if (!ends || ends.length !== 2 || ends.includes(null)) continue;
    // A name of its own would be there twice.
    const { name: _, ...rest } = link;
    out = new Source(out).append(LINKS, { ...rest, endpoints: ends as string[] } as Value);
  }
  return { text: out, names: copies };
}
