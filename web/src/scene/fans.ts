/** Links that join the same two nodes: side by side as a fan, or as one bundle if there are many. */

/** More parallel links than these are drawn as one, with their number. */
export const FAN = 8;

export interface Fans {
  /** Place of each link across its fan, in steps from the middle: …, -1, -0.5, 0, 0.5, 1, … It is
   * for the direction from the node with the smaller index to the other. */
  readonly step: Float32Array;
  /** How many links a line stands for: 1, or all of a bundle; 0 is drawn by another of its bundle. */
  readonly bundle: Uint16Array;
}

export function fans(a: Uint32Array, b: Uint32Array): Fans {
  const step = new Float32Array(a.length);
  const bundle = new Uint16Array(a.length).fill(1);
  const groups = new Map<number, number[]>();
  for (let i = 0; i < a.length; i++) {
    const key = Math.min(a[i], b[i]) * 2 ** 26 + Math.max(a[i], b[i]);
    const group = groups.get(key);
    if (group) group.push(i);
    else groups.set(key, [i]);
  }
  for (const group of groups.values()) {
    if (group.length > FAN) {
      for (const link of group) bundle[link] = 0;
      bundle[group[0]] = group.length;
    } else if (group.length > 1) {
      group.forEach((link, i) => (step[link] = i - (group.length - 1) / 2));
    }
  }
  return { step, bundle };
}
