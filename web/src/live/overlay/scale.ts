// From numbers of pipes to levels of colour and widths. Pure.

/** Three steps, a power of ten apart, of which the last is nearest to `peak`: 1, 10, 100 Mbit/s. */
export function steps(peak: number): [number, number, number] {
  const top = 10 ** Math.round(Math.log10(Math.max(peak, 1e6)));
  return [top / 100, top / 10, top];
}

/** Level 1…3 of the step that a value is nearest to, 0 of a value far below the first. */
export function levelOf(value: number, of: readonly [number, number, number]): number {
  return of.filter((step) => value >= step / Math.sqrt(10)).length;
}

/** Width in px of a value: 1 at nothing, 7 at ten times the last step, by the logarithm. */
export function widthOf(value: number, [low, , high]: readonly [number, number, number]): number {
  if (!(value > 0)) return 1;
  const share = Math.log(value / (low / 10)) / Math.log((high * 10) / (low / 10));
  return 1 + 6 * Math.min(1, Math.max(0, share));
}

/** A busy share as a level: 1 % is something, from 95 % on the line is at its limit. */
export function levelOfShare(share: number): number {
  return share >= 0.95 ? 4 : share >= 0.7 ? 3 : share >= 0.3 ? 2 : share >= 0.01 ? 1 : 0;
}
