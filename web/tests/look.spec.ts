/** The page for everybody: axe on every screen in both themes, no complaint of the policy, and what
 * a first load weighs. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Ui } from './harness';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCENARIO = readFileSync('../examples/abilene/netloom.yaml', 'utf8');

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

let ui: Ui;
beforeAll(async () => {
  ui = await Ui.start({ 'netloom.yaml': SCENARIO });
});
afterAll(() => ui.stop());

async function violations(page: Page): Promise<string[]> {
  // `evaluate` of the debugger, so the page's own policy is not widened for it.
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    (
      window as unknown as {
        axe: { run: (of: Document, options: object) => Promise<{ violations: Violation[] }> };
      }
    ).axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
  );
  return found.violations.flatMap((of) =>
    of.nodes.map((node) => `${of.id}: ${node.html} ${node.failureSummary ?? ''}`),
  );
}

const SCREENS: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  ['nothing is open', async () => {}],
  [
    'a file',
    async (page) => {
      await page.getByRole('button', { name: 'netloom.yaml' }).click();
      await page.getByRole('button', { name: /^(● valid|◆ \d+ warning)/ }).waitFor();
    },
  ],
  [
    'a node',
    async (page) => {
      await page.getByRole('application').focus();
      await page.keyboard.press('f');
      await page.keyboard.type('denver');
      await page.keyboard.press('Enter');
      await page.getByLabel('kind', { exact: true }).waitFor();
    },
  ],
  [
    'a link',
    async (page) => {
      await page.getByRole('application').focus();
      await page.keyboard.press('f');
      await page.keyboard.type('seattle--denver');
      await page.keyboard.press('Enter');
      await page.getByLabel('rate', { exact: true }).waitFor();
    },
  ],
  [
    'the text',
    async (page) => {
      await page.getByRole('tab', { name: 'YAML' }).click();
      await page.locator('.cm-content').waitFor();
    },
  ],
  ['problems', (page) => page.getByRole('tab', { name: 'Problems' }).click()],
  [
    'a table',
    async (page) => {
      await page.getByRole('application').focus();
      await page.keyboard.press('t');
      await page.getByLabel('Filter').waitFor();
    },
  ],
  [
    'keys',
    async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    },
  ],
  [
    'commands',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find or run' }).waitFor();
    },
  ],
];

test.each(['light', 'dark'] as const)(
  'axe finds nothing on any screen of Draw, %s',
  async (colorScheme) => {
    const page = await ui.page({ colorScheme, bypassCSP: true });
    const found: string[] = [];
    for (const [name, show] of SCREENS) {
      await show(page);
      found.push(...(await violations(page)).map((of) => `${name}: ${of}`));
    }
    expect(found).toEqual([]);
  },
  300_000,
);

test('the canvas and its twin name the same network, and the twin does what the canvas does', async () => {
  const page = await ui.page();
  await page.getByRole('button', { name: 'netloom.yaml' }).click();
  await page.getByRole('button', { name: /^(● valid|◆ \d+ warning)/ }).waitFor();
  const item = page.getByRole('treeitem', { selected: true });
  await item.focus();
  expect(await item.getAttribute('aria-setsize')).toBe('15');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  expect(await item.innerText()).toMatch(/^link to \w+: 10Gbit\/s/);
  await page.getByLabel('rate', { exact: true }).waitFor();
});

test('a first load is at most 150 kB compressed', async () => {
  const page = await ui.page();
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map((of) => of.name)
      .filter((name) => name.includes('/assets/')),
  );
  let all = 0;
  for (const name of [page.url(), ...loaded]) {
    all += gzipSync(await (await page.request.get(name)).body(), { level: 9 }).length;
  }
  expect(loaded.length).toBeGreaterThan(1);
  expect(all).toBeLessThanOrEqual(150_000);
});

test('nothing is complained of', () => {
  expect(ui.complaints).toEqual([]);
});
