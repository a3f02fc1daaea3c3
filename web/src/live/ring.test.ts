import { describe, expect, it } from 'vitest';
import { Ring } from './ring';

describe('a ring of values', () => {
  it('keeps the newest', () => {
    const ring = new Ring(3, 1, 10);
    for (let time = 1; time <= 5; time += 1) ring.push(time, [time * 2]);
    expect(ring.since(-Infinity)).toEqual([
      [3, 4, 5],
      [6, 8, 10],
    ]);
    expect(ring.since(4)).toEqual([
      [4, 5],
      [8, 10],
    ]);
    expect(ring.last(0)).toBe(10);
    expect(ring.length).toBe(3);
  });
  it('shows a gap as a gap', () => {
    const ring = new Ring(10, 1, 2);
    ring.push(1, [1]);
    ring.push(2, [1]);
    ring.push(8, [1]);
    expect(ring.since(0)).toEqual([
      [1, 2, 5, 8],
      [1, 1, null, 1],
    ]);
  });
  it('takes no row twice and none from the past', () => {
    const ring = new Ring(10, 2, 2);
    ring.push(3, [1, 1]);
    ring.push(3, [2]);
    ring.push(2, [9, 9]);
    expect(ring.since(0)).toEqual([[3], [2], [null]]);
    expect(new Ring(1, 1, 1).last(0)).toBeNaN();
  });
});
