// Who hears whom on shared media, and in words why one does not hear another. Pure.

import type { MediumStatus, Neighbour, Neighbours } from '../types';
import { counted, digits, percent, plain } from '../units';
import { STATION_ON, type Air } from './air';

/** A station that another hears. */
export interface Heard extends Neighbour {
  readonly from: string;
  readonly medium: string;
}

/** All pairs of which one hears the other. */
export class Hearing {
  readonly pairs: readonly Heard[];
  private readonly byPair: ReadonlyMap<string, Heard>;
  private readonly bySender = new Map<string, Heard[]>();

  constructor(all: readonly Neighbours[]) {
    this.pairs = all.flatMap(({ medium, node, neighbours }) =>
      neighbours.map((of) => ({ ...of, from: node, medium })),
    );
    this.byPair = new Map(this.pairs.map((of) => [key(of.from, of.node), of]));
    for (const pair of this.pairs) {
      const known = this.bySender.get(pair.from);
      if (known) known.push(pair);
      else this.bySender.set(pair.from, [pair]);
    }
  }

  /** Those that hear a sender, the best first. */
  of(sender: string): readonly Heard[] {
    const all = this.bySender.get(sender) ?? [];
    return all.toSorted((a, b) => b.delivery - a.delivery || b.power - a.power);
  }

  /** How `to` hears `from`; `undefined` if it does not even sense it. */
  pair(from: string, to: string): Heard | undefined {
    return this.byPair.get(key(from, to));
  }
}

const key = (from: string, to: string): string => `${from}\n${to}`;

/** The farthest that decode, and that sense, what a sender sends; in m. */
export function reachOf(heard: readonly Heard[]): { decoded: Heard | null; sensed: Heard | null } {
  const farthest = (of: readonly Heard[]): Heard | null =>
    of.reduce<Heard | null>(
      (best, one) => (best && best.distance >= one.distance ? best : one),
      null,
    );
  return {
    decoded: farthest(heard.filter(({ decodes }) => decodes)),
    sensed: farthest(heard),
  };
}

/** Nodes that are hidden from a sender, each with the receivers at which both are heard. Made of
 * the answer about this sender alone: the list of all has no hidden ones. */
export function hiddenFrom(sender: readonly Neighbours[]): Map<string, string[]> {
  const hidden = new Map<string, string[]>();
  for (const { neighbours } of sender) {
    for (const { node, hidden_from: by } of neighbours) {
      for (const one of by ?? []) hidden.set(one, [...(hidden.get(one) ?? []), node]);
    }
  }
  return hidden;
}

const metres = (of: number): string => `${digits(of)} m`;

/** A pair of stations, as far as it is known. */
export interface Between {
  readonly from: string;
  readonly to: string;
  readonly air: Air;
  readonly hearing: Hearing;
  /** Nodes hidden from `from`, if that is known. */
  readonly hidden: ReadonlyMap<string, readonly string[]> | null;
}

/** Whether and why `to` hears `from`: one sentence each, the answer first. */
export function whyNot(of: Between): string[] {
  const { from, to, air, hearing } = of;
  const [a, b] = [plain(from), plain(to)];
  if (from === to) return [`${a} is itself.`];
  for (const node of [from, to]) {
    if (!air.has(node)) return [`No: ${plain(node)} has no station on a shared medium.`];
  }
  const mediaOf = (node: string): string[] => air.of(node).map((i) => air.stations[i].medium);
  const shared = mediaOf(from).filter((medium) => mediaOf(to).includes(medium));
  if (shared.length === 0) {
    const words = [from, to].map((node) => `${plain(node)} is on ${mediaOf(node).join(', ')}`);
    return [`No: they share no medium. ${words.join('; ')}.`];
  }
  for (const node of [from, to]) {
    const on = air.of(node).some((i) => (air.state[i] & STATION_ON) !== 0);
    if (!on) return [`No: the radio of ${plain(node)} is off.`];
    if (air.place(node) === null) return [`No: ${plain(node)} is away.`];
  }
  const pair = hearing.pair(from, to);
  if (pair === undefined) return [...tooFar(of, a, b), ...relays(of, a, b)];
  const signal = `${digits(pair.power)} dBm, ${digits(pair.snr)} dB above noise, from ${metres(pair.distance)}`;
  if (!pair.decodes) {
    return [
      `No: ${b} only senses ${a}. It waits while ${a} sends, and cannot decode it.`,
      `The signal arrives with ${signal}.`,
      ...relays(of, a, b),
    ];
  }
  const loud = pair.delivery >= 0.5;
  return [
    `${loud ? 'Yes' : 'Hardly'}: of packets of 1500 bytes at ${plain(String(pair.rate))}, ${percent(pair.delivery)} arrive while nobody else sends.`,
    `The signal arrives with ${signal}.`,
    ...collisions(of, a, b),
  ];
}

function tooFar({ from, to, air, hearing }: Between, a: string, b: string): string[] {
  const [here, there] = [air.place(from), air.place(to)];
  const distance =
    here && there ? metres(Math.hypot(here[0] - there[0], here[1] - there[1])) : 'too far';
  const { decoded, sensed } = reachOf(hearing.of(from));
  const far = [
    decoded ? `decodes it is at ${metres(decoded.distance)} (${plain(decoded.node)})` : '',
    sensed ? `senses it at ${metres(sensed.distance)} (${plain(sensed.node)})` : '',
  ].filter(Boolean);
  return [
    `No: what ${a} sends does not reach ${b}, which is ${distance} away.`,
    far.length === 0
      ? `Nobody hears ${a}.`
      : `The farthest that ${far.join(', the farthest that ')}.`,
  ];
}

/** Who hears the one and is heard by the other. */
function relays({ from, to, hearing }: Between, a: string, b: string): string[] {
  const between = hearing
    .of(from)
    .filter((of) => of.decodes && hearing.pair(of.node, to)?.decodes === true)
    .map(({ node }) => plain(node));
  if (between.length === 0) return [];
  const some = between.slice(0, 5).join(', ');
  const more = between.length > 5 ? ` and ${between.length - 5} more` : '';
  return [
    `Between them: ${some}${more} ${between.length === 1 ? 'decodes' : 'decode'} ${a} and can reach ${b}.`,
  ];
}

/** Who may send at the same time without hearing the sender, and what the receiver lost so far. */
function collisions({ to, air, hidden }: Between, a: string, b: string): string[] {
  const others = [...(hidden ?? [])].filter(([, at]) => at.includes(to)).map(([node]) => node);
  const lost = statisticsOf(air.media, to).reduce((sum, of) => sum + of.collisions, 0);
  return [
    ...(others.length > 0
      ? [
          `${others.map(plain).join(', ')} ${others.length === 1 ? 'is' : 'are'} hidden from ${a}: ${others.length === 1 ? 'it' : 'they'} may send at the same time, and both are lost at ${b}.`,
        ]
      : []),
    ...(lost > 0 ? [`${b} has lost ${counted(lost, 'signal')} to others so far.`] : []),
  ];
}

/** Counters of a node's stations. */
export function statisticsOf(
  media: readonly MediumStatus[],
  node: string,
): MediumStatus['stations'][number]['statistics'][] {
  return media.flatMap(({ stations }) =>
    stations.filter((of) => of.interface.node === node).map(({ statistics }) => statistics),
  );
}
