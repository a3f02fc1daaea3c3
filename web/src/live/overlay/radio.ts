// The radio overlay: who hears whom, the reach of the selected sender, who is hidden from it, and
// what each station does. Pure.

import type { AirPaint } from '../../scene/air';
import { STATION_ON, type Air } from '../radio/air';
import { reachOf, type Heard, type Hearing } from '../radio/hearing';
import { digits, percent, plain } from '../units';
import type { LegendRow, NodeMark, OverlayPicture, Table } from './types';

/** Its key. */
export const RADIO = 9;

/** What it is made of. */
export interface RadioSeen {
  readonly air: Air;
  readonly hearing: Hearing | null;
  readonly hidden: { sender: string; nodes: ReadonlyMap<string, readonly string[]> } | null;
  /** The first selected node. */
  readonly sender: string | null;
  /** Units of the plane for a metre. */
  readonly units: number;
}

/** A probability as a level of colour: 10, 50 and 99 %. */
export function levelOfDelivery(delivery: number): number {
  return delivery >= 0.95 ? 3 : delivery >= 0.4 ? 2 : delivery >= 0.05 ? 1 : 0;
}

export function radio(picture: OverlayPicture, seen: RadioSeen): OverlayPicture {
  const { air, hearing, units } = seen;
  const sender = seen.sender !== null && air.has(seen.sender) ? seen.sender : null;
  const heard = sender === null ? [] : (hearing?.of(sender) ?? []);
  const hidden =
    seen.hidden?.sender === sender ? seen.hidden.nodes : new Map<string, readonly string[]>();
  const { decoded, sensed } = reachOf(heard);
  const paint: AirPaint = {
    units,
    pairs: (hearing?.pairs ?? []).flatMap((of) => lineOf(of, sender)),
    reach:
      sender === null
        ? []
        : [
            ...(sensed && sensed !== decoded
              ? [{ node: sender, radius: sensed.distance * units, dash: true }]
              : []),
            ...(decoded ? [{ node: sender, radius: decoded.distance * units, dash: false }] : []),
          ],
    hidden: new Set(hidden.keys()),
    rings: new Map([...air.nodes()].map((node) => [node, ringOf(air, node)])),
    tracks: air.stations.map(({ node }, i) => ({
      node,
      xy: air.tracks[i].flatMap((_, k, all) =>
        k % 3 === 0 ? [all[k + 1] * units, -all[k + 2] * units] : [],
      ),
    })),
  };
  return {
    ...picture,
    air: paint,
    nodes: new Map([...picture.nodes, ...marksOf(air, hidden)]),
    legend: legendOf(sender, decoded, sensed, hidden.size),
    table: () => tableOf(seen, sender, hidden),
  };
}

/** The line of a pair; a station that is only sensed has none, but from the selected sender. */
function lineOf(of: Heard, sender: string | null): AirPaint['pairs'][number][] {
  const chosen = of.from === sender;
  if (!of.decodes && !chosen) return [];
  const level = levelOfDelivery(of.delivery);
  const width = chosen && of.decodes ? 1 + 4 * of.delivery : 1;
  return [
    {
      from: of.from,
      to: of.node,
      level,
      width,
      dash: !of.decodes,
      faint: sender !== null && !chosen,
    },
  ];
}

function ringOf(air: Air, node: string): { sent: number; sensed: number } {
  const at = air.of(node);
  const most = (column: Float32Array): number => at.reduce((sum, i) => Math.max(sum, column[i]), 0);
  return { sent: most(air.sent), sensed: most(air.sensed) };
}

function marksOf(air: Air, hidden: ReadonlyMap<string, readonly string[]>): [string, NodeMark][] {
  return [...air.nodes()].flatMap((node): [string, NodeMark][] => {
    const at = air.of(node);
    const sum = (column: Float32Array): number => at.reduce((of, i) => of + column[i], 0);
    const words = [
      at.some((i) => (air.state[i] & STATION_ON) !== 0) ? '' : 'radio off',
      air.place(node) === null ? 'away' : '',
      hidden.has(node) ? 'hidden' : '',
      sum(air.retries) >= 0.5 ? `${digits(sum(air.retries))} retries/s` : '',
      sum(air.failed) >= 0.5 ? `−${digits(sum(air.failed))}/s` : '',
    ].filter(Boolean);
    return words.length === 0 ? [] : [[node, { badge: words.join(' · ') }]];
  });
}

function legendOf(
  sender: string | null,
  decoded: Heard | null,
  sensed: Heard | null,
  hidden: number,
): LegendRow[] {
  const name = plain(sender ?? '');
  const far = (of: Heard): string => `${digits(of.distance)} m`;
  const reach = [
    decoded ? `decoded up to ${far(decoded)}` : `nobody decodes ${name}`,
    sensed && sensed !== decoded ? `sensed up to ${far(sensed)}` : '',
  ];
  return [
    {
      swatch: { kind: 'line', levels: [1, 2, 3] },
      text: 'a 1500-byte packet arrives: 10 · 50 · 99 %, while nobody else sends',
    },
    { swatch: { kind: 'line', levels: [0] }, text: 'track of the last minute' },
    { swatch: { kind: 'airtime' }, text: 'share of the time: sends · senses others' },
    ...(sender === null
      ? [{ swatch: { kind: 'reach' } as const, text: 'select a station: its reach' }]
      : [
          {
            swatch: { kind: 'reach' } as const,
            text: `${name}: ${reach.filter(Boolean).join(' · ')}`,
          },
          { swatch: { kind: 'hidden' } as const, text: `hidden from ${name}: ${hidden}` },
        ]),
  ];
}

function tableOf(
  { air, hearing }: RadioSeen,
  sender: string | null,
  hidden: ReadonlyMap<string, readonly string[]>,
): Table {
  const columns = ['from', 'to', 'distance', 'power', 'SNR', 'hears', 'rate', 'arrives', 'hidden'];
  const pairs = hearing?.pairs ?? [];
  // The selected sender's come first.
  const shown = [
    ...pairs.filter(({ from }) => from === sender),
    ...pairs.filter(({ from }) => from !== sender),
  ];
  const rows = shown.map((of) => ({
    node: of.node,
    cells: [
      plain(of.from),
      plain(of.node),
      `${digits(of.distance)} m`,
      `${digits(of.power)} dBm`,
      `${digits(of.snr)} dB`,
      of.decodes ? 'decodes' : 'senses',
      plain(String(of.rate)),
      percent(of.delivery),
      of.from === sender
        ? [...hidden]
            .flatMap(([node, at]) => (at.includes(of.node) ? [plain(node)] : []))
            .join(', ')
        : '',
    ],
  }));
  const heard = new Set(shown.flatMap(({ from, node }) => [from, node]));
  const alone = [...air.nodes()].filter((node) => !heard.has(node));
  return {
    columns: columns.map((title, i) => ({ title, numeric: i > 1 && i !== 5 })),
    rows: [
      ...rows,
      ...alone.map((node) => ({
        node,
        cells: [plain(node), '–', ...columns.slice(2).map(() => '')],
      })),
    ],
  };
}
