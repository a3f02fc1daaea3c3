/** Pictures that the page saves: the same view is the same file, which other programs open. */

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Labs } from './lab';

const labs = new Labs();

async function saved(page: Page, button: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('SVG is the same for the same view, and XML with text as text; PNG is as large as the view', async () => {
  const text = readFileSync('../examples/abilene/netloom.yaml', 'utf8');
  const { own, page } = await labs.folder({ 'netloom.yaml': text });
  await page.getByRole('button', { name: 'netloom.yaml' }).click();
  await page.getByRole('button', { name: /^(● valid|◆ \d+ warning)/ }).waitFor();
  const first = await saved(page, 'SVG');
  expect((await saved(page, 'SVG')).equals(first)).toBe(true);
  // Opened as a file of its own, as a browser shows it.
  own.write('picture.svg', first.toString());
  const viewer = await page.context().newPage();
  await viewer.goto(`file://${own.folder}/picture.svg`);
  const read = await viewer.evaluate(() => ({
    wrong: document.querySelector('parsererror')?.textContent ?? '',
    texts: [...document.querySelectorAll('text')].map((of) => of.textContent ?? ''),
  }));
  expect(read.wrong).toBe('');
  expect(read.texts).toEqual(expect.arrayContaining(['seattle', 'host-newyork', 'kansascity']));
  const box = await page.getByRole('application').boundingBox();
  const png = await saved(page, 'PNG');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(
    [box?.width, box?.height].map((of) => Math.round(of ?? 0)),
  );
  // Another view is another picture.
  await page.getByRole('button', { name: 'Larger' }).click();
  expect((await saved(page, 'SVG')).equals(first)).toBe(false);
});
