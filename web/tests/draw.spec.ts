import { afterEach, expect, test, type TestContext } from 'vitest';
import type { Page } from 'playwright-core';
import { Ui, until } from './harness';

let ui: Ui | null = null;

/** Starts the server, and has it end with the test. */
async function start(
  context: TestContext,
  files: Record<string, string> = {},
  options: string[] = [],
): Promise<Ui> {
  ui = await Ui.start(files, options);
  const own = ui;
  context.onTestFailed(() => {
    failed = context.task.name;
  });
  return own;
}
let failed: string | null = null;

afterEach(async () => {
  const complaints = ui?.complaints ?? [];
  await ui?.stop(failed);
  ui = null;
  failed = null;
  expect(complaints).toEqual([]);
});

const GOLDEN = `name: lab

topology:
  nodes:
    host1:
    router1: { kind: router }
    host2:
  links:
    - { endpoints: [host1, router1], rate: 10Mbit/s, delay: 20ms }
    - { endpoints: [host2, router1], rate: 10Mbit/s, delay: 20ms }
`;

const canvas = (page: Page) => page.getByRole('application');
const valid = (page: Page) => page.getByRole('button', { name: /^(● valid|◆ \d+ warning)/ });
const said = (page: Page): Promise<string> => page.locator('footer [role=status]').innerText();

/** Least round trip, in ms, that ping printed: the one that a busy machine delayed least. */
function least(output: string): number {
  const found = /= ([\d.]+)\//.exec(output);
  if (!found) throw new Error(`no round trips in: ${output}`);
  return Number(found[1]);
}

/** Presses a key on the canvas and waits until the page has said what it did. */
async function press(page: Page, key: string, says: RegExp): Promise<void> {
  await page.keyboard.press(key);
  await until(
    `${key} says ${says}`,
    () => said(page),
    (text) => says.test(text),
  );
}

test('drawn by keyboard alone, deployed, and its packets take as long as drawn', async (context) => {
  const own = await start(context);
  const page = await own.page();
  await page.getByRole('button', { name: 'New scenario' }).focus();
  await page.keyboard.press('Enter');
  for (const label of ['Rate of new links', 'Delay of new links']) {
    await page.getByLabel(label).focus();
    await page.keyboard.type(label.startsWith('Rate') ? '10Mbit/s' : '20ms');
  }
  await canvas(page).focus();
  await press(page, 'h', /add host1/);
  await press(page, 'r', /add router1/);
  await press(page, 'h', /add host2/);
  await valid(page).waitFor();
  await press(page, 'l', /link from host2/);
  await press(page, 'ArrowLeft', /link to router1/);
  await press(page, 'Enter', /link host2 to router1/);
  await valid(page).waitFor();
  await press(page, 'ArrowLeft', /host1/);
  await press(page, 'l', /link from host1/);
  await press(page, 'ArrowRight', /link to router1/);
  await press(page, 'Enter', /link host1 to router1/);
  await valid(page).waitFor();
  await press(page, 'Control+s', /saved/);
  expect(own.read('netloom.yaml').split('\n').sort()).toEqual(GOLDEN.split('\n').sort());

  own.experiments.add('lab');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('deploy');
  await page.keyboard.press('Enter');
  await until(
    'lab is up',
    () => own.netloom('inspect', 'lab', '--format', 'json'),
    (of) => of.code === 0,
  );
  await page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
  await until(
    'live shows it',
    () => canvas(page).getAttribute('aria-label'),
    (of) => /lab: 3 nodes, 2 links/.test(of ?? ''),
  );

  // A shell in host1, by Enter on the canvas.
  await canvas(page).focus();
  await page.keyboard.press('f');
  await page.keyboard.type('host1');
  await page.keyboard.press('Enter');
  await canvas(page).focus();
  await page.keyboard.press('Enter');
  const terminal = page.locator('.xterm-helper-textarea').first();
  await terminal.waitFor({ state: 'attached' });
  await terminal.focus();
  await until(
    'a prompt',
    () => page.locator('.xterm-rows').first().innerText(),
    (text) => /[#$]/.test(text),
  );
  await page.keyboard.type('ping -c 5 -i 0.3 -q host2 > ping.txt 2>&1; echo done > end.txt\n');
  const cat = (name: string) => own.netloom('exec', 'host1', '--', 'cat', name);
  await until(
    'ping ends',
    () => cat('end.txt'),
    (of) => of.code === 0,
  );
  const shown = await cat('ping.txt');
  await own.netloom('exec', 'host1', '--', 'rm', 'ping.txt', 'end.txt');
  const ping = 'ping -c 5 -i 0.3 -q host2'.split(' ');
  const beside = await own.netloom('exec', 'host1', '--', ...ping);
  const [drawn, cli] = [least(shown.stdout), least(beside.stdout)];
  expect(drawn).toBeGreaterThanOrEqual(80);
  expect(drawn).toBeLessThanOrEqual(cli * 1.05);
});

test('drawn by mouse: a node from the palette, a link from the ring around it, undo', async (context) => {
  const own = await start(context, { 'netloom.yaml': GOLDEN });
  const page = await own.page();
  await page.getByRole('button', { name: 'netloom.yaml' }).click();
  await valid(page).waitFor();
  const box = await canvas(page).boundingBox();
  if (!box) throw new Error('no canvas');
  await page.getByRole('button', { name: 'Host h' }).hover();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 120, { steps: 4 });
  await page.mouse.up();
  await until(
    'host3 is there',
    () => canvas(page).getAttribute('aria-label'),
    (of) => /4 nodes/.test(of ?? ''),
  );
  await valid(page).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(
    'undone',
    () => canvas(page).getAttribute('aria-label'),
    (of) => /3 nodes|4 nodes/.test(of ?? ''),
  );
  expect(own.read('netloom.yaml')).toBe(GOLDEN);
});

test('a form edits only its line; a mistake is told on the line, the node and in the list', async (context) => {
  const own = await start(context, {
    'netloom.yaml': GOLDEN.replace('  nodes:', '  # the lab\n  nodes:'),
  });
  const page = await own.page();
  await page.getByRole('button', { name: 'netloom.yaml' }).click();
  await valid(page).waitFor();
  await canvas(page).focus();
  await page.keyboard.press('f');
  await page.keyboard.type('host1--router1');
  await page.keyboard.press('Enter');
  const loss = page.getByLabel('loss', { exact: true });
  await loss.fill('1%');
  await loss.press('Enter');
  await loss.blur();
  await valid(page).waitFor();
  await page.keyboard.press('Control+s');
  await until(
    'saved',
    () => own.read('netloom.yaml'),
    (text) => text.includes('loss'),
  );
  const changed = own.read('netloom.yaml');
  expect(changed).toBe(
    GOLDEN.replace('  nodes:', '  # the lab\n  nodes:').replace(
      'router1], rate: 10Mbit/s, delay: 20ms }',
      'router1], rate: 10Mbit/s, delay: 20ms, loss: 1% }',
    ),
  );
  await loss.fill('nonsense');
  await loss.blur();
  await page.getByRole('button', { name: '■ 1 error' }).click();
  await page
    .getByRole('button', { name: /error \d+:\d+/ })
    .first()
    .waitFor();
  await page.keyboard.press('Control+z');
});

test('a file that changes outside and here is shown side by side, and nothing is overwritten', async (context) => {
  const own = await start(context, { 'netloom.yaml': GOLDEN });
  const page = await own.page();
  await page.getByRole('button', { name: 'netloom.yaml' }).click();
  await valid(page).waitFor();
  // Not edited here: the page follows.
  own.write('netloom.yaml', GOLDEN.replace('10Mbit/s', '20Mbit/s'));
  await until(
    'the page follows',
    () => said(page),
    (text) => text.includes('changed on disk'),
  );
  await canvas(page).focus();
  await press(page, 's', /add switch1/);
  own.write('netloom.yaml', GOLDEN.replace('10Mbit/s', '30Mbit/s'));
  await page.getByRole('dialog', { name: /changed on disk/ }).waitFor();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  expect(own.read('netloom.yaml')).toContain('30Mbit/s');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until(
    'mine is saved',
    () => own.read('netloom.yaml'),
    (text) => text.includes('switch1'),
  );
});
