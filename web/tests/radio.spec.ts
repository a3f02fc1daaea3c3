/** Radio in the browser: what the map draws is what the engine says, and what a hand moves there has
 * moved. */

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until, type Ui } from './harness';
import { find, inspect, Labs, rowsOf } from './lab';

const labs = new Labs();

interface Neighbours {
  node: string;
  neighbours: { node: string; decodes: boolean; hidden_from?: string[] }[];
}
type Positions = Record<string, { x: number; y: number }>;

/** Shows the map of radio, and waits until the page knows who hears whom. */
async function map(page: Page): Promise<void> {
  await page.getByRole('application').focus();
  await page.keyboard.press('9');
  await page.getByLabel('Legend').getByText('a 1500-byte packet arrives').waitFor();
}

const positions = (own: Ui, name: string): Promise<Positions> => inspect(own, name, '--positions');

const MOVING = `name: lab
topology:
  defaults: { node: { ipv6: none } }
  media:
    air: { preset: wavelan, propagation: two_ray_ground, members: [manet] }
  groups:
    manet:
      mobility: { random_waypoint: { area: [900m, 300m], speed: [10m/s, 20m/s] } }
  nodes: { "n[1-12]": { group: manet } }
trust: { for: functional }
`;

test('pairs and hidden stations of a network on the move are those of the engine, ten times', async () => {
  const { own, page, name } = await labs.deployed(MOVING);
  // Answers as they come, as the table writes them: all pairs, and those of the selected sender.
  const pairsOf = (all: Neighbours[]): string =>
    all
      .flatMap(({ node, neighbours }) =>
        neighbours.map((of) => `${node} ${of.node} ${of.decodes ? 'decodes' : 'senses'}`),
      )
      .toSorted()
      .join('\n');
  const hiddenOf = (of: Neighbours[]): string =>
    of
      .flatMap(({ neighbours }) =>
        neighbours.map((one) => `${one.node}: ${(one.hidden_from ?? []).toSorted().join(' ')}`),
      )
      .toSorted()
      .join('\n');
  const [pairs, hidden]: [string[], string[]] = [[], []];
  page.on('response', async (response) => {
    const path = new URL(response.url()).pathname;
    if (!response.ok() || !path.includes('/v1/neighbours')) return;
    const answer = (await response.json().catch(() => null)) as Neighbours[] | null;
    if (answer === null) return;
    if (path.endsWith('/v1/neighbours')) pairs.push(pairsOf(answer));
    else hidden.push(hiddenOf(answer));
  });
  await map(page);
  await find(page, 'n7');
  await page.getByRole('application').focus();
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'Overlay', exact: true }).click();
  /** What is drawn, as the table has it, and whether it is one of the newest answers. */
  const drawn = async (): Promise<[string, string]> => {
    const rows = (await rowsOf(page)).filter(([, to]) => to !== '–');
    const all = rows.map(([from, to, , , , hears]) => `${from} ${to} ${hears}`);
    const ofSender = rows.filter(([from]) => from === 'n7');
    const by = ofSender.map((row) => `${row[1]}: ${row[8].split(', ').toSorted().join(' ')}`);
    return [all.toSorted().join('\n'), by.toSorted().join('\n')];
  };
  for (let k = 0; k < 10; k++) {
    const before = [pairs.length, hidden.length];
    await until(
      'other answers',
      () => pairs.length > before[0] && hidden.length > before[1],
      (yes) => yes,
    );
    const [all, by] = await until(
      'what is drawn',
      drawn,
      ([all, by]) => pairs.slice(-3).includes(all) && hidden.slice(-3).includes(by),
    );
    expect(pairs.slice(before[0] - 1)).toContain(all);
    expect(hidden.slice(before[1] - 1)).toContain(by);
  }
  expect(new Set(pairs).size).toBeGreaterThan(1);
  // The command line agrees that there are pairs at all.
  const told = await inspect<Neighbours[]>(own, name, '--neighbours', 'n7');
  expect(told[0]?.node).toBe('n7');
});

const HIDDEN = readFileSync('../examples/hidden/netloom.yaml', 'utf8')
  .replace(/^duration[\s\S]*?topology/m, 'topology')
  .replace(/^timeline[\s\S]*/m, '');

test('a station that is dragged is where it was let go, and its neighbours are others', async () => {
  const { own, page, name } = await labs.deployed(HIDDEN);
  await map(page);
  await find(page, 'a');
  const legend = page.getByLabel('Legend');
  await legend.getByText('hidden from a: 1').waitFor();
  const aside = page.locator('aside');
  expect(await aside.innerText()).toContain('c, at b');
  const before = await inspect<Neighbours[]>(own, name, '--neighbours', 'a');
  expect(before[0]?.neighbours.map((of) => [of.node, of.hidden_from])).toEqual([['b', ['c']]]);

  // By mouse: c is in the middle of the canvas once it was found.
  await find(page, 'c');
  const box = await page.getByRole('application').boundingBox();
  if (box === null) throw new Error('no canvas');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 30, y - 30, { steps: 4 });
  await page.mouse.move(x - 60, y - 40, { steps: 4 });
  await page.mouse.up();
  const said = await until(
    'the page says where it is',
    () => page.locator('footer .said').innerText(),
    (text) => text.startsWith('c is at ['),
  );
  const [, east, north] = /\[([-\d.]+)m, ([-\d.]+)m\]/.exec(said) ?? [];
  const there = (await positions(own, name)).c;
  expect(there.x).toBeCloseTo(Number(east), 2);
  expect(there.y).toBeCloseTo(Number(north), 2);
  expect(there.x).toBeLessThan(400);
  expect(there.y).toBeGreaterThan(0);

  // By keyboard: on to where a hears it, an arrow at a time.
  await page.getByRole('application').focus();
  await until(
    'a and c hear each other',
    async () => {
      await page.keyboard.press('Shift+ArrowLeft');
      return (await inspect<Neighbours[]>(own, name, '--neighbours', 'c'))[0]?.neighbours.map(
        (of) => of.node,
      );
    },
    (nodes) => nodes?.includes('a') === true,
  );
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('log').getByText('a and c decode each other').first().waitFor();
  await find(page, 'a');
  await legend.getByText('hidden from a: 0').waitFor();
  const pair = aside.getByRole('row').filter({ hasText: 'c' });
  await pair.first().waitFor();

  // By the panel, exactly: far away, nobody hears it any more.
  await find(page, 'c');
  await aside.getByLabel('Metres to the east').fill('5000');
  await aside.getByLabel('Metres to the north').fill('-7.5');
  await page.keyboard.press('Enter');
  await until(
    'the position',
    async () => (await positions(own, name)).c,
    ({ x, y }) => x === 5000 && y === -7.5,
  );
  await aside.getByText('Nobody hears it.').waitFor();
  await page.getByRole('log').getByText('no longer decode each other').first().waitFor();
  // Its radio can be switched off.
  await find(page, 'b');
  await aside.getByRole('button', { name: 'Radio off' }).click();
  await until(
    'the radio of b',
    () => inspect<Neighbours[]>(own, name, '--neighbours', 'a'),
    (all) => all.every((of) => of.neighbours.length === 0),
  );
});
