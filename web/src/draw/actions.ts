/** What Draw does with the open file: each is one step of undo. */

import {
  addLink,
  addNode,
  duplicate,
  linkAtLine,
  LINKS,
  NODES,
  removeLink,
  removeNode,
  renameNode,
} from '../edit/scenario';
import { EditFailure, Source, type Path } from '../edit/text';
import type { Value } from '../edit/write';
import { HOP, type Place } from '../scene/graph';
import { page } from '../state.svelte';
import { doc } from './document.svelte';
import { freeSpot } from './places';

export type NewKind = 'host' | 'router' | 'switch' | 'host-end' | 'nat-end';

/** Properties of links that are drawn next, as `rate: 10Mbit/s`. */
export const newLinks = { rate: '', delay: '' };

/** Makes an edit, or says why it cannot be made here. */
function edit(what: string, make: (text: string) => string): boolean {
  try {
    doc.edit(make(doc.text), what);
    return true;
  } catch (failure) {
    if (!(failure instanceof EditFailure)) throw failure;
    page.say(`not done: ${failure.message}`);
    page.openDock('yaml');
    return false;
  }
}

/** Adds a node; `at` is where, and `write` whether the file shall say so. */
export function addNewNode(kind: 'host' | 'router' | 'switch', at: Place, write: boolean): string {
  const name = doc.freeName(kind);
  const places = new Map(doc.scene.nodes.map((node) => [node.name, [node.x, node.y] as const]));
  const spot = write ? at : freeSpot(at, places);
  doc.expect(name, spot);
  const done = edit(`add ${name}`, (text) => addNode(text, name, kind === 'host' ? {} : { kind }));
  if (done) page.select([name]);
  if (done && write) doc.move(new Map([[name, spot]]));
  return name;
}

/** A link to the machine or to the networks that it reaches, from a selected node. */
export function addOutside(kind: 'host-end' | 'nat-end', node: string): void {
  const end = kind === 'host-end' ? 'host' : 'nat';
  edit(`join ${node} with ${end}`, (text) =>
    addLink(text, { node }, { node: end, interface: `${end}-${node}`.slice(0, 15) }),
  );
}

export function link(a: string, b: string): void {
  const properties: Record<string, Value> = {};
  if (newLinks.rate) properties.rate = newLinks.rate;
  if (newLinks.delay) properties.delay = newLinks.delay;
  const before = new Set(doc.graph.links.map((of) => of.name));
  if (!edit(`link ${a} to ${b}`, (text) => addLink(text, { node: a }, { node: b }, properties)))
    return;
  void doc.settled().then(() => {
    const made = doc.graph.links.find((of) => !before.has(of.name));
    if (made) page.select([], [made.name]);
  });
}

/** The place in the file of a link, or -1 if it has no entry of its own. */
export function linkPlace(name: string): number {
  const found = doc.graph.links.find((of) => of.name === name);
  const line = found?.origin?.by ? null : found?.origin?.line;
  return line ? linkAtLine(doc.text, line) : -1;
}

/** The path in the file of a node, or null if something else makes it. */
export function nodePath(name: string): Path | null {
  if (new Source(doc.text).at([...NODES, name]) !== undefined) return [...NODES, name];
  const keys = new Source(doc.text).keys(NODES);
  if (keys.includes(name)) return [...NODES, name];
  const stack = doc.graph.stacks.find((of) => of.nodes.includes(name));
  return stack && keys.includes(stack.written) ? [...NODES, stack.written] : null;
}

export function linkPath(name: string): Path | null {
  const at = linkPlace(name);
  return at < 0 ? null : [...LINKS, at];
}

export function removeSelected(): void {
  const { nodes, links } = page.selection;
  const places = links
    .map(linkPlace)
    .filter((at) => at >= 0)
    .sort((a, b) => b - a);
  const own = nodes.flatMap((name) => nodePath(name)?.[2] ?? []).map(String);
  if (places.length + own.length === 0) {
    page.say(
      nodes.length + links.length === 0
        ? 'nothing is selected'
        : 'this is made elsewhere in the file; change its source',
    );
    return;
  }
  const what = [...own, ...links].join(', ').slice(0, 60);
  const done = edit(`remove ${what}`, (text) => {
    let out = text;
    for (const at of new Set(places)) out = removeLink(out, at);
    for (const name of new Set(own)) out = removeNode(out, name);
    return out;
  });
  if (done) page.clearSelection();
}

export function duplicateSelected(): void {
  const { nodes } = page.selection;
  if (nodes.length === 0) return;
  const { scene } = doc;
  edit(`duplicate ${nodes.join(', ').slice(0, 60)}`, (text) => {
    const copied = duplicate(
      text,
      nodes.filter((name) => nodePath(name)?.[2] === name),
    );
    for (const [from, to] of copied.names) {
      const i = scene.node(from);
      if (i >= 0) doc.expect(to, [scene.x[i] + HOP * 0.5, scene.y[i] + HOP * 0.9]);
    }
    page.select([...copied.names.values()]);
    return copied.text;
  });
}

export function rename(from: string, to: string): boolean {
  if (from === to) return true;
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*(\[[0-9,-]+\])?$/.test(to)) {
    page.say(`\`${to}\` is no name: letters, digits, - and _`);
    return false;
  }
  if (new Source(doc.text).keys(NODES).includes(to)) {
    page.say(`there is a node \`${to}\` already`);
    return false;
  }
  const i = doc.scene.node(from);
  if (i >= 0) doc.expect(to, [doc.scene.x[i], doc.scene.y[i]]);
  const done = edit(`rename ${from} to ${to}`, (text) => renameNode(text, from, to));
  if (done) page.select([to]);
  return done;
}

/** Sets a property at paths, or takes it out of the file. */
export function setAll(
  paths: readonly Path[],
  key: Path,
  value: Value | undefined,
  what: string,
): boolean {
  return edit(what, (text) => {
    let out = text;
    for (const path of paths) {
      const source = new Source(out);
      out =
        value === undefined
          ? source.remove([...path, ...key])
          : source.set([...path, ...key], value);
    }
    return out;
  });
}

/** Puts the selected nodes into a row (`y`) or a column (`x`). */
export function align(axis: 'x' | 'y'): void {
  const { scene } = doc;
  const at = page.selection.nodes.map((name) => scene.node(name)).filter((i) => i >= 0);
  if (at.length < 2) return;
  const of = axis === 'x' ? scene.x : scene.y;
  const mean = at.reduce((sum, i) => sum + of[i], 0) / at.length;
  doc.move(
    new Map(
      at.map((i) => [
        scene.nodes[i].name,
        axis === 'x' ? ([mean, scene.y[i]] as const) : ([scene.x[i], mean] as const),
      ]),
    ),
  );
}

/** Forgets all places: the layout decides anew. */
export function arrange(): void {
  doc.forgetPlaces();
  if (new Source(doc.text).at(['drawing', 'positions']) !== undefined) {
    edit('arrange', (text) => {
      const source = new Source(text);
      return source.keys(['drawing']).length > 1
        ? source.remove(['drawing', 'positions'])
        : source.remove(['drawing']);
    });
  } else doc.refresh();
}
