// The network of an experiment as its engine describes it, and text of what links are set to. Pure.

import { plain } from './units';
import type { LinkStatus, NodeStatus, PipeConfig, PipeStatus } from './types';

export type Way = 'forward' | 'reverse';
export const WAYS: readonly Way[] = ['forward', 'reverse'];

export class Network {
  readonly links: readonly LinkStatus[];
  readonly nodes: readonly NodeStatus[];
  readonly linkNames: readonly string[];
  private readonly byLink: ReadonlyMap<string, number>;
  private readonly byNode: ReadonlyMap<string, number>;

  constructor(
    links: readonly LinkStatus[],
    nodes: readonly NodeStatus[],
    readonly revision: number,
  ) {
    this.links = links;
    this.nodes = nodes;
    this.linkNames = links.map(({ name }) => name);
    this.byLink = new Map(links.map(({ name }, index) => [name, index]));
    this.byNode = new Map(nodes.map(({ name }, index) => [name, index]));
  }

  link(name: string): LinkStatus | undefined {
    return this.links[this.byLink.get(name) ?? -1];
  }

  node(name: string): NodeStatus | undefined {
    return this.nodes[this.byNode.get(name) ?? -1];
  }

  /** The pipe of a link's direction; `undefined` if there is no such link. */
  pipe(link: string, way: Way): number | undefined {
    const index = this.byLink.get(link);
    return index === undefined ? undefined : 2 * index + (way === 'forward' ? 0 : 1);
  }

  /** The pipe of a name like `a--b/forward`. */
  pipeNamed(name: string): number | undefined {
    const slash = name.lastIndexOf('/');
    const way = name.slice(slash + 1);
    if (slash === -1 || (way !== 'forward' && way !== 'reverse')) return undefined;
    return this.pipe(name.slice(0, slash), way);
  }

  /** What a pipe leads from and to: `a → b`. */
  arrow(pipe: number): string {
    const ends = this.links[pipe >> 1]?.endpoints;
    const names = ends?.map(({ node }) => plain(node)) ?? ['?', '?'];
    return pipe % 2 === 0 ? `${names[0]} → ${names[1]}` : `${names[1]} → ${names[0]}`;
  }

  /** Nodes at the other ends of a node's links, with the link. */
  neighbours(node: string): { link: string; node: string; interface: string }[] {
    const found = this.node(node)?.interfaces ?? [];
    return found.map((of) => ({ link: of.link, node: of.peer.node, interface: of.name }));
  }
}

/** The configuration of a pipe; `null` of a direct link, which has none. */
export function configOf(pipe: PipeStatus): PipeConfig | null {
  return 'config' in pipe ? pipe.config : null;
}

/** A property as text: as a scenario writes it, or short if it is made of parts. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return plain(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  const parts = Object.entries(value).filter(([, of]) => of !== null);
  return parts.map(([key, of]) => `${plain(key)} ${valueText(of)}`).join(', ');
}

const QUIET: Record<string, readonly string[]> = {
  rate: ['unlimited'],
  delay: ['0s', '0ns', '0ms'],
  jitter: ['none', '0s', '0ns'],
  loss: ['0%', '0', 'none'],
  state: ['up'],
};

/** The properties of a pipe that anybody would ask for, those that do nothing left out. */
export function asSet(pipe: PipeStatus): string {
  const config = configOf(pipe);
  if (config === null) return 'direct: the kernel carries it';
  const words = (['rate', 'delay', 'jitter', 'loss', 'state'] as const).flatMap((key) => {
    const text = valueText(config[key]);
    if (QUIET[key]?.includes(text)) return [];
    return [key === 'rate' || key === 'delay' || key === 'state' ? text : `${key} ${text}`];
  });
  return words.join(' · ') || 'unlimited';
}
