// Changes of links from the panel: sliders, fields, and the text of the same change. Pure.

import { parsed, plain, written } from './units';
import { configOf, valueText, type Way } from './network';
import type { LinkChange, LinkStatus } from './types';

export type Property = 'rate' | 'delay' | 'jitter' | 'loss' | 'queue';
export type Direction = 'both' | Way;

export interface Control {
  key: Property;
  name: string;
  /** Range of the slider, in the unit of `parsed`; by the logarithm. */
  from: number;
  to: number;
  /** What the left end of the slider stands for, if not `from`. */
  least: string;
  text: (value: number) => string;
}

const percentText = (share: number): string => `${Number((share * 100).toPrecision(3))}%`;

export const CONTROLS: readonly Control[] = [
  {
    key: 'rate',
    name: 'rate',
    from: 1e4,
    to: 1e10,
    least: '10kbit/s',
    text: (bits) => written(rounded(bits), 'rate'),
  },
  {
    key: 'delay',
    name: 'delay',
    from: 1e4,
    to: 1e9,
    least: '0ms',
    text: (ns) => written(rounded(ns), 'duration'),
  },
  {
    key: 'jitter',
    name: 'jitter',
    from: 1e4,
    to: 1e9,
    least: '0ms',
    text: (ns) => written(rounded(ns), 'duration'),
  },
  { key: 'loss', name: 'loss', from: 1e-5, to: 0.5, least: '0%', text: percentText },
  {
    key: 'queue',
    name: 'queue.limit',
    from: 1,
    to: 1e4,
    least: '1packets',
    text: (packets) => `${Math.round(packets)}packets`,
  },
];

/** Two significant digits: what a slider can be set to. */
export function rounded(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(2));
}

/** Place of a value on a slider, 0…1; `null` if it has none (unlimited, a schedule). */
export function placeOf(control: Control, text: string): number | null {
  const value = parsed(text);
  if (value === null) return null;
  if (value <= 0) return 0;
  const share = Math.log(value / control.from) / Math.log(control.to / control.from);
  return Math.min(1, Math.max(0, share));
}

/** Value at a place of a slider. */
export function valueAt(control: Control, place: number): string {
  if (place <= 0) return control.least;
  return control.text(rounded(control.from * (control.to / control.from) ** place));
}

/** What a property of a link is set to: one text, or `null` if directions or links differ. */
export function current(
  links: readonly LinkStatus[],
  direction: Direction,
  key: Property,
): string | null {
  const texts = new Set<string>();
  for (const link of links) {
    for (const way of direction === 'both' ? (['forward', 'reverse'] as const) : [direction]) {
      const config = configOf(link[way]);
      if (config !== null) texts.add(valueText(key === 'queue' ? config.queue.limit : config[key]));
    }
  }
  return texts.size === 1 ? ([...texts][0] as string) : null;
}

/** A field's text as a change; `netem …` as tc's string. Throws what is wrong with it. */
export function changeOf(key: Property, text: string): LinkChange['change'] {
  const trimmed = text.trim();
  if (trimmed === '') throw new Error(`${key}: write a value, like ${examples[key]}`);
  if (trimmed.startsWith('netem ')) return { netem: trimmed.slice(6).trim() };
  const change = { [key]: key === 'queue' ? { limit: trimmed } : trimmed };
  return change as LinkChange['change'];
}

const examples: Record<Property, string> = {
  rate: '10Mbit/s',
  delay: '20ms',
  jitter: '2ms',
  loss: '0.1%',
  queue: '100packets',
};

/** The request that makes one change of several links, at one instant. */
export function requestOf(
  links: readonly string[],
  direction: Direction,
  change: LinkChange['change'],
): { changes: LinkChange[] } {
  return { changes: links.map((link) => ({ link, direction, change })) };
}

/** The change of each link and direction that puts back what is set now. */
export function undoOf(
  links: readonly LinkStatus[],
  direction: Direction,
  change: object,
): LinkChange[] {
  return links.flatMap((link) =>
    (direction === 'both' ? (['forward', 'reverse'] as const) : [direction]).flatMap((way) => {
      const config = configOf(link[way]);
      if (config === null) return [];
      const keys =
        'netem' in change
          ? ['delay', 'jitter', 'loss', 'rate', 'duplicate', 'corrupt', 'reorder', 'queue']
          : Object.keys(change);
      const was = Object.fromEntries(
        keys.map((key) => {
          const value: unknown = config[key as keyof typeof config];
          return [key, key === 'queue' ? { limit: config.queue.limit } : value];
        }),
      );
      return [{ link: link.name, direction: way, change: was as LinkChange['change'] }];
    }),
  );
}

/** The change as an entry of a scenario's `timeline`. `at` is in ns since zero. */
export function timelineEntry(changes: readonly LinkChange[], at: number): string {
  return changes
    .map(({ link, direction, change }) => {
      const way =
        direction === undefined || direction === 'both' ? '' : `, direction: ${direction}`;
      return `- { at: ${written(Math.max(0, Math.round(at / 1e6)) * 1e6, 'duration')}, link: ${scalar(link)}${way}, set: ${flow(change)} }`;
    })
    .join('\n');
}

/** The change as commands for a shell. */
export function setLine(experiment: string, changes: readonly LinkChange[]): string {
  return changes
    .map(({ link, direction, change }) => {
      const way = direction === undefined || direction === 'both' ? '' : ` -d ${direction}`;
      const set = Object.entries(change)
        .flatMap(([key, value]) => pairs(key, value))
        .map(shell)
        .join(' ');
      return `netloom set ${shell(`${link}@${experiment}`)} ${set}${way}`;
    })
    .join('\n');
}

function pairs(key: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (key === 'queue' && typeof value === 'object' && 'limit' in value)
    return pairs('queue.limit', value.limit);
  return [`${key}=${typeof value === 'string' ? value : flow(value)}`];
}

function flow(value: unknown): string {
  if (typeof value === 'string') return scalar(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).filter(([, of]) => of !== null && of !== undefined);
  return `{ ${entries.map(([key, of]) => `${key}: ${flow(of)}`).join(', ')} }`;
}

/** A YAML scalar, quoted where it would be read as something else. */
function scalar(text: string): string {
  const harmless = /^[A-Za-z_][\w./-]*$|^[0-9][\w./%-]*[A-Za-z%/][\w./%-]*$/.test(text);
  const word = /^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return harmless && !word ? text : JSON.stringify(plain(text));
}

function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
