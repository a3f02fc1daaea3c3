import { expect, it } from 'vitest';
import { STEPS, placesOf, type Sight } from './tour';

it('every step can be done, and none is done before it is', () => {
  const places = placesOf(
    ['seattle--denver', 'host-seattle--seattle', 'denver--kansascity'],
    ['seattle', 'denver'],
    undefined,
  );
  expect(places).toEqual({
    bottleneck: 'host-seattle--seattle',
    router: 'denver',
    cut: 'denver--kansascity',
  });
  const nothing: Sight = {
    overlay: 1,
    dock: null,
    mode: 'live',
    links: [],
    shells: [],
    down: [],
    slowed: [],
    programs: 'valid',
  };
  const done: Partial<Sight>[] = [
    { overlay: 3, links: ['host-seattle--seattle'] },
    { shells: ['denver'] },
    { down: ['denver--kansascity'] },
    { slowed: ['host-seattle--seattle'] },
    { programs: 'invalid', overlay: 5 },
    { dock: 'timeline' },
    { dock: 'yaml' },
  ];
  expect(STEPS).toHaveLength(7);
  STEPS.forEach((step, index) => {
    expect(step.done(nothing, places), step.title).toBe(false);
    expect(step.done({ ...nothing, ...done[index] }, places), step.title).toBe(true);
    expect(step.text(places)).not.toContain('undefined');
  });
});

it('another network has places, too', () => {
  expect(placesOf(['a--b', 'b--c'], ['r'], 'b--c')).toEqual({
    bottleneck: 'b--c',
    router: 'r',
    cut: 'a--b',
  });
});
