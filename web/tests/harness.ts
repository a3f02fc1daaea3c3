/** A real `netloom ui` on a folder of its own, its page in Chromium, and the command line beside it
 * to read effects from the other side. Everything it starts ends with it. */

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';

const run = promisify(execFile);
const NETLOOM = process.env.NETLOOM ?? '../target/debug/netloom';

/** Where traces and pictures of failures go: here, if this user may write here. */
const RESULTS =
  process.getuid?.() === 0 ? 'test-results' : join(tmpdir(), 'netloom-ui-test-results');

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class Ui {
  /** What the pages said that they must not: errors of the console and of the page's policy. */
  readonly complaints: string[] = [];
  private readonly contexts: BrowserContext[] = [];
  /** Experiments to be destroyed at the end. */
  readonly experiments = new Set<string>();

  private constructor(
    readonly folder: string,
    readonly address: string,
    private readonly server: ChildProcess,
    private readonly browser: Browser,
    private readonly state: string,
  ) {}

  static async start(
    files: Readonly<Record<string, string>> = {},
    options: string[] = [],
  ): Promise<Ui> {
    const root = mkdtempSync(join(tmpdir(), 'netloom-ui-'));
    const folder = join(root, 'lab');
    const state = join(root, 'state');
    mkdirSync(folder);
    mkdirSync(state, { mode: 0o700 });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const server = spawn(NETLOOM, ['ui', folder, '--no-open', '--port', '0', ...options], {
      cwd: folder,
      env: { ...process.env, NETLOOM_STATE_DIR: state },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const address = await firstAddress(server);
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    });
    return new Ui(folder, address, server, browser, state);
  }

  /** A page with a session. */
  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width: 1440, height: 900 },
      ...options,
    });
    await context.tracing.start({ snapshots: true });
    this.contexts.push(context);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(`page: ${error.message}`));
    page.on('console', (message) => {
      // A 304 or 412 of a file is an answer, which Chromium reports as a failed load.
      if (message.type() === 'error' && !/status of (304|412|422)/.test(message.text())) {
        this.complaints.push(`console: ${message.text()} ${message.location().url}`);
      }
    });
    await page.goto(this.address);
    await page.getByRole('button', { name: 'New scenario' }).waitFor();
    return page;
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  exists(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** Runs the command line in the folder, on the same experiments. */
  async netloom(...args: string[]): Promise<Output> {
    try {
      const { stdout, stderr } = await run(NETLOOM, args, {
        cwd: this.folder,
        env: { ...process.env, NETLOOM_STATE_DIR: this.state },
        maxBuffer: 2 ** 26,
      });
      return { code: 0, stdout, stderr };
    } catch (failure) {
      const { code, stdout, stderr } = failure as Output & Error;
      return { code, stdout, stderr };
    }
  }

  /** Ends all; keeps traces if the test has failed. */
  async stop(failed: string | null = null): Promise<void> {
    for (const [i, context] of this.contexts.entries()) {
      if (failed === null) await context.tracing.stop();
      else {
        mkdirSync(RESULTS, { recursive: true });
        const name = failed.replace(/\W+/g, '-').slice(0, 80);
        for (const page of context.pages())
          await page.screenshot({ path: `${RESULTS}/${name}-${i}.png` });
        await context.tracing.stop({ path: `${RESULTS}/${name}-${i}.zip` });
      }
    }
    await this.browser.close();
    for (const name of this.experiments) await this.netloom('destroy', name);
    const ended = new Promise((done) => this.server.once('exit', done));
    this.server.kill('SIGINT');
    await ended;
    rmSync(dirname(this.folder), { recursive: true, force: true });
  }
}

function firstAddress(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    server.stdout?.on('data', (data: Buffer) => {
      out += data.toString();
      const found = /http:\/\/\S+#\S+/.exec(out);
      if (found) resolve(found[0]);
    });
    server.stderr?.on('data', (data: Buffer) => (err += data.toString()));
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`netloom ui ended with ${code}: ${err}`)));
  });
}

/** Waits until something holds; what it last was is in the error. */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  holds: (value: T) => boolean,
  limit = 30_000,
): Promise<T> {
  const end = Date.now() + limit;
  let value = await look();
  while (!holds(value)) {
    if (Date.now() > end) throw new Error(`${what}: still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 100));
    value = await look();
  }
  return value;
}
