/** Three tasks as a new user would do them, each by keyboard and by mouse. What they lead to is read
 * by the command line. */

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until, type Ui } from './harness';
import { find, inspect, Labs } from './lab';

const labs = new Labs();
const canvas = (page: Page) => page.getByRole('application');
const valid = (page: Page) => page.getByRole('button', { name: /^(● valid|◆ \d+ warning)/ });

interface Inspected {
  links: {
    name: string;
    forward: { config: { rate: string; state: string } };
    reverse: { config: { rate: string; state: string } };
  }[];
}

/** Presses a key on the canvas and waits until the page has said what it did. */
async function press(page: Page, key: string, says: RegExp): Promise<void> {
  await page.keyboard.press(key);
  await until(
    `${key} says ${says}`,
    () => page.locator('footer .said').innerText(),
    (text) => says.test(text),
  );
}

const SERVICES = '{ ospf: { hello: 1, dead: 4 } }';

/** Gives both routers OSPF by the form, saves, deploys, and waits until routes are there. */
async function deployOspf(own: Ui, page: Page, name: string, mouse: boolean): Promise<void> {
  for (const router of ['router1', 'router2']) {
    await find(page, router);
    const field = page.getByLabel('services', { exact: true });
    if (mouse) await field.click();
    else await field.focus();
    await page.keyboard.type(SERVICES);
    await page.keyboard.press('Enter');
    await until(
      'services are in the file',
      () => field.inputValue(),
      (text) => text.includes('ospf'),
    );
  }
  await valid(page).waitFor();
  own.experiments.add(name);
  if (mouse) await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  else {
    await canvas(page).focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('deploy');
    await page.keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
  await page.locator('button.verdict').waitFor({ timeout: 90_000 });
  await routed(own, name, 90_000);
}

/** Waits until host2 is reached from host1, by OSPF of version 4. */
const routed = (own: Ui, name: string, limit: number): Promise<unknown> =>
  until(
    'host1 reaches host2',
    () => own.netloom('exec', `host1@${name}`, 'ping', '-4', '-c', '1', '-W', '1', 'host2'),
    ({ code }) => code === 0,
    limit,
  );

/** The links between the routers that are up, and those that are down. */
async function between(own: Ui, name: string): Promise<{ up: string[]; down: string[] }> {
  const { links } = await inspect<Inspected>(own, name);
  const both = links.filter((of) => /router.*router/.test(of.name));
  const is = (state: string) =>
    both.filter((of) => of.forward.config.state === state).map((of) => of.name);
  return { up: is('up'), down: is('down') };
}

/** A new scenario of a name of its own: experiments of a machine share their names. */
async function fresh(own: Ui, page: Page, name: string): Promise<void> {
  own.write('netloom.yaml', `name: ${name}\n\ntopology:\n  nodes: {}\n  links: []\n`);
  await page.getByRole('navigation').getByRole('button', { name: 'netloom.yaml' }).click();
  await until(
    'the empty drawing',
    () => canvas(page).getAttribute('aria-label'),
    (text) => /0 nodes/.test(text ?? ''),
  );
}

test('a lab of two routers with OSPF, of which a link is cut: by keyboard', async () => {
  const name = `ospfk${process.pid}`;
  const { own, page } = await labs.folder({
    'netloom.yaml': `name: ${name}\ntopology: { nodes: { } }\n`,
  });
  await fresh(own, page, name);
  await canvas(page).focus();
  for (const [key, node] of [
    ['h', 'host1'],
    ['r', 'router1'],
    ['r', 'router2'],
    ['h', 'host2'],
  ]) {
    await press(page, key, new RegExp(`add ${node}`));
  }
  // Twice between the routers.
  for (const [from, to] of [
    ['host1', 'router1'],
    ['router1', 'router2'],
    ['router1', 'router2'],
    ['router2', 'host2'],
  ]) {
    await valid(page).waitFor();
    await find(page, from);
    await canvas(page).focus();
    await press(page, 'l', new RegExp(`link from ${from}`));
    // The other end is found by its name, wherever the layout has put it.
    await page.keyboard.press('f');
    await page.keyboard.type(to);
    await page.keyboard.press('Enter');
    await page.locator('aside .title').filter({ hasText: to }).waitFor();
    await canvas(page).focus();
    await press(page, 'Enter', new RegExp(`link ${from} to ${to}`));
  }
  await deployOspf(own, page, name, false);
  const [cut] = (await between(own, name)).up;
  await find(page, cut);
  await page.getByRole('button', { name: 'Cut', exact: true }).focus();
  await page.keyboard.press('Enter');
  const after = await until(
    'one is down',
    () => between(own, name),
    ({ down }) => down.length === 1,
  );
  expect(after.down).toEqual([cut]);
  expect(after.up).toHaveLength(1);
  await routed(own, name, 60_000);
}, 240_000);

/** Moves the pointer onto the node that is drawn within 40 pixels of a place. */
async function over(page: Page, x: number, y: number): Promise<[number, number]> {
  for (const dy of [0, 8, 16, 24, 32, -8, -16, -24, -32]) {
    for (const dx of [0, 8, -8, 16, -16, 24, -24]) {
      await page.mouse.move(x + dx, y + dy);
      if ((await canvas(page).evaluate((of) => of.style.cursor)) === 'pointer')
        return [x + dx, y + dy];
    }
  }
  throw new Error(`no node at ${x}, ${y}`);
}

test('a lab of two routers with OSPF, of which a link is cut: by mouse', async () => {
  const name = `ospfm${process.pid}`;
  const { own, page } = await labs.folder({
    'netloom.yaml': `name: ${name}\ntopology: { nodes: { } }\n`,
  });
  await fresh(own, page, name);
  const box = await canvas(page).boundingBox();
  if (box === null) throw new Error('no canvas');
  const [middle, level] = [box.x + box.width / 2, box.y + box.height / 2];
  const places = { router1: -100, router2: 100, host1: -300, host2: 300 };
  let count = 0;
  for (const [node, x] of Object.entries(places)) {
    await page
      .getByRole('button', { name: node.startsWith('host') ? 'Host h' : 'Router r' })
      .hover();
    await page.mouse.down();
    await page.mouse.move(middle + x, level, { steps: 3 });
    await page.mouse.up();
    count += 1;
    await until(
      `${node} is there`,
      () => canvas(page).getAttribute('aria-label'),
      (text) => text?.includes(`${count} node`) === true,
    );
    // The first node is shown in the middle: the others are placed beside it.
    if (count === 1) places.router1 = 0;
  }
  for (const [from, to] of [
    ['host1', 'router1'],
    ['router1', 'router2'],
    ['router2', 'router1'],
    ['router2', 'host2'],
  ] as [keyof typeof places, keyof typeof places][]) {
    await page.getByRole('button', { name: 'Link l' }).click();
    const [tx, ty] = await over(page, middle + places[to], level);
    await over(page, middle + places[from], level);
    await page.mouse.down();
    await page.mouse.move(tx, ty, { steps: 4 });
    await page.mouse.up();
    await until(
      'the page says the link',
      () => page.locator('footer .said').innerText(),
      (text) => text.includes(`link ${from} to ${to}`),
    );
  }
  await deployOspf(own, page, name, true);
  const { up } = await between(own, name);
  expect(up).toHaveLength(2);
  await page.getByRole('button', { name: /Find or run/ }).click();
  await page.keyboard.type(up[1]);
  await page.getByRole('option').filter({ hasText: up[1] }).first().click();
  await page.getByRole('button', { name: 'Cut', exact: true }).click();
  const after = await until(
    'one is down',
    () => between(own, name),
    ({ down }) => down.length === 1,
  );
  expect(after.down).toEqual([up[1]]);
  await routed(own, name, 60_000);
}, 240_000);

/** Abilene with routes of NetLoom, and one access that is slower than what is sent over it. */
const SLOW = 'host-newyork--newyork';
const ABILENE = `${readFileSync('../examples/abilene/netloom.yaml', 'utf8')
  .replace(', routing: daemon', '')
  .replace(/^processes:[\s\S]*/m, '')
  .replace('[host-newyork, newyork], rate: 100Mbit/s', '[host-newyork, newyork], rate: 4Mbit/s')}
trust: { for: functional }
`;

/** Loads the network: more than the slow access takes, and less than all others. */
function load(own: Ui, name: string): Promise<unknown>[] {
  return ['host-seattle', 'host-atlanta'].flatMap((to) => [
    own.netloom('exec', `${to}@${name}`, 'timeout', '110', 'iperf3', '--server', '--one-off'),
    own.netloom(
      'exec',
      `host-newyork@${name}`,
      'sh',
      '-c',
      `until timeout 100 iperf3 --client ${to} --udp --bitrate 3M --time 90; do sleep 0.3; done`,
    ),
  ]);
}

const busiest = (page: Page) => page.locator('tbody tr[aria-rowindex="1"]');

async function halved(
  own: Ui,
  page: Page,
  name: string,
  least: number,
  most: number,
): Promise<void> {
  const rate = await until(
    'the rate of the bottleneck',
    async () =>
      (await inspect<Inspected>(own, name)).links.find((of) => of.name === SLOW)?.forward.config
        .rate,
    (of) => of !== '4Mbit/s',
  );
  const [, number, unit] = /^([\d.]+)(k|M)bit\/s$/.exec(rate ?? '') ?? [];
  const bits = Number(number) * (unit === 'k' ? 1e3 : 1e6);
  expect(bits).toBeGreaterThanOrEqual(least);
  expect(bits).toBeLessThanOrEqual(most);
  await until(
    'the page shows it',
    () => page.getByRole('textbox', { name: 'rate' }).inputValue(),
    (text) => text === rate,
  );
}

test('the bottleneck of abilene under load is found and halved: by keyboard', async () => {
  const { own, page, name } = await labs.deployed(ABILENE);
  const flows = load(own, name);
  await canvas(page).focus();
  await page.keyboard.press('2');
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'Overlay', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'line busy' }).focus();
  await page.keyboard.press('Enter');
  await until(
    'the busiest pipe',
    () => busiest(page).innerText(),
    (text) => text.includes(SLOW) && /\b(9\d\.\d|100) %/.test(text),
    60_000,
  );
  await busiest(page).getByRole('button').focus();
  await page.keyboard.press('Enter');
  const field = page.getByRole('textbox', { name: 'rate' });
  await field.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('2Mbit/s');
  await page.keyboard.press('Enter');
  await halved(own, page, name, 2e6, 2e6);
  await own.netloom('destroy', name);
  await Promise.all(flows);
}, 240_000);

test('the bottleneck of abilene under load is found and halved: by mouse', async () => {
  const { own, page, name } = await labs.deployed(ABILENE);
  const flows = load(own, name);
  await page.getByRole('button', { name: /Share/ }).click();
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await page.getByRole('button', { name: 'Overlay', exact: true }).click();
  await page.getByRole('button', { name: 'line busy' }).click();
  await until(
    'the busiest pipe',
    () => busiest(page).innerText(),
    (text) => text.includes(SLOW) && /\b(9\d\.\d|100) %/.test(text),
    60_000,
  );
  await busiest(page).getByRole('button').click();
  // By the slider: about half.
  const slider = page.getByRole('slider', { name: 'rate, slider' });
  const box = await slider.boundingBox();
  if (box === null) throw new Error('no slider');
  const at = Number(await slider.inputValue());
  const place = (share: number) => box.x + 8 + share * (box.width - 16);
  await page.mouse.move(place(at), box.y + box.height / 2);
  await page.mouse.down();
  // The slider is logarithmic over six powers of ten.
  await page.mouse.move(place(at - Math.log10(2) / 6), box.y + box.height / 2, { steps: 3 });
  await page.mouse.up();
  await halved(own, page, name, 1.4e6, 2.8e6);
  await own.netloom('destroy', name);
  await Promise.all(flows);
}, 240_000);

/** Twelve in a row: each hears the next, not the one after. */
const ROW = `name: lab
topology:
  media:
    air: { preset: 802.11b, propagation: { range: { reach: 250m } }, members: ${JSON.stringify(
      Array.from({ length: 12 }, (_, i) => `n${i + 1}`),
    )} }
  nodes:
${Array.from({ length: 12 }, (_, i) => `    n${i + 1}: { position: [${i * 200}m, 0m] }`).join('\n')}
trust: { for: functional }
`;
const MOVED =
  /No: what n12 sends does not reach n7, which is 1000 m away\. The farthest that decodes it is at 200 m \(n11\)/;

test('why n7 does not hear n12: by keyboard', async () => {
  const { own, page, name } = await labs.deployed(ROW);
  await canvas(page).focus();
  await page.keyboard.press('9');
  await find(page, 'n7');
  await page.getByLabel('Does it hear this station?').focus();
  await page.keyboard.type('n12');
  const answer = page.locator('aside .answers');
  await answer.getByText(MOVED).waitFor();
  // What it says is so: to the one at 200 m, and no further.
  type Told = { neighbours: { node: string; decodes: boolean; distance: number }[] }[];
  const [told] = await inspect<Told>(own, name, '--neighbours', 'n12');
  expect(told.neighbours.map((of) => [of.node, of.decodes, of.distance])).toEqual([
    ['n11', true, 200],
  ]);
  // Nearer, it hears it.
  await find(page, 'n12');
  await page.getByLabel('Metres to the east').focus();
  await page.keyboard.type('1300');
  await page.keyboard.press('Enter');
  await find(page, 'n7');
  await page.getByLabel('Does it hear this station?').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('n12');
  await answer.getByText('Does n7 hear n12? Yes').waitFor();
});

test('why n7 does not hear n12: by mouse', async () => {
  const { page } = await labs.deployed(ROW);
  await page.getByRole('button', { name: /Radio/ }).click();
  await page.getByLabel('Legend').getByText('a 1500-byte').waitFor();
  // Both are clicked: the second with Ctrl.
  await page.getByRole('button', { name: 'Show all' }).click();
  const box = await canvas(page).boundingBox();
  if (box === null) throw new Error('no canvas');
  const names = async () => page.locator('aside .title').first().innerText();
  // All twelve in view: evenly apart, with the middle of the row in the middle of the canvas.
  const units = 140 * Math.sqrt(12);
  const gap = (Math.min((box.width - 128) / units, 1.6) * units) / 11;
  const place = (n: number): [number, number] => [
    box.x + box.width / 2 + (n - 6.5) * gap,
    box.y + box.height / 2 + 17,
  ];
  await page.mouse.click(...(await over(page, ...place(7))));
  await until('n7 is selected', names, (text) => text.startsWith('n7'));
  await page.keyboard.down('Control');
  await page.mouse.click(...(await over(page, ...place(12))));
  await page.keyboard.up('Control');
  await page.locator('aside .answers').getByText(MOVED).waitFor();
});
