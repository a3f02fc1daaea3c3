/** A picture as SVG: vectors, and text as text. The same picture gives the same bytes. Colours are
 * looked up by their tokens, so that the file needs no style sheet. */

import type { Picture, Stroke, Text } from './picture';
import { symbolOf } from './symbols';

export interface SvgOptions {
  readonly width: number;
  readonly height: number;
  /** What the picture is of: its title, for those who cannot see it. */
  readonly title: string;
  /** The value of a token like `--accent`. */
  readonly token: (name: string) => string;
}

/** Writes the picture in pixels of the view that it was made for. */
export function svg(picture: Picture, options: SvgOptions): string {
  const { width, height, title, token } = options;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${number(width)}" height="${number(height)}" fill="${escaped(token('--land'))}"/>`,
    ...picture.ground.map((of) => line(of, token)),
    ...picture.discs.map(
      ({ x, y, radius, dash }) =>
        `<circle cx="${number(x)}" cy="${number(y)}" r="${number(radius)}" fill="${escaped(token('--accent'))}" fill-opacity="${dash ? 0.04 : 0.08}" stroke="${escaped(token('--accent'))}" stroke-width="1.5"${dash ? ' stroke-dasharray="4 4"' : ''}/>`,
    ),
    ...picture.halos.map((of) => line(of, token, ' stroke-linecap="round" opacity="0.24"')),
    ...picture.strokes.map((of) => line(of, token)),
    ...(picture.chevrons.xy.length > 0 ? [line(picture.chevrons, token)] : []),
    ...crosses(picture.crosses, token),
    ...gauges(picture, token),
    ...nodes(picture, token),
    ...rings(picture, token),
    ...texts(picture.texts, token),
    '</svg>',
  ];
  return `${out.filter(Boolean).join('\n')}\n`;
}

type Token = SvgOptions['token'];

/** Two decimals are finer than any screen shows. */
function number(of: number): string {
  const text = String(Math.round(of * 100) / 100);
  return text === '-0' ? '0' : text;
}

/** Text for XML: what is no character there (controls, lone halves of pairs) becomes `U+FFFD`. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function line({ token, width, dash, xy }: Stroke, of: Token, more = ''): string {
  if (xy.length === 0) return '';
  let path = '';
  for (let i = 0; i < xy.length; i += 4) {
    // A place alone is a dot of the line's width.
    const dot = xy[i] === xy[i + 2] && xy[i + 1] === xy[i + 3] ? 0.01 : 0;
    path += `M${number(xy[i])} ${number(xy[i + 1])}L${number(xy[i + 2] + dot)} ${number(xy[i + 3])}`;
  }
  const dashes = dash ? ' stroke-dasharray="6 5"' : '';
  return `<path d="${path}" fill="none" stroke="${escaped(of(token))}" stroke-width="${number(width)}"${dashes}${more}/>`;
}

const circles = (xy: readonly number[], radius: number): string => {
  let path = '';
  for (let i = 0; i < xy.length; i += 2) path += circle(xy[i], xy[i + 1], radius);
  return path;
};
const circle = (x: number, y: number, r: number): string =>
  `M${number(x + r)} ${number(y)}A${number(r)} ${number(r)} 0 1 1 ${number(x - r)} ${number(y)}A${number(r)} ${number(r)} 0 1 1 ${number(x + r)} ${number(y)}Z`;
function crossed(xy: readonly number[], half: number): string {
  let path = '';
  for (let i = 0; i < xy.length; i += 2) {
    const [x, y] = [xy[i], xy[i + 1]];
    path += `M${number(x - half)} ${number(y - half)}L${number(x + half)} ${number(y + half)}M${number(x + half)} ${number(y - half)}L${number(x - half)} ${number(y + half)}`;
  }
  return path;
}
const shape = (path: string, fill: string, stroke: string, width = 1, dash = ''): string =>
  path === ''
    ? ''
    : `<path d="${path}" fill="${escaped(fill)}" stroke="${escaped(stroke)}" stroke-width="${number(width)}"${dash && ` stroke-dasharray="${dash}"`}/>`;

function crosses(xy: readonly number[], token: Token): string[] {
  return [
    shape(circles(xy, 10), token('--land'), 'none'),
    shape(crossed(xy, 5), 'none', token('--drop'), 2.4),
  ];
}

function gauges({ gauges: all, drops }: Picture, token: Token): string[] {
  const drawn = all.map(({ x, y, angle, fill }) => {
    const turn = `translate(${number(x)} ${number(y)}) rotate(${number((angle * 180) / Math.PI)})`;
    const inside = escaped(token(fill >= 0.95 ? '--s4' : '--s2'));
    return `<g transform="${turn}"><rect x="-14.5" y="-5.5" width="29" height="11" fill="${escaped(token('--surface'))}" stroke="${escaped(token('--text-2'))}"/><rect x="-14" y="-5" width="${number(28 * fill)}" height="10" fill="${inside}"/></g>`;
  });
  let path = '';
  for (let i = 0; i < drops.length; i += 2) {
    path += `M${number(drops[i] - 5)} ${number(drops[i + 1] + 5)}L${number(drops[i])} ${number(drops[i + 1] - 5)}L${number(drops[i] + 5)} ${number(drops[i + 1] + 5)}Z`;
  }
  return [...drawn, shape(path, token('--drop'), 'none')];
}

function nodes(picture: Picture, token: Token): string[] {
  const { radius, level } = picture;
  const [text, surface] = [token('--text'), token('--surface')];
  if (level === 'far') {
    let path = '';
    for (const xy of picture.nodes) {
      for (let i = 0; i < xy.length; i += 2)
        path += `M${number(xy[i] - radius)} ${number(xy[i + 1] - radius)}h${number(2 * radius)}v${number(2 * radius)}h${number(-2 * radius)}Z`;
    }
    return [shape(path, token('--text-2'), 'none')];
  }
  const scale = radius / 11;
  const stacks = [7, 3.5].map((off) => {
    const half = radius * 0.8;
    let path = '';
    for (let i = 0; i < picture.stacks.length; i += 2)
      path += `M${number(picture.stacks[i] + off - half)} ${number(picture.stacks[i + 1] - off - half)}h${number(2 * half)}v${number(2 * half)}h${number(-2 * half)}Z`;
    return shape(path, surface, text, 1.2);
  });
  const symbols = picture.nodes.flatMap((xy, kind) => {
    const all: string[] = [];
    for (let i = 0; i < xy.length; i += 2) {
      const { outline, inside } = symbolOf(kind);
      const at = `translate(${number(xy[i])} ${number(xy[i + 1])})`;
      const inner = level === 'near' ? `<path d="${inside}" fill="none" stroke-width="1.3"/>` : '';
      const grown = scale === 1 ? '' : ` transform="scale(${number(scale)})"`;
      all.push(
        `<g transform="${at}" stroke="${escaped(text)}"><path d="${outline}" fill="${escaped(surface)}" stroke-width="${level === 'near' ? 1.8 : 1.4}"${grown}/>${inner}</g>`,
      );
    }
    return all;
  });
  return [
    ...stacks,
    ...symbols,
    shape(circles(picture.kernels, radius + 4), 'none', text, 2),
    shape(circles(picture.generated, radius + 4), 'none', token('--text-3'), 2, '2 3'),
    shape(circles(picture.hollow, radius * 0.62), token('--land'), 'none'),
    shape(crossed(picture.failed, radius), 'none', token('--drop'), 2.4),
  ];
}

function rings(picture: Picture, token: Token): string[] {
  const { radius } = picture;
  const around = picture.rings.map(({ x, y, token: of }) =>
    shape(circle(x, y, radius + 7), 'none', token(of), 2),
  );
  const arcs = picture.arcs.map(({ x, y, from, to, token: of }) => {
    const r = radius + 4;
    // An arc's ends must differ, even if it goes all the way round.
    const [a, b] = [from, Math.min(to, from + 0.9999)].map((turn) => (turn - 0.25) * 2 * Math.PI);
    const [x0, y0, x1, y1] = [
      x + r * Math.cos(a),
      y + r * Math.sin(a),
      x + r * Math.cos(b),
      y + r * Math.sin(b),
    ];
    const path = `M${number(x0)} ${number(y0)}A${number(r)} ${number(r)} 0 ${b - a > Math.PI ? 1 : 0} 1 ${number(x1)} ${number(y1)}`;
    return shape(path, 'none', token(of), 4);
  });
  const hidden =
    circles(picture.hidden, radius + 8) + crossed(picture.hidden, (radius + 8) * Math.SQRT1_2);
  return [...around, ...arcs, shape(hidden, 'none', token('--drop'), 2)];
}

function texts(all: readonly Text[], token: Token): string[] {
  const fonts = {
    name: `font-family="${escaped(token('--sans'))}" font-size="12"`,
    strong: `font-family="${escaped(token('--sans'))}" font-size="12" font-weight="600"`,
    number: `font-family="${escaped(token('--mono'))}" font-size="11"`,
  };
  return (['name', 'strong', 'number'] as const).flatMap((font) => {
    const of = all.filter((text) => text.font === font);
    if (of.length === 0) return [];
    // A halo of the ground's colour keeps texts apart from lines under them.
    const halo = `stroke="${escaped(token('--land'))}" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke"`;
    return [
      `<g ${fonts[font]} text-anchor="middle" dominant-baseline="central" ${halo}>`,
      ...of.map(
        ({ text, x, y, token: colour }) =>
          `<text x="${number(x)}" y="${number(y)}" fill="${escaped(token(colour))}">${escaped(text)}</text>`,
      ),
      '</g>',
    ];
  });
}
