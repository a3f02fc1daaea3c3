// From numbers of pipes to levels of colour and widths. Pure.

/** Three thresholds, a power of ten apart, so that `peak` is above the last: 1, 10, 100 Mbit/s. */
export function steps(peak: number): [number, number, number] {
  const top = 10 ** Math.floor(Math.log10(Math.max(peak, 1e6)) + 1e-9);
  return [top / 100, top / 10, top];
}

/** Level 0…3 of a value by thresholds: how many it reaches. */
export function levelOf(value: number, [low, middle, high]: readonly [number, number, number]): number {
  return value >= high ? 3 : value >= middle ? 2 : value >= low ? 1 : 0;
}

/** Width in px of a value: 1 at nothing, 7 at ten times the last threshold, by the logarithm. */
export function widthOf(value: number, [low, , high]: readonly [number, number, number]): number {
  if (!(value > 0)) return 1;
  const share = Math.log(value / (low / 10)) / Math.log((high * 10) / (low / 10));
  return 1 + 6 * Math.min(1, Math.max(0, share));
}

/** A busy share as a level: 1 % is something, from 95 % on the line is at its limit. */
export function levelOfShare(share: number): number {
  return share >= 0.95 ? 4 : share >= 0.7 ? 3 : share >= 0.3 ? 2 : share >= 0.01 ? 1 : 0;
}
