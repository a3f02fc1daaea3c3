import { describe, expect, it } from 'vitest';
import { clock, count, duration, parsed, percent, plain, rate, size, written } from './units';

describe('quantities for reading', () => {
  it('have three significant digits', () => {
    expect(rate(94_123_000)).toBe('94.1 Mbit/s');
    expect(rate(949e6)).toBe('949 Mbit/s');
    expect(rate(999_700)).toBe('1.00 Mbit/s');
    expect(rate(12)).toBe('12 bit/s');
    expect(rate(0)).toBe('0 bit/s');
    expect(duration(8_712_000)).toBe('8.71 ms');
    expect(size(65_536)).toBe('64.0 KiB');
    expect(percent(0.0019)).toBe('0.19 %');
    expect(percent(1e-7)).toBe('<0.01 %');
    expect(count(1_234_567)).toBe('1\u2009234\u2009567');
  });
  it('say nothing where nothing is known', () => {
    expect(rate(NaN)).toBe('–');
    expect(clock(Infinity)).toBe('–');
  });
  it('count the experiment’s time from zero', () => {
    expect(clock(14_249_000_000)).toBe('00:14.2');
    expect(clock(-3e9)).toBe('-00:03.0');
    expect(clock(3_723e9, 0)).toBe('1:02:03');
    expect(clock(-1)).toBe('00:00.0');
  });
});

describe('written quantities', () => {
  it('are read again as the same number', () => {
    const kinds = [
      ['rate', 12_500_000],
      ['duration', 5_697_000],
      ['size', 65_536],
      ['rate', 1],
    ] as const;
    for (const [kind, value] of kinds) expect(parsed(written(value, kind))).toBe(value);
    expect(written(12_500_000, 'rate')).toBe('12.5Mbit/s');
    expect(written(20e6, 'duration')).toBe('20ms');
    expect(written(0, 'duration')).toBe('0ns');
    for (let value = 1; value < 1e12; value = value * 3 + 7) {
      expect(parsed(written(value, 'rate'))).toBeCloseTo(value, 0);
    }
  });
  it('are refused without a known unit', () => {
    expect(parsed('0.1%')).toBeCloseTo(0.001);
    expect(parsed('100packets')).toBe(100);
    expect(parsed('10Mbps')).toBeNull();
    expect(parsed('fast')).toBeNull();
    expect(parsed('')).toBeNull();
  });
});

it('text of others cannot turn the text around it', () => {
  expect(plain('a\u001b]52;c;eA==\u0007b\u202ec')).toBe('a\\u001b]52;c;eA==\\u0007b\\u202ec');
  expect(plain('two\nlines\tand ü')).toBe('two\nlines\tand ü');
});
