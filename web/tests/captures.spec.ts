/** Captures in the page: what is downloaded is opened by tcpdump and counted; what the link dropped
 * has its reason. */

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Download, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until, type Ui } from './harness';
import { find, Labs } from './lab';

const labs = new Labs();
const run = promisify(execFile);

async function bytesOf(download: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The lines that tcpdump prints of a file. */
async function dump(folder: string, file: Buffer): Promise<string[]> {
  const path = join(folder, 'capture.pcapng');
  writeFileSync(path, file);
  const { stdout } = await run('tcpdump', ['-n', '-t', '-r', path], { maxBuffer: 2 ** 26 });
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('\t'));
}

const row = (page: Page, place: string) =>
  page.getByRole('list', { name: 'Captures' }).getByRole('listitem').filter({ hasText: place });
const counted = async (page: Page, place: string): Promise<number> =>
  Number(
    /^([\d\u2009]+) frames?/
      .exec(await row(page, place).locator('.counts').innerText())?.[1]
      .replaceAll('\u2009', '') ?? NaN,
  );
async function download(page: Page, place: string): Promise<Buffer> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    row(page, place).getByRole('button', { name: 'Download' }).click(),
  ]);
  return bytesOf(file);
}

test('both ends of a link: counted, shown, and downloaded while they run', async () => {
  const { own, page, name } = await labs.deployed(`name: lab
topology:
  defaults: { node: { ipv6: none } }
  nodes: { alice: , bob: }
  links:
    - { endpoints: [alice, bob], name: wire, queue: { limit: 1packets }, rate: 100kbit/s }
trust: { for: functional }
`);
  await find(page, 'wire');
  await page.getByRole('button', { name: 'Capture both ends' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await row(page, 'alice:').getByText('● runs').waitFor();
  await row(page, 'bob:').getByText('● runs').waitFor();
  // The stream is there once it has its header.
  for (const place of ['alice:', 'bob:'])
    await until(
      'the header',
      () => row(page, place).locator('.counts').innerText(),
      (text) => !/ 0 B/.test(text),
    );
  // 40 requests at once, of which the queue takes a part.
  const ping = await own.netloom(
    'exec',
    `alice@${name}`,
    'ping',
    '-4',
    '-q',
    '-l',
    '40',
    '-c',
    '40',
    '-W',
    '1',
    '-s',
    '500',
    'bob',
  );
  const answered = Number(/(\d+) received/.exec(ping.stdout)?.[1]);
  expect(answered).toBeLessThan(40);
  expect(answered).toBeGreaterThan(0);
  await until(
    '40 requests at alice',
    () => counted(page, 'alice:'),
    (count) => count >= 40 + answered,
  );

  // While they run: whole frames, as many as the page says.
  const lines = await dump(own.folder, await download(page, 'alice:'));
  const [requests, replies] = ['echo request', 'echo reply'].map(
    (what) => lines.filter((line) => line.includes(what)).length,
  );
  expect(replies).toBe(answered);
  // Dropped ones are there a second time, as those of `alice:eth1 drops`.
  const text = await row(page, 'alice:').locator('.counts').innerText();
  const dropped = Number(/(\d+) dropped/.exec(text)?.[1]);
  expect(dropped).toBe(40 - answered);
  expect([40, 40 + dropped]).toContain(requests);
  const far = await dump(own.folder, await download(page, 'bob:'));
  expect(far.filter((line) => line.includes('echo reply'))).toHaveLength(answered);

  // The last frames, with why they were dropped.
  await row(page, 'alice:')
    .getByRole('button', { name: /^alice:/ })
    .click();
  const frames = page.getByRole('region', { name: 'Last frames' });
  await frames.getByText('queue_full').first().waitFor();
  expect(await frames.getByText('queue_full').count()).toBe(dropped);
  expect(await frames.getByRole('row').filter({ hasText: 'ICMP' }).count()).toBeGreaterThan(40);
  await row(page, 'alice:').getByRole('button', { name: 'Copy command' }).click();
  expect(await page.locator('.captures .copied').innerText()).toMatch(
    new RegExp(`^netloom capture alice:\\S+@${name} --drops -w - \\| wireshark -k -i -$`),
  );
  await stopped(own, page, name, far.length);
});

/** Stopped, a capture stays; what comes later is not in it. */
async function stopped(own: Ui, page: Page, name: string, far: number): Promise<void> {
  await row(page, 'alice:').getByRole('button', { name: 'Stop' }).click();
  await row(page, 'alice:').getByText('■ stopped').waitFor();
  const before = await counted(page, 'alice:');
  await own.netloom('exec', `alice@${name}`, 'ping', '-4', '-c', '1', 'bob');
  await until(
    'one more at bob',
    () => counted(page, 'bob:'),
    (count) => count > far,
  );
  expect(await counted(page, 'alice:')).toBe(before);
  // What is no place is refused with the engine's words.
  labs.expected = /status of 400/;
  await page.getByRole('combobox', { name: 'Capture at' }).fill('alice:eth9');
  await page.keyboard.press('Enter');
  await row(page, 'alice:eth9').getByText(/eth9/).nth(1).waitFor();
}

test('all that is on a medium is captured', async () => {
  const { own, page, name } = await labs.deployed(`name: lab
topology:
  media:
    air: { preset: 802.11b, propagation: { range: { reach: 250m } }, members: [a, b] }
  nodes:
    a: { position: [0m, 0m] }
    b: { position: [100m, 0m] }
trust: { for: functional }
`);
  await page.getByRole('tab', { name: 'Captures' }).click();
  await page.getByRole('combobox', { name: 'Capture at' }).fill('medium:air');
  await page.keyboard.press('Enter');
  await until(
    'the header',
    () => row(page, 'medium:air').locator('.counts').innerText(),
    (text) => !/ 0 B/.test(text),
  );
  const { code } = await own.netloom(
    'exec',
    `a@${name}`,
    'ping',
    '-4',
    '-c',
    '2',
    '-i',
    '0.2',
    'b',
  );
  expect(code).toBe(0);
  await until(
    'frames',
    () => counted(page, 'medium:air'),
    (count) => count >= 8,
  );
  const frames = page.getByRole('region', { name: 'Last frames' });
  await frames.getByText('802.11 ICMP').first().waitFor();
  await frames.getByText('ACK', { exact: true }).first().waitFor();
  const lines = await dump(own.folder, await download(page, 'medium:air'));
  expect(lines.filter((line) => line.includes('Acknowledgment')).length).toBeGreaterThanOrEqual(4);
  // The experiment ends, and the capture with it.
  labs.expected = /status of (404|502)|WebSocket|ERR_INCOMPLETE_CHUNKED_ENCODING/;
  await own.netloom('destroy', name);
  await row(page, 'medium:air').getByText('■').waitFor();
});
