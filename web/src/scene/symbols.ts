/** The symbols of the five kinds of nodes as SVG paths around (0, 0), in the order of `KINDS`;
 * outlines at a radius of 11. `canvas/paint.ts` draws the same. */

export interface Shape {
  readonly outline: string;
  readonly inside: string;
}

const circle = (r: number): string => `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`;

/** A box with round corners. */
const box = (w: number, h: number, r: number): string =>
  `M${r - w} ${-h}H${w - r}A${r} ${r} 0 0 1 ${w} ${r - h}V${h - r}A${r} ${r} 0 0 1 ${w - r} ${h}H${r - w}A${r} ${r} 0 0 1 ${-w} ${h - r}V${r - h}A${r} ${r} 0 0 1 ${r - w} ${-h}Z`;

/** An arrow's head at its point. */
const head = (x: number, y: number, dx: number, dy: number): string =>
  `M${x + dx} ${y + dy}L${x} ${y}L${x + dx} ${y - dy}`;

const hexagon = (r: number): string =>
  `M${[0, 1, 2, 3, 4, 5]
    .map((k) => [Math.cos((k * Math.PI) / 3) * r, Math.sin((k * Math.PI) / 3) * r])
    .map(([x, y]) => `${x.toFixed(3)} ${y.toFixed(3)}`)
    .join('L')}Z`;

const SYMBOLS: readonly Shape[] = [
  { outline: box(8, 8, 3), inside: 'M-4.5 -4.5h9v6h-9ZM-4 4H4' },
  {
    outline: circle(11),
    inside: `M-5 0H5M0 -5V5${head(5, 0, -2.4, -2.4)}${head(-5, 0, 2.4, -2.4)}`,
  },
  {
    outline: box(12, 7.5, 2),
    inside: `M-6 -2.2H6${head(6, -2.2, -2.4, -2.4)}M-6 2.6H6${head(-6, 2.6, 2.4, -2.4)}`,
  },
  { outline: circle(8), inside: circle(3.5) + circle(12) },
  { outline: hexagon(10), inside: `M-4 0H5${head(5, 0, -3, -3)}` },
];

export const symbolOf = (kind: number): Shape => SYMBOLS[kind] ?? SYMBOLS[0];
