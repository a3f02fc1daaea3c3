// The verdict for the page: never more than `/v1/verdict` says. Pure.

import type { Finding, Judgement, PipeBound, Resource, Verdict, Who } from './types';
import { digits, duration, parsed, percent, plain } from './units';

/** Shape of a judgement, beside its word and its colour. */
export const SHAPES: Record<Judgement, string> = { valid: '●', suspect: '◆', invalid: '■' };

export interface Badge {
  judgement: Judgement;
  shape: string;
  links: Judgement;
  programs: Judgement;
  /** The error bound against what the run needs. */
  bound: string;
  /** Good time of all time, in s; '' if all of it is good. */
  good: string;
  /** What is to be known before one relies on it: not settled yet; '' otherwise. */
  lag: string;
}

/** What the badge says. */
export function badgeOf(verdict: Verdict): Badge {
  return {
    judgement: verdict.judgement,
    shape: SHAPES[verdict.judgement],
    links: verdict.links,
    programs: verdict.programs,
    bound: boundText(verdict),
    good: goodText(verdict),
    lag:
      verdict.to < verdict.settled
        ? `warming up: nothing counts before ${seconds(verdict.settled)} s`
        : '',
  };
}

/** The worst pipe: by the share that is later than needed, then by its 99th percentile. */
export function worstPipe(verdict: Verdict): PipeBound | null {
  const worse = (a: PipeBound, b: PipeBound): PipeBound => {
    if (b.at_most.share !== a.at_most.share) return b.at_most.share > a.at_most.share ? b : a;
    return ns(b.at_most.p99) > ns(a.at_most.p99) ? b : a;
  };
  return verdict.bound.pipes.reduce<PipeBound | null>(
    (worst, pipe) => (worst === null ? pipe : worse(worst, pipe)),
    null,
  );
}

/** The bound in terms of what the run is for, beside what `trust` asks. */
export function boundText(verdict: Verdict): string {
  const { bound, trust } = verdict;
  switch (trust.for) {
    case 'throughput': {
      const lacked = Math.max(0, ...bound.pipes.map(({ rate }) => rate?.share ?? 0));
      return `goodput within ${percent(lacked + bound.engine.share)} of ${text(trust.share)}`;
    }
    case 'functional':
      return `events at most ${measured(bound.timeline.latest)} late of ${text(trust.timeline)}`;
    default: {
      const worst = worstPipe(verdict);
      return worst === null
        ? `no frames yet; needed: ${text(trust.delay)}`
        : `late p99 at most ${measured(worst.at_most.p99)} of ${text(trust.delay)}`;
    }
  }
}

/** Good time of all time that counts. */
export function goodText(verdict: Verdict): string {
  const begin = Math.max(verdict.from, Math.min(verdict.settled, verdict.to));
  const bad = verdict.bad.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, verdict.to) - Math.max(from, begin)),
    0,
  );
  if (bad === 0) return '';
  const all = verdict.to - begin;
  return `good ${digits((all - bad) / 1e9)} s of ${digits(all / 1e9)} s`;
}

/** The rows of the verdict's page: what was needed, and what is at most. */
export function comparisons(verdict: Verdict): { what: string; needed: string; is: string }[] {
  const { bound, trust } = verdict;
  const worst = worstPipe(verdict);
  const rows = [
    {
      what: 'engine stood still, longest',
      needed: text(trust.stall),
      is: measured(bound.engine.longest),
    },
    {
      what: 'frames lost outside the model',
      needed: text(trust.losses),
      is: String(bound.losses.frames),
    },
    {
      what: 'latest event of the timeline',
      needed: text(trust.timeline),
      is: bound.timeline.missed ? 'missed' : measured(bound.timeline.latest),
    },
  ];
  if (worst !== null) {
    const pipe = plain(worst.pipe);
    rows.unshift(
      {
        what: `late, p99, at most (${pipe})`,
        needed: text(trust.delay),
        is: measured(worst.at_most.p99),
      },
      {
        what: `late, p99, seen (${pipe})`,
        needed: text(trust.delay),
        is: measured(worst.late.p99),
      },
      {
        what: `later than ${text(trust.delay)}, at most`,
        needed: text(trust.share),
        is: percent(worst.at_most.share),
      },
    );
  }
  const waited = Math.max(
    0,
    ...bound.nodes.map(({ cpu, memory, disk }) => Math.max(cpu.share, memory.share, disk.share)),
  );
  rows.push({
    what: 'programs waited, most of any node',
    needed: text(trust.waits),
    is: percent(waited),
  });
  return rows;
}

/** Where a finding leads: the pipe or node that it is about, and the first bad time. */
export interface Target {
  link?: string;
  node?: string;
  /** In ns since zero. */
  at?: number;
}

export function targetOf(finding: Finding, verdict: Verdict): Target {
  const on = finding.on ?? null;
  const target: Target = {};
  if (on?.kind === 'pipe') target.link = on.name.replace(/\/(forward|reverse)$/, '');
  const party = on === null ? null : partyOf(on);
  if (party !== null) target.node = party;
  const pipe =
    on?.kind === 'pipe' ? verdict.bound.pipes.find(({ pipe }) => pipe === on.name) : undefined;
  const report = verdict.signals.find(
    (of) => of.signal === finding.signal && (on === null || sameResource(of.on, on)),
  );
  const episode = report?.episodes.find(({ warm_up }) => !warm_up);
  const at = pipe?.bad[0]?.from ?? episode?.from ?? verdict.bad[0]?.from;
  if (at !== undefined) target.at = at;
  return target;
}

/** A CPU of the machine, as the verdict knows it. */
export interface CpuHeld {
  name: string;
  /** For how long it was contended, and its share of all time. */
  held: string;
  share: number;
  /** Whether that was so in the last second. */
  now: boolean;
  /** The parties that used it most meanwhile. */
  whom: string;
}

/** CPUs with what was held against them, and whose work it was. */
export function cpusOf(verdict: Verdict): CpuHeld[] {
  const all = Math.max(1, verdict.to - Math.max(verdict.from, verdict.settled));
  return verdict.signals
    .filter(({ signal, on }) => signal === 'cpu' && on.kind === 'cpu')
    .map(({ on, held, shares, episodes }) => ({
      name: resourceText(on),
      held: ns(held) === 0 ? 'nothing' : duration(ns(held)),
      share: ns(held) / all,
      now: (episodes.at(-1)?.to ?? -Infinity) >= verdict.to - 1e9,
      whom:
        ns(held) === 0
          ? ''
          : shares
              .slice(0, 3)
              .map(({ who, share }) => `${whoText(who)} ${Math.round(share * 100)} %`)
              .join(', '),
    }));
}

/** A party in words. */
export function whoText(who: Who): string {
  if (who.kind === 'node') return `node ${who.name}`;
  return 'name' in who ? plain(who.name) : who.kind === 'engine' ? 'the engine' : who.kind;
}

/** The node of a resource, if it is one node's. */
export function partyOf(on: Resource): string | null {
  if (!('who' in on)) return null;
  const who: Who = on.who;
  return who.kind === 'node' ? who.name : null;
}

function sameResource(a: Resource, b: Resource): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A resource in words. */
export function resourceText(on: Resource): string {
  const words = on.kind.replaceAll('_', ' ');
  if (on.kind === 'cpu') return `CPU ${on.cpu}`;
  if (on.kind === 'losses') return on.cause.replaceAll('_', ' ');
  if ('who' in on) {
    const who = on.who;
    const name = 'name' in who ? plain(who.name) : who.kind;
    return on.kind === 'metric' ? `${plain(on.name)} of ${name}` : `${words} of ${name}`;
  }
  if ('name' in on) return `${words} ${plain(on.name)}`;
  if ('machine' in on) return `${words} of ${plain(on.machine)}`;
  return words;
}

/** What was needed, as it was written. */
const text = (value: unknown): string => plain(String(value ?? '–'));
/** What was measured, with three digits. */
const measured = (value: unknown): string => duration(ns(value));
const ns = (value: unknown): number => parsed(String(value)) ?? 0;
const seconds = (time: number): string => digits(time / 1e9);
