/** A deployed network, the page that shows it, and what a user at the keyboard does there. */

import { afterEach, expect } from 'vitest';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { Ui, until } from './harness';

/** What Chromium says of streams whose engine has gone. */
export const GONE = /status of (404|502)|WebSocket|ERR_INCOMPLETE_CHUNKED_ENCODING/;

export interface Lab {
  readonly own: Ui;
  readonly page: Page;
  /** The experiment: namespaces and control groups of a machine share their names. */
  readonly name: string;
}

let labs = 0;

/** Runs labs of a file's tests: each is ended with its test, and has nothing to complain of. */
export class Labs {
  private ui: Ui | null = null;
  /** Complaints that the test causes. */
  expected: RegExp | null = null;

  constructor() {
    afterEach(async ({ task }) => {
      const complaints = (this.ui?.complaints ?? []).filter(
        (text) => this.expected?.test(text) !== true,
      );
      await this.ui?.stop(task.result?.state === 'fail' ? task.name : null);
      this.ui = this.expected = null;
      expect(complaints).toEqual([]);
    });
  }

  /** A page on a folder with these files, nothing deployed. */
  async folder(
    files: Readonly<Record<string, string>>,
    options: BrowserContextOptions = {},
  ): Promise<{ own: Ui; page: Page }> {
    const own = await Ui.start(files);
    this.ui = own;
    return { own, page: await own.page(options) };
  }

  /** A deployed network whose name in the text is `lab`, and the page that shows it. */
  async deployed(
    text: string,
    files: Readonly<Record<string, string>> = {},
    options: BrowserContextOptions = {},
  ): Promise<Lab> {
    const name = `ui${process.pid}-${labs++}`;
    const named = text.replace(/^name: .*/m, `name: ${name}`);
    const { own, page } = await this.folder({ 'lab.netloom.yaml': named, ...files }, options);
    own.experiments.add(name);
    const { code, stderr } = await own.netloom('deploy', '-t', 'lab.netloom.yaml');
    expect(code, stderr).toBe(0);
    await page.getByRole('navigation').getByRole('button', { name }).first().click();
    await page.locator('button.verdict').waitFor();
    return { own, page, name };
  }
}

/** Selects a node or a link by the search, as a user at the keyboard would. The canvas has it in
 * its middle then. */
export async function find(page: Page, name: string): Promise<void> {
  await page.getByRole('application').focus();
  await page.keyboard.press('f');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.locator('aside .title').filter({ hasText: name }).waitFor();
}

/** Opens a shell in a node, and waits for its prompt. */
export async function shell(page: Page, node: string): Promise<void> {
  await find(page, node);
  await page.getByRole('button', { name: 'Terminal', exact: true }).click();
  const pane = page.getByRole('region', { name: `Terminal of ${node}` });
  await until(
    'a prompt',
    () => pane.locator('.xterm-rows').innerText(),
    (text) => /[#$]\s*$/.test(text.trimEnd()),
  );
}

/** What `netloom inspect EXPERIMENT …` prints as JSON. */
export async function inspect<T>(own: Ui, name: string, ...more: string[]): Promise<T> {
  const { code, stdout, stderr } = await own.netloom('inspect', name, ...more, '--format', 'json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

/** The rows of the table that the middle shows, as its CSV file has them. */
export async function rowsOf(page: Page): Promise<string[][]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\r\n');
  return lines.slice(1).map((line) => {
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
    return cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare);
  });
}
