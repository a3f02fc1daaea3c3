import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, type Browser, type Page } from 'playwright-core';
import { until } from './harness';

/** The tour of `make demo-ui`, each step done by hand. With `PICTURES=DIR` it makes the pictures of
 * README and docs/ui.md. */
const NETLOOM = resolve(process.env.NETLOOM ?? '../target/debug/netloom');
const PICTURES = process.env.PICTURES;
const name = PICTURES === undefined ? `tour${process.pid}` : 'abilene';
const state = mkdtempSync(join(tmpdir(), 'netloom-tour-'));
let demo: ChildProcess;
let browser: Browser;
let address = '';
const complaints: string[] = [];

beforeAll(async () => {
  // A group of its own, so that the end reaches all that the script has started.
  demo = spawn('sh', ['../scripts/demo-ui.sh', NETLOOM], {
    env: { ...process.env, NETLOOM_STATE_DIR: state, NETLOOM_DEMO: name },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  demo.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  demo.stderr?.on('data', (data: Buffer) => (err += data.toString()));
  address = await until(
    'the address',
    () => {
      if (demo.exitCode !== null)
        throw new Error(`demo-ui ended with ${demo.exitCode}: ${out}${err}`);
      return /http:\/\/\S+\?tour#\S+/.exec(out)?.[0] ?? '';
    },
    (text) => text !== '',
    180_000,
  );
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  const ended = new Promise((done) => demo.once('exit', done));
  if (demo.exitCode === null && demo.pid !== undefined) {
    process.kill(-demo.pid, 'SIGINT');
    await ended;
  }
  rmSync(state, { recursive: true, force: true });
});

async function picture(page: Page, file: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${file}.png`) });
}

async function find(page: Page, what: string): Promise<void> {
  await page.getByRole('application').focus();
  await page.keyboard.press('f');
  await page.keyboard.type(what);
  await page.keyboard.press('Enter');
  await page.locator('aside .title').filter({ hasText: what }).waitFor();
}

test('the tour of seven steps can be gone by hand', async () => {
  const page = await (
    await browser.newContext({ viewport: { width: 1440, height: 900 } })
  ).newPage();
  // Beside hogs, on a busy machine.
  page.setDefaultTimeout(90_000);
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(address);
  await page.getByRole('navigation').getByRole('button', { name }).first().click();
  const tour = page.getByRole('region', { name: 'Tour' });
  await tour.getByText('1 of 7').waitFor();
  const step = async (of: number, act: () => Promise<void>): Promise<void> => {
    await tour.getByText(`${of} of 7`).waitFor();
    await act();
    await tour.getByText('✓ done').waitFor({ timeout: 90_000 });
    await picture(page, `tour-${of}`);
    if (of < 7) await tour.getByRole('button', { name: 'Next' }).click();
  };
  await step(1, async () => {
    await page.keyboard.press('3');
    await find(page, 'host-seattle--seattle');
    await until(
      'two flows fill the link',
      () => page.locator('aside').innerText(),
      (text) => /→ now\s+[89]\d(\.\d)? Mbit\/s/.test(text),
      120_000,
    );
  });
  await step(2, async () => {
    await find(page, 'denver');
    await page.getByRole('button', { name: 'Terminal', exact: true }).click();
    const pane = page.getByRole('region', { name: 'Terminal of denver' });
    const screen = () => pane.locator('.xterm-rows').innerText();
    await until('a prompt', screen, (text) => /[#$]\s*$/.test(text.trimEnd()));
    await page.keyboard.type("vtysh -c 'show ip route ospf' | tail -6");
    await page.keyboard.press('Enter');
    await until('routes', screen, (text) => /O>?\*? /.test(text));
  });
  await step(3, async () => {
    await page.keyboard.press('Escape');
    await find(page, 'denver--kansascity');
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
  });
  await step(4, async () => {
    await find(page, 'host-seattle--seattle');
    const slider = page.getByRole('slider', { name: 'rate, slider' });
    await slider.focus();
    for (let press = 0; press < 8; press += 1) await page.keyboard.press('ArrowLeft');
  });
  await step(5, async () => {
    // Before the hogs: they slow the browser, too.
    await page.getByRole('button', { name: /Contention/ }).click();
    const pane = page.getByRole('region', { name: 'Terminal of denver' });
    await pane.locator('textarea').focus();
    await page.keyboard.type('for i in 1 2 3; do timeout 10 sh -c "while :; do :; done" & done');
    await page.keyboard.press('Enter');
  });
  await step(6, () => page.getByRole('tab', { name: 'Timeline' }).click());
  await step(7, () => page.getByRole('tab', { name: 'YAML' }).click());
  if (PICTURES !== undefined) {
    await tour.getByRole('button', { name: 'End' }).click();
    await page.getByRole('tab', { name: /^Terminals/ }).click();
    await page.getByRole('button', { name: /Throughput/ }).click();
    await picture(page, 'live-light');
    for (const [file, options] of Object.entries({
      'live-dark': { colorScheme: 'dark' as const },
      'live-forced': { forcedColors: 'active' as const },
    })) {
      await page.emulateMedia(options);
      await picture(page, file);
    }
  }
  expect(complaints).toEqual([]);
}, 420_000);
