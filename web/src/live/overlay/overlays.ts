// The overlays: what each draws of the same network. Pure; one function for each, listed at the end.

import { asSet, type Network } from '../network';
import { DIRECT, DOWN, FULL, UNKNOWN, UNMODELLED, type Pipes } from '../pipes';
import type { ServiceStatus, Verdict } from '../types';
import { count, digits, percent, plain, rate, size } from '../units';
import { partyOf, resourceText, whoText } from '../verdict';
import { RADIO, radio, type RadioSeen } from './radio';
import { levelOf, levelOfShare, steps, widthOf } from './scale';
import {
  PAINT_CONTENTION,
  PAINT_DIRECT,
  PAINT_DOWN,
  PAINT_DROPS,
  type LegendRow,
  type NodeMark,
  type OverlayPicture,
  type Table,
} from './types';

/** What overlays are made of. */
export interface Seen {
  network: Network;
  pipes: Pipes;
  verdict: Verdict | null;
  services: readonly ServiceStatus[];
  failed: ReadonlySet<string>;
  /** Of an experiment with shared media. */
  radio?: RadioSeen;
}

export interface Overlay {
  key: number;
  name: string;
  /** What it shows, in a sentence. */
  about: string;
  draw: (seen: Seen, version: number) => OverlayPicture;
}

const IDLE = 'nothing';
const DOWN_ROW: LegendRow = { swatch: { kind: 'down' }, text: 'down' };
const DIRECT_ROW: LegendRow = {
  swatch: { kind: 'direct' },
  text: 'direct: what the kernel counts',
};

/** A picture of the pipes' states alone, which overlays add to. */
function plainPicture({ network, pipes, failed }: Seen, version: number): OverlayPicture {
  const flags = new Uint8Array(pipes.count);
  for (let pipe = 0; pipe < pipes.count; pipe += 1) {
    flags[pipe] =
      (pipes.is(pipe, DOWN) ? PAINT_DOWN : 0) | (pipes.is(pipe, DIRECT) ? PAINT_DIRECT : 0);
  }
  return {
    links: network.linkNames,
    level: new Uint8Array(pipes.count),
    width: new Float32Array(pipes.count).fill(1),
    fill: new Float32Array(pipes.count).fill(NaN),
    flags,
    label: () => '',
    linkLabel: () => '',
    nodes: new Map([...failed].map((node): [string, NodeMark] => [node, { ring: 'failed' }])),
    legend: [],
    table: () => ({ columns: [], rows: [] }),
    version,
  };
}

function someDirect(picture: OverlayPicture): LegendRow[] {
  return picture.flags.some((flags) => (flags & PAINT_DIRECT) !== 0) ? [DIRECT_ROW] : [];
}

/** A table with a row for each pipe. */
function pipeTable(
  { network, pipes }: Seen,
  titles: readonly string[],
  cells: (pipe: number) => string[],
): Table {
  const columns = ['link', 'direction', ...titles];
  return {
    columns: columns.map((title, index) => ({ title, numeric: index > 1 })),
    rows: Array.from({ length: pipes.count }, (_, pipe) => {
      const link = network.linkNames[pipe >> 1] ?? '';
      return { link, cells: [plain(link), network.arrow(pipe), ...cells(pipe)] };
    }),
  };
}

const known = (pipes: Pipes, pipe: number, text: () => string): string =>
  pipes.is(pipe, UNKNOWN) ? '–' : text();
const modelled = (pipes: Pipes, pipe: number, text: () => string): string =>
  pipes.is(pipe, UNKNOWN | DIRECT) ? '–' : text();

function throughput(seen: Seen, version: number): OverlayPicture {
  const { pipes } = seen;
  const picture = plainPicture(seen, version);
  const levels = steps(pipes.peak);
  for (let pipe = 0; pipe < pipes.count; pipe += 1) {
    const delivered = pipes.delivered[pipe] as number;
    const limit = (pipes.busy[pipe] as number) >= 0.95 && !pipes.is(pipe, DIRECT);
    picture.level[pipe] = limit ? 4 : levelOf(delivered, levels);
    picture.width[pipe] = widthOf(delivered, levels);
    if (pipes.is(pipe, FULL)) picture.fill[pipe] = pipes.fill[pipe] as number;
    if ((pipes.drops[pipe] as number) > 0) (picture.flags[pipe] as number) |= PAINT_DROPS;
  }
  const unit = levels[2] >= 1e9 ? ([1e9, 'Gbit/s'] as const) : ([1e6, 'Mbit/s'] as const);
  const numbers = [0, ...levels].map((step) => String(Number((step / unit[0]).toPrecision(3))));
  picture.label = (pipe) => {
    const delivered = pipes.delivered[pipe] as number;
    return delivered < levels[0] / 10 ? '' : digits(delivered / unit[0]);
  };
  picture.legend = [
    {
      swatch: { kind: 'line', levels: [0, 1, 2, 3, 4] },
      text: `${numbers.join(' · ')} ${unit[1]} · over 95 % of its rate`,
    },
    { swatch: { kind: 'gauge' }, text: 'a full queue, at the pipe’s mouth' },
    { swatch: { kind: 'drops' }, text: 'drops' },
    DOWN_ROW,
    ...someDirect(picture),
  ];
  picture.table = () =>
    pipeTable(seen, ['offered', 'delivered', 'drops/s'], (pipe) => [
      known(pipes, pipe, () => rate(pipes.offered[pipe] as number)),
      known(pipes, pipe, () => rate(pipes.delivered[pipe] as number)),
      known(pipes, pipe, () => digits(pipes.drops[pipe] as number)),
    ]);
  return picture;
}

function share(seen: Seen, version: number): OverlayPicture {
  const { pipes } = seen;
  const picture = plainPicture(seen, version);
  for (let pipe = 0; pipe < pipes.count; pipe += 1) {
    const busy = pipes.busy[pipe] as number;
    picture.level[pipe] = levelOfShare(busy);
    picture.width[pipe] = 1 + 6 * Math.min(1, Math.max(0, busy));
  }
  picture.label = (pipe) =>
    (pipes.busy[pipe] as number) >= 0.01
      ? `${Math.round((pipes.busy[pipe] as number) * 100)} %`
      : '';
  picture.legend = [
    {
      swatch: { kind: 'line', levels: [0, 1, 2, 3, 4] },
      text: 'line busy: below 1 · 1 · 30 · 70 · 95 % of the time',
    },
    DOWN_ROW,
    ...someDirect(picture),
  ];
  picture.table = () =>
    pipeTable(seen, ['line busy', 'delivered', 'rate'], (pipe) => {
      const link = seen.network.links[pipe >> 1];
      const set = link === undefined ? '' : asSet(pipe % 2 === 0 ? link.forward : link.reverse);
      return [
        modelled(pipes, pipe, () => percent(pipes.busy[pipe] as number)),
        known(pipes, pipe, () => rate(pipes.delivered[pipe] as number)),
        set.split(' · ')[0] ?? '',
      ];
    });
  return picture;
}

function queue(seen: Seen, version: number): OverlayPicture {
  const { pipes } = seen;
  const picture = plainPicture(seen, version);
  for (let pipe = 0; pipe < pipes.count; pipe += 1) {
    if (pipes.is(pipe, DIRECT | UNKNOWN)) continue;
    const fill = pipes.fill[pipe] as number;
    if (pipes.filled[pipe] === 1) picture.fill[pipe] = fill;
    picture.level[pipe] = pipes.is(pipe, FULL) ? 4 : levelOfShare(Math.min(fill, 0.9));
    picture.width[pipe] = (pipes.queued[pipe] as number) > 0 ? 3 : 1;
    if ((pipes.drops[pipe] as number) > 0) (picture.flags[pipe] as number) |= PAINT_DROPS;
  }
  picture.label = (pipe) => {
    const [queued, drops] = [pipes.queued[pipe] as number, pipes.drops[pipe] as number];
    const lost = drops > 0 ? ` −${digits(drops)}/s` : '';
    return queued > 0 || drops > 0 ? `${size(queued)}${lost}` : '';
  };
  picture.legend = [
    { swatch: { kind: 'gauge' }, text: 'fill of the queue at the pipe’s mouth; bytes in it' },
    { swatch: { kind: 'drops' }, text: 'frames dropped per second' },
    {
      swatch: { kind: 'line', levels: [0, 1, 2, 3, 4] },
      text: 'fill below 1 · 1 · 30 · 70 % · at its limit',
    },
    DOWN_ROW,
    ...someDirect(picture),
  ];
  picture.table = () =>
    pipeTable(seen, ['queued', 'fill', 'drops/s'], (pipe) => [
      modelled(pipes, pipe, () => size(pipes.queued[pipe] as number)),
      modelled(pipes, pipe, () => percent(pipes.fill[pipe] as number)),
      known(pipes, pipe, () => digits(pipes.drops[pipe] as number)),
    ]);
  return picture;
}

function setTo(seen: Seen, version: number): OverlayPicture {
  const { network } = seen;
  const picture = plainPicture(seen, version);
  const texts = network.links.map(({ forward, reverse }) => {
    const [there, back] = [asSet(forward), asSet(reverse)];
    return there === back ? there : `→ ${there} | ← ${back}`;
  });
  picture.linkLabel = (link) => texts[link] ?? '';
  picture.legend = [
    { swatch: { kind: 'line', levels: [0] }, text: 'rate, delay, jitter, loss as set now' },
    DOWN_ROW,
    ...someDirect(picture),
  ];
  picture.table = () =>
    pipeTable(seen, ['set to'], (pipe) => {
      const link = network.links[pipe >> 1];
      return [link === undefined ? '' : asSet(pipe % 2 === 0 ? link.forward : link.reverse)];
    });
  return picture;
}

function contention(seen: Seen, version: number): OverlayPicture {
  const { network, pipes, verdict } = seen;
  const picture = plainPicture(seen, version);
  const nodes = new Map<string, NodeMark>(picture.nodes);
  for (let pipe = 0; pipe < pipes.count; pipe += 1) {
    if (!pipes.is(pipe, UNMODELLED)) continue;
    (picture.flags[pipe] as number) |= PAINT_CONTENTION;
  }
  for (const finding of verdict?.findings ?? []) {
    const on = finding.on;
    if (on?.kind === 'pipe') {
      const pipe = network.pipeNamed(on.name);
      if (pipe !== undefined) (picture.flags[pipe] as number) |= PAINT_CONTENTION;
    }
    const party = on === null || on === undefined ? null : partyOf(on);
    if (party !== null)
      nodes.set(party, { ring: 'contention', badge: finding.signal.replaceAll('_', ' ') });
  }
  for (const bound of verdict?.bound.nodes ?? []) {
    const waited = bound.cpu.share + bound.memory.share + bound.disk.share;
    if (waited < 0.001) continue;
    const ring = nodes.get(bound.node)?.ring;
    nodes.set(bound.node, { ...(ring && { ring }), badge: `waited ${percent(waited)}` });
  }
  picture.nodes = nodes;
  const reports = () =>
    (verdict?.signals ?? []).filter(({ held }) => held !== '0s' && held !== '0ns');
  picture.legend = [
    { swatch: { kind: 'contention' }, text: 'held against the run: late or lost by the machine' },
    { swatch: { kind: 'badge' }, text: 'programs that waited: share of the run' },
    DOWN_ROW,
  ];
  picture.table = () => ({
    columns: ['what', 'on', 'held', 'worst', 'most by'].map((title) => ({ title, numeric: false })),
    rows: reports().map((report) => ({
      ...(report.on.kind === 'pipe' && { link: report.on.name.replace(/\/[a-z]+$/, '') }),
      cells: [
        report.signal.replaceAll('_', ' '),
        resourceText(report.on),
        String(report.held),
        report.worst === null || report.worst === undefined ? '–' : digits(report.worst),
        report.shares[0] === undefined ? IDLE : whoText(report.shares[0].who),
      ],
    })),
  });
  return picture;
}

function addresses(seen: Seen, version: number): OverlayPicture {
  const picture = plainPicture(seen, version);
  const nodes = new Map<string, NodeMark>(picture.nodes);
  for (const { name, primary } of seen.network.nodes) {
    if (primary[0] !== undefined) nodes.set(name, { ...nodes.get(name), badge: plain(primary[0]) });
  }
  picture.nodes = nodes;
  picture.legend = [
    { swatch: { kind: 'badge' }, text: 'address that the node’s name means' },
    DOWN_ROW,
  ];
  picture.table = () => ({
    columns: ['node', 'interface', 'addresses', 'MAC', 'peer'].map((title) => ({
      title,
      numeric: false,
    })),
    rows: seen.network.nodes.flatMap((node) =>
      node.interfaces.map((of) => ({
        node: node.name,
        cells: [
          node.name,
          of.name,
          of.addresses.join(', '),
          String(of.mac ?? '–'),
          `${of.peer.node}:${of.peer.interface}`,
        ].map(plain),
      })),
    ),
  });
  return picture;
}

function trees(seen: Seen, version: number): OverlayPicture {
  const picture = plainPicture(seen, version);
  const ports = seen.network.nodes.flatMap((node) =>
    node.interfaces
      .filter((of) => (of.spanning_tree !== null && of.spanning_tree !== undefined) || of.vlan)
      .map((of) => ({ node, of })),
  );
  const byLink = new Map<string, string>();
  for (const { of } of ports) {
    const tree = of.spanning_tree;
    const vlan = of.vlan ? `VLAN ${valueOfVlans(of.vlan.vlans)}` : '';
    const words = [vlan, tree ? `${tree.role} ${tree.state}` : ''].filter((text) => text !== '');
    byLink.set(of.link, [byLink.get(of.link), words.join(' ')].filter(Boolean).join(' | '));
    const pipe = seen.network.pipe(of.link, 'forward');
    if (pipe !== undefined && tree?.state === 'forwarding') {
      for (const each of [pipe, pipe + 1]) [picture.level[each], picture.width[each]] = [3, 3];
    }
  }
  picture.linkLabel = (link) => byLink.get(picture.links[link] ?? '') ?? '';
  picture.legend = [
    {
      swatch: { kind: 'line', levels: [0, 3] },
      text: 'port of a spanning tree: blocked · forwarding',
    },
    DOWN_ROW,
  ];
  picture.table = () => ({
    columns: ['switch', 'port', 'VLANs', 'role', 'state', 'cost', 'root'].map((title) => ({
      title,
      numeric: title === 'cost',
    })),
    rows: ports.map(({ node, of }) => ({
      node: node.name,
      cells: [
        plain(node.name),
        plain(of.name),
        of.vlan ? valueOfVlans(of.vlan.vlans) : '–',
        of.spanning_tree?.role ?? '–',
        of.spanning_tree?.state ?? '–',
        of.spanning_tree ? count(of.spanning_tree.cost) : '–',
        of.spanning_tree?.root ?? '–',
      ],
    })),
  });
  return picture;
}

function valueOfVlans(vlans: unknown): string {
  return plain(JSON.stringify(vlans).replaceAll(/["{}]/g, '').replaceAll(',', ', '));
}

function services(seen: Seen, version: number): OverlayPicture {
  const picture = plainPicture(seen, version);
  const nodes = new Map<string, NodeMark>(picture.nodes);
  for (const { node, service, state } of seen.services) {
    const word = typeof state === 'string' ? state : (Object.keys(state)[0] ?? '');
    const text = `${plain(service)}${word === 'ready' ? '' : ` ${word}`}`;
    const before = nodes.get(node);
    const ring =
      word === 'failed' || word === 'unhealthy'
        ? ('failed' as const)
        : word === 'ready'
          ? before?.ring
          : (before?.ring ?? ('starting' as const));
    nodes.set(node, {
      ...(ring && { ring }),
      badge: before?.badge === undefined ? text : `${before.badge}, ${text}`,
    });
  }
  picture.nodes = nodes;
  picture.legend = [
    { swatch: { kind: 'badge' }, text: 'services, and their state if it is not ready' },
    DOWN_ROW,
  ];
  picture.table = () => ({
    columns: ['node', 'service', 'state', 'log'].map((title) => ({ title, numeric: false })),
    rows: seen.services.map(({ node, service, state, log }) => ({
      node,
      cells: [node, service, stateText(state), log].map(plain),
    })),
  });
  return picture;
}

/** The state of a process or service in words. */
export function stateText(state: unknown): string {
  if (typeof state === 'string') return state.replaceAll('_', ' ');
  if (typeof state !== 'object' || state === null) return '–';
  const [word, of] = Object.entries(state)[0] ?? ['–', null];
  const detail = typeof of === 'object' && of !== null ? Object.entries(of)[0] : undefined;
  return detail === undefined ? word : `${word}, ${detail[0]} ${plain(String(detail[1]))}`;
}

function hearing(seen: Seen, version: number): OverlayPicture {
  const picture = plainPicture(seen, version);
  if (seen.radio) return radio(picture, seen.radio);
  return {
    ...picture,
    legend: [{ swatch: { kind: 'badge' }, text: 'there is no shared medium in this network' }],
  };
}

/** All overlays, by their key. */
export const OVERLAYS: readonly Overlay[] = [
  { key: 1, name: 'Throughput', about: 'What arrives, per direction', draw: throughput },
  { key: 2, name: 'Share', about: 'How busy each line is', draw: share },
  { key: 3, name: 'Queue', about: 'What waits, and what is dropped', draw: queue },
  { key: 4, name: 'As set', about: 'Rate, delay, jitter and loss as set now', draw: setTo },
  { key: 5, name: 'Contention', about: 'What is held against the run', draw: contention },
  { key: 6, name: 'Addresses', about: 'Addresses of nodes', draw: addresses },
  { key: 7, name: 'VLAN', about: 'VLANs and spanning trees', draw: trees },
  { key: 8, name: 'Services', about: 'Services of nodes', draw: services },
  { key: RADIO, name: 'Radio', about: 'A map of stations, and who hears whom', draw: hearing },
];
