// Text of quantities, as everywhere in NetLoom, and numbers of such text. Pure.

type Scale = readonly (readonly [worth: number, unit: string])[];

const RATES: Scale = [
  [1e12, 'Tbit/s'],
  [1e9, 'Gbit/s'],
  [1e6, 'Mbit/s'],
  [1e3, 'kbit/s'],
  [1, 'bit/s'],
];
const DURATIONS: Scale = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'us'],
  [1, 'ns'],
];
const SIZES: Scale = [
  [1 << 30, 'GiB'],
  [1 << 20, 'MiB'],
  [1 << 10, 'KiB'],
  [1, 'B'],
];
const READ: Record<string, number> = {
  'bit/s': 1,
  'kbit/s': 1e3,
  'Mbit/s': 1e6,
  'Gbit/s': 1e9,
  'Tbit/s': 1e12,
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 60e9,
  h: 3600e9,
  B: 1,
  byte: 1,
  bytes: 1,
  kB: 1e3,
  KiB: 1 << 10,
  MB: 1e6,
  MiB: 1 << 20,
  GB: 1e9,
  GiB: 1 << 30,
  packet: 1,
  packets: 1,
  frame: 1,
  frames: 1,
  '%': 0.01,
  '': 1,
};

/** A number with three significant digits, without an exponent. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 || value === 0 ? 0 : size >= 9.995 ? 1 : 2);
}

function scaled(value: number, scale: Scale): string {
  if (!Number.isFinite(value)) return '–';
  const last = scale[scale.length - 1] as readonly [number, string];
  // 999.7 kbit/s would be written `1000 kbit/s`: the next unit begins where rounding leads to it.
  const [worth, unit] = scale.find(([worth]) => Math.abs(value) >= worth * 0.9995) ?? last;
  return `${worth === last[0] ? Math.round(value) : digits(value / worth)} ${unit}`;
}

/** A bit rate for reading: `94.1 Mbit/s`. */
export const rate = (bits: number): string => scaled(bits, RATES);
/** A length of time in ns for reading: `8.71 ms`. */
export const duration = (ns: number): string => scaled(ns, DURATIONS);
/** An amount of bytes for reading: `64.0 KiB`. */
export const size = (bytes: number): string => scaled(bytes, SIZES);
/** A share of one: `0.19 %`. */
export const percent = (share: number): string => {
  const value = share * 100;
  if (value > 0 && value < 0.005) return '<0.01 %';
  return `${digits(value)} %`;
};
/** A count with thin separators: `12 345`. */
export const count = (number: number): string =>
  Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u2009');
/** A number of things: `1 link`, `3 links`. */
export const counted = (number: number, what: string): string =>
  `${count(number)} ${what}${number === 1 ? '' : 's'}`;

/** A time of the experiment in ns: `00:14.2`, `-00:03.0`, `1:02:03.4`. */
export function clock(ns: number, decimals = 1): string {
  if (!Number.isFinite(ns)) return '–';
  const unit = 10 ** decimals;
  const parts = Math.floor((Math.abs(ns) / 1e9) * unit + 1e-6);
  const seconds = Math.floor(parts / unit);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const fraction = decimals > 0 ? `.${String(parts % unit).padStart(decimals, '0')}` : '';
  const text = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
  return `${ns < 0 && parts > 0 ? '-' : ''}${hours > 0 ? `${hours}:` : ''}${text}`;
}

/** A quantity as a scenario writes it, exactly: `12.5Mbit/s`, `20ms`, `64KiB`. */
export function written(value: number, kind: 'rate' | 'duration' | 'size'): string {
  const scale = { rate: RATES, duration: DURATIONS, size: SIZES }[kind];
  const whole = Math.round(value);
  if (whole === 0) return `0${(scale[scale.length - 1] as readonly [number, string])[1]}`;
  for (const [worth, unit] of scale) {
    const text = String(whole / worth);
    if (Math.abs(whole) >= worth && text.length <= 7 && !text.includes('e'))
      return `${text}${unit}`;
  }
  const [worth, unit] = scale[scale.length - 1] as readonly [number, string];
  return `${whole / worth}${unit}`;
}

/** The value of a written quantity in bit/s, ns, bytes, packets or a share; `null` if it is none. */
export function parsed(text: string): number | null {
  const found = /^\s*([0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?)\s*([^\s0-9]*)\s*$/.exec(text);
  const worth = found === null ? undefined : READ[found[2] as string];
  return found === null || worth === undefined ? null : Number(found[1]) * worth;
}

/**
 * Text of others with every character written out that would change how the text around it is
 * read: controls, and characters that change the direction of writing.
 */
export function plain(text: string): string {
  const obeyed =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
  return text.replace(obeyed, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
