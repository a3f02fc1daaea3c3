import { describe, expect, it } from 'vitest';
import golden from '../generated/live-golden.json';
import { decodeLive, type PipeFrame } from '../generated/live';
import { History } from './history';
import { FULL, Pipes, UNKNOWN } from './pipes';

function frame(
  time: number,
  rows: [pipe: number, delivered: number, state?: number][],
  revision = 1,
): PipeFrame {
  const column = (of: (row: (typeof rows)[number]) => number) => Float32Array.from(rows, of);
  return {
    kind: 'pipes',
    whole: false,
    last: true,
    count: rows.length,
    time,
    interval: 0.25,
    revision,
    tick: 0,
    index: Uint32Array.from(rows, ([pipe]) => pipe),
    offered: column(([, delivered]) => delivered),
    delivered: column(([, delivered]) => delivered),
    drops: column(() => 0),
    queued: Uint32Array.from(rows, () => 1500),
    fill: column(() => 0.5),
    busy: column(() => 0.25),
    state: Uint8Array.from(rows, ([, , state]) => state ?? 0),
  };
}

describe('pipes', () => {
  it('keep what did not change', () => {
    const pipes = new Pipes(4, 1);
    expect(pipes.is(2, UNKNOWN)).toBe(true);
    pipes.take(
      frame(1, [
        [0, 1e6],
        [2, 5e6, FULL],
      ]),
    );
    pipes.take(frame(2, [[0, 0]]));
    expect([...pipes.delivered]).toEqual([0, 0, 5e6, 0]);
    expect(pipes.is(2, FULL)).toBe(true);
    expect(pipes.time).toBe(2);
    expect(pipes.peak).toBe(5e6);
  });
  it('refuse frames of another network', () => {
    const pipes = new Pipes(2, 1);
    expect(pipes.take(frame(1, [[0, 1]], 2))).toBe(false);
    expect(
      pipes.take(
        frame(1, [
          [7, 1],
          [1, 3],
        ]),
      ),
    ).toBe(true);
    expect(pipes.refused).toBe(2);
    expect([...pipes.delivered]).toEqual([0, 3]);
  });
});

describe('the history of pipes', () => {
  it('has seconds of all that carried something, and all frames of watched ones', () => {
    const pipes = new Pipes(4, 1);
    const history = new History();
    for (let quarter = 0; quarter < 20; quarter += 1) {
      pipes.take(frame(quarter / 4, [[0, quarter + 1]]));
      if (quarter === 10) history.watch([0]);
      history.take(pipes);
    }
    const [times, offered] = history.of(0, -Infinity);
    expect(times).toEqual([0, 1, 2, 2.5, 2.75, 3, 3.25, 3.5, 3.75, 4, 4.25, 4.5, 4.75]);
    expect(offered?.[0]).toBe(1);
    expect(offered?.at(-1)).toBe(20);
    expect(history.of(1, 0)[0]).toEqual([]);
    expect(history.aligned([0, 1], 'offered', 4)).toEqual([
      [4, 4.25, 4.5, 4.75],
      [17, 18, 19, 20],
      [null, null, null, null],
    ]);
    history.watch([]);
    expect(history.of(0, 0)[0]).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('frames', () => {
  const bytes = (hex: string) =>
    Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)).buffer;
  it('are what the engine says that they are', () => {
    expect(golden.frames.length).toBeGreaterThan(2);
    for (const { hex, ...wanted } of golden.frames) {
      const frame = decodeLive(bytes(hex)) as unknown as Record<string, unknown>;
      for (const [key, value] of Object.entries(wanted)) {
        const is = frame[key];
        expect(ArrayBuffer.isView(is) ? [...(is as Uint8Array)] : is, key).toEqual(
          Array.isArray(value) && is instanceof Float32Array ? value.map(Math.fround) : value,
        );
      }
    }
  });
  it('cut short, or of another version, are none', () => {
    const whole = bytes(golden.frames[0]?.hex ?? '');
    for (const length of [0, 1, 31, whole.byteLength - 1])
      expect(decodeLive(whole.slice(0, length))).toBeNull();
    const other = whole.slice(0);
    new Uint8Array(other)[0] = 9;
    expect(decodeLive(other)).toBeNull();
  });
});
