import { expect, it } from 'vitest';
import { Pace } from './refresher';

it('asks once for many wishes, and for at most a tenth of the time', () => {
  const pace = new Pace(250);
  let [asked, busy] = [0, 0];
  for (let now = 0; now < 60_000; now += 1) {
    pace.want();
    if (pace.due(now)) {
      asked += 1;
      busy += 100;
      pace.answered(now + 100, 100);
    }
  }
  expect(asked).toBe(60);
  expect(busy / 60_000).toBeLessThanOrEqual(0.1);
});

it('asks for nothing that nobody wants, and not twice at once', () => {
  const pace = new Pace(10);
  expect(pace.due(0)).toBe(true);
  pace.want();
  expect(pace.due(1_000_000)).toBe(false);
  pace.answered(1_000_000, 1);
  expect(pace.due(1_000_009)).toBe(false);
  expect(pace.due(1_000_010)).toBe(true);
  pace.answered(1_000_011, 1);
  expect(pace.due(2_000_000)).toBe(false);
});
