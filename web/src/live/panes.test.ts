import { describe, expect, it } from 'vitest';
import { EMPTY, MOST_PANES, closed, focused, opened, split, type Layout } from './panes';
import { pasteOf } from './paste';

describe('panes of terminals', () => {
  it('open in tabs and beside each other', () => {
    const layout = split(split(opened(opened(EMPTY, 1), 2), 3), 4);
    expect(layout).toEqual({
      tabs: [
        { id: 1, panes: [1] },
        { id: 2, panes: [2, 3, 4] },
      ],
      tab: 2,
      pane: 4,
    });
    expect(split(focused(layout, 2), 5).tabs[1]?.panes).toEqual([2, 5, 3, 4]);
    expect(closed(layout, 4)).toMatchObject({ tab: 2, pane: 3 });
    expect(closed(opened(EMPTY, 1), 1)).toEqual(EMPTY);
  });
  it('whatever is done, the keys go to a pane that is shown', () => {
    let layout: Layout = EMPTY;
    for (let step = 1, seed = 7; step < 2000; step += 1) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      const all = layout.tabs.flatMap(({ panes }) => panes);
      const some = all[seed % Math.max(1, all.length)] ?? 0;
      const what = seed % 5;
      layout =
        what === 0
          ? opened(layout, step)
          : what < 3
            ? split(layout, step)
            : what === 3
              ? closed(layout, some)
              : focused(layout, some);
      const shown = layout.tabs.find(({ id }) => id === layout.tab);
      expect(layout.pane === null).toBe(layout.tabs.length === 0);
      if (layout.pane !== null) expect(shown?.panes).toContain(layout.pane);
      expect(layout.tabs.every(({ panes }) => panes.length <= MOST_PANES)).toBe(true);
    }
  });
});

it('a paste that would run something asks', () => {
  expect(pasteOf('ls -l')).toEqual({ text: 'ls -l', lines: 1, asks: false });
  expect(pasteOf('rm -rf x\r\n')).toEqual({ text: 'rm -rf x\n', lines: 1, asks: true });
  expect(pasteOf('a\rb\nc')).toMatchObject({ lines: 3, asks: true });
});
