// What happened, as the page keeps it: bounded, counted, and taken in pieces however fast. Pure.

import { plain } from './units';
import { resourceText } from './verdict';
import type { Event } from './types';

/** An event with what all events have. */
export type Happened = Event & { number: number; time: number; machine?: string | null };

/** Newest events that are kept; the engine keeps as many. */
export const KEPT = 10_000;

/** Newest events, oldest first, and how many there were of each kind. */
export class EventLog {
  readonly kept: Happened[] = [];
  readonly counts = new Map<string, number>();
  /** Events that came, also those that are not kept any more. */
  total = 0;
  /** Number of the next event that is expected. */
  next = 0;
  /** Events between that never came. */
  missed = 0;

  /** Takes the events of one piece of the stream; those that were there already are left out. */
  take(events: readonly Happened[]): Happened[] {
    const fresh = events.filter(({ number }) => number >= this.next);
    for (const event of fresh) {
      this.missed += this.total === 0 ? 0 : event.number - this.next;
      this.next = event.number + 1;
      this.total += 1;
      this.counts.set(event.event, (this.counts.get(event.event) ?? 0) + 1);
      this.kept.push(event);
    }
    if (this.kept.length > KEPT) this.kept.splice(0, this.kept.length - KEPT);
    return fresh;
  }
}

/** Names for kinds of events in filters. */
export const kindText = (kind: string): string => kind.replaceAll('_', ' ');

/** The nodes and links that an event is about. */
export function subjectsOf(event: Happened): { nodes: string[]; links: string[] } {
  const nodes: string[] = [];
  const links: string[] = [];
  if ('node' in event) nodes.push(event.node);
  if ('pair' in event) nodes.push(...event.pair);
  if (event.event === 'changed') links.push(...new Set(event.changes.map(({ link }) => link)));
  if (event.event === 'rerouted') links.push(...event.down);
  if (event.event === 'contention' && event.signal.on.kind === 'pipe') {
    links.push(event.signal.on.name.replace(/\/(forward|reverse)$/, ''));
  }
  return { nodes, links };
}

/** Whether people should look at it. */
export function isGrave(event: Happened): boolean {
  switch (event.event) {
    case 'change_failed':
    case 'process_failed':
    case 'service_ended':
    case 'node_failed':
    case 'memory_killed':
    case 'warning':
      return true;
    case 'contention':
      return event.signal.change !== 'ended';
    case 'expectation':
      return !event.met;
    case 'service_health':
      return !event.healthy;
    case 'process_ended':
    case 'command_ended':
      return event.code !== 0;
    case 'timeline':
      return event.failure !== null && event.failure !== undefined;
    default:
      return false;
  }
}

/** An event in one line. */
export function eventText(event: Happened): string {
  return plain(words(event));
}

function words(event: Happened): string {
  switch (event.event) {
    case 'phase':
      return `phase: ${event.phase}`;
    case 'changed':
      return `${changesText(event.changes)}${by(event.by)}`;
    case 'medium_changed':
      return `medium ${event.medium} changed${by(event.by)}`;
    case 'losses_set':
      return `medium ${event.medium}: losses of ${event.pairs} pairs were set`;
    case 'neighbour': {
      const [a, b] = event.pair;
      return `${a} and ${b} ${event.up ? 'decode each other' : 'no longer decode each other'}`;
    }
    case 'positions':
      return `${event.nodes.length === 1 ? event.nodes[0] : `${event.nodes.length} nodes`} moved`;
    case 'route_changed':
      return `node ${event.node}: route ${route(event.is)} instead of ${route(event.was)}${by(event.by)}`;
    case 'rerouted':
      return event.down.length === 0
        ? 'routes lead over all links'
        : `routes lead around ${event.down.join(', ')}`;
    case 'applied':
      return `applied: ${event.steps.map((step) => `${step.change} ${step.name}`).join(', ')}`;
    case 'change_failed':
      return `a change failed: ${event.reason}`;
    case 'process_started':
      return `${event.process}@${event.node} started, pid ${event.pid}`;
    case 'process_ready':
      return `${event.process}@${event.node} ready`;
    case 'process_ended':
      return `${event.process}@${event.node} ended with code ${event.code}`;
    case 'process_failed':
      return `${event.process}@${event.node} ${event.reason}`;
    case 'service_ready':
      return `service ${event.service}@${event.node} ready`;
    case 'service_health':
      return `service ${event.service}@${event.node} ${event.healthy ? 'does its work again' : 'does not do its work'}`;
    case 'service_ended':
      return `service ${event.service}@${event.node} ended with code ${event.code}`;
    case 'node_failed':
      return `node ${event.node} failed: all in it was killed`;
    case 'node_recovered':
      return `node ${event.node} works again`;
    case 'command_ended':
      return `\`${event.command.join(' ')}\` in ${event.node} ended with code ${event.code}`;
    case 'timeline':
      return `timeline ${event.timeline + 1}: ${event.action}${event.failure ? `: ${event.failure}` : ''}`;
    case 'expectation':
      return `expectation ${event.met ? 'met' : 'not met'}: ${event.process}@${event.node}: ${event.expected}${event.met ? '' : `, but ${event.found}`}`;
    case 'memory_killed':
      return `the kernel killed ${event.processes} processes in ${event.node}: a limit on memory was reached`;
    case 'associated':
      return `${event.node} joined ${event.access_point} on ${event.medium}`;
    case 'handed_over':
      return `${event.node} went from ${event.from} to ${event.to} on ${event.medium}`;
    case 'left':
      return `${event.node} left ${event.access_point} on ${event.medium}`;
    case 'contention':
      return `contention ${event.signal.change}: ${event.signal.signal.replaceAll('_', ' ')} on ${resourceText(event.signal.on)}`;
    case 'warning':
      return `warning: ${event.message}`;
    case 'run_ended':
      return `run ended: ${event.reason.replaceAll('_', ' ')}`;
  }
}

const by = (origin: string): string => (origin === 'timeline' ? '' : ' (by request)');

function route(of: { to: string; via?: string | null } | null | undefined): string {
  if (of === null || of === undefined) return 'none';
  return of.via ? `${of.to} via ${of.via}` : of.to;
}

/** Changes of links in words; the same change of many links once. */
export function changesText(
  changes: readonly { link: string; direction?: string; change: object }[],
): string {
  const groups = new Map<string, string[]>();
  for (const { link, direction, change } of changes) {
    const set = Object.entries(change)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', ');
    const way = direction === undefined || direction === 'both' ? '' : ` (${direction})`;
    const key = `${way}: ${set}`;
    groups.set(key, [...(groups.get(key) ?? []), link]);
  }
  return [...groups]
    .map(
      ([set, links]) =>
        `${links.length <= 3 ? links.join(', ') : `${links.slice(0, 2).join(', ')} and ${links.length - 2} more`}${set}`,
    )
    .join('; ');
}
