import { describe, expect, it } from 'vitest';
import type { Verdict } from './types';
import {
  badgeOf,
  comparisons,
  cpusOf,
  goodText,
  resourceText,
  targetOf,
  worstPipe,
} from './verdict';

const S = 1e9;
const late = (p99: string, share: number) => ({
  p50: '1us',
  p99,
  p999: p99,
  max: p99,
  beyond: 0,
  share,
});
const none = { bad: [], longest: '0ns', share: 0, times: 0, waited: '0ns' };

function verdict(of: object = {}): Verdict {
  return {
    judgement: 'suspect',
    links: 'suspect',
    programs: 'valid',
    from: -2 * S,
    settled: 1 * S,
    to: 15.2 * S,
    trust: {
      for: 'delay',
      delay: '1ms',
      share: '1%',
      stall: '50ms',
      losses: 0,
      timeline: '10ms',
      waits: '5%',
    },
    findings: [
      {
        about: 'links',
        judgement: 'suspect',
        signal: 'lateness',
        why: 'frames of b--c/forward',
        on: { kind: 'pipe', name: 'b--c/forward' },
      },
    ],
    bound: {
      engine: none,
      losses: { frames: 0, perhaps: 0, buffers: 0 },
      timeline: { latest: '2ms', missed: false },
      nodes: [{ node: 'n', cpu: { ...none, share: 0.02 }, memory: none, disk: none }],
      pipes: [
        {
          pipe: 'a--b/forward',
          frames: 9,
          late: late('5us', 0),
          at_most: late('41us', 0),
          bad: [],
          doubtful: [],
        },
        {
          pipe: 'b--c/forward',
          frames: 9,
          late: late('41us', 0),
          at_most: late('310272ns', 0.02),
          bad: [{ from: 11.6 * S, to: 11.9 * S }],
          doubtful: [],
        },
      ],
    },
    bad: [
      { from: 0.5 * S, to: 1.1 * S },
      { from: 11.6 * S, to: 11.9 * S },
    ],
    signals: [
      {
        signal: 'cpu',
        on: { kind: 'cpu', cpu: 1 },
        held: '300ms',
        episodes: [],
        shares: [{ amount: 1, share: 0.9, who: { kind: 'node', name: 'hog' } }],
      },
    ],
    coverage: [],
    overhead: { monitoring_ns: 0, notification_ns: 0, share: 0 },
    ...of,
  } as unknown as Verdict;
}

describe('the badge', () => {
  it('says both judgements, and the bound against what is needed', () => {
    expect(badgeOf(verdict())).toEqual({
      judgement: 'suspect',
      shape: '◆',
      links: 'suspect',
      programs: 'valid',
      bound: 'late p99 at most 310 us of 1ms',
      good: 'good 13.8 s of 14.2 s',
      lag: '',
    });
  });
  it('says that nothing counts before the warm-up is over', () => {
    expect(badgeOf(verdict({ to: 0.5 * S })).lag).toContain('warming up');
  });
  it('speaks of what the run is for', () => {
    const trust = (of: string) => ({ ...verdict().trust, for: of });
    expect(badgeOf(verdict({ trust: trust('functional') })).bound).toBe(
      'events at most 2.00 ms late of 10ms',
    );
    expect(badgeOf(verdict({ trust: trust('throughput') })).bound).toBe('goodput within 0 % of 1%');
    expect(badgeOf(verdict({ bound: { ...verdict().bound, pipes: [] } })).bound).toBe(
      'no frames yet; needed: 1ms',
    );
  });
  it('leaves out nothing if nothing is bad', () => {
    expect(goodText(verdict({ bad: [] }))).toBe('');
  });
});

describe('the page of the verdict', () => {
  it('is about the worst pipe', () => {
    expect(worstPipe(verdict())?.pipe).toBe('b--c/forward');
    const rows = comparisons(verdict());
    expect(rows[0]).toEqual({
      what: 'late, p99, at most (b--c/forward)',
      needed: '1ms',
      is: '310 us',
    });
    expect(rows.at(-1)).toEqual({
      what: 'programs waited, most of any node',
      needed: '5%',
      is: '2.00 %',
    });
  });
  it('leads from a finding to its link, its node and its time', () => {
    const [finding] = verdict().findings;
    expect(finding && targetOf(finding, verdict())).toEqual({ link: 'b--c', at: 11.6 * S });
    const waited = {
      about: 'programs',
      judgement: 'invalid',
      signal: 'run_queue',
      why: '',
      on: { kind: 'run_queue', who: { kind: 'node', name: 'hog' } },
    } as const;
    expect(targetOf(waited, verdict())).toEqual({ node: 'hog', at: 0.5 * S });
  });
  it('names the CPU and the node', () => {
    const [cpu] = cpusOf(verdict());
    expect(cpu).toMatchObject({ name: 'CPU 1', held: '300 ms', now: false, whom: 'node hog 90 %' });
    expect(cpu?.share).toBeCloseTo(0.3 / 14.2);
  });
  it('has words for resources, also with names of others', () => {
    expect(resourceText({ kind: 'pipe', name: 'a\u202eb/forward' })).toBe('pipe a\\u202eb/forward');
    expect(resourceText({ kind: 'run_queue', who: { kind: 'node', name: 'x' } })).toBe(
      'run queue of x',
    );
    expect(resourceText({ kind: 'losses', cause: 'device_full' })).toBe('device full');
    expect(resourceText({ kind: 'metric', name: 'fps', who: { kind: 'engine' } })).toBe(
      'fps of engine',
    );
  });
});
