import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { until, type Ui } from './harness';
import { find, GONE, Labs, shell } from './lab';

const labs = new Labs();
/** The experiment of the test. */
let lab = 'lab';

async function deployed(text: string): Promise<{ own: Ui; page: Page }> {
  const { own, page, name } = await labs.deployed(text);
  lab = name;
  return { own, page };
}

const PAIR = `name: lab
topology:
  nodes: { alice: , bob: }
  links:
    - { endpoints: [alice, bob], rate: 20Mbit/s, delay: 5ms, name: wire }
trust: { for: functional }
`;

test('a rate set by the slider under traffic is in inspect, in the receiver’s rate, and in the timeline', async () => {
  const { own, page } = await deployed(PAIR);
  const server = own.netloom('exec', `bob@${lab}`, 'iperf3', '--server', '--one-off', '--json');
  const client = own.netloom(
    'exec',
    `alice@${lab}`,
    'sh',
    '-c',
    'until iperf3 --client bob --time 30 --json; do sleep 0.2; done',
  );
  await find(page, 'wire');
  await until(
    '20 Mbit/s flow',
    () => page.locator('aside').innerText(),
    (text) => /→ now\s+1[89]\.\d Mbit\/s/.test(text),
  );

  const slider = page.getByRole('slider', { name: 'rate, slider' });
  await slider.focus();
  // A tenth of the slider's way is a quarter of the rate.
  await page.keyboard.press('PageDown');

  const rates = await until(
    'inspect shows the new rate',
    async () => {
      const { stdout } = await own.netloom('inspect', lab, '--format', 'json');
      const links = (
        JSON.parse(stdout) as {
          links: { forward: { config: { rate: string } }; reverse: { config: { rate: string } } }[];
        }
      ).links;
      return links.map((link) => [link.forward.config.rate, link.reverse.config.rate]);
    },
    (rates) => rates[0]?.[0] === '5Mbit/s',
  );
  expect(rates).toEqual([['5Mbit/s', '5Mbit/s']]);
  await until(
    'the page shows 5 Mbit/s',
    () => page.locator('aside').innerText(),
    (text) => /→ now\s+[45]\.\d\d Mbit\/s/.test(text),
  );

  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByText(/As a list/).click();
  await page.locator('td', { hasText: 'wire: rate 5Mbit/s (by request)' }).first().waitFor();
  const report = JSON.parse((await server).stdout) as {
    intervals: { sum: { bits_per_second: number } }[];
  };
  await client;
  const last = report.intervals.slice(-3, -1).map(({ sum }) => sum.bits_per_second);
  for (const rate of last) expect(rate).toBeLessThan(5e6);
  for (const rate of last) expect(rate).toBeGreaterThan(3e6);

  // What was before is one click away.
  await page.getByRole('button', { name: 'Put back' }).click();
  await until(
    'the rate before',
    () => page.getByRole('textbox', { name: 'rate' }).inputValue(),
    (text) => text === '20Mbit/s',
  );
});

test('ten links in one change have one time stamp', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `l${index}`);
  const { own, page } = await deployed(
    `name: lab
topology:
  nodes: { hub: { kind: router }, ${names.map((name) => `h-${name}: `).join(', ')} }
  links:
${names.map((name) => `    - { endpoints: [hub, h-${name}], name: ${name} }`).join('\n')}
`,
  );
  await page.getByRole('application').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Select the 10 links between them' }).click();
  await page.getByText('10 links', { exact: true }).waitFor();
  const field = page.getByRole('textbox', { name: 'delay' });
  await field.fill('30ms');
  await field.press('Enter');
  const changes = await until(
    'the event',
    async () => {
      const { stdout } = await own.netloom('inspect', lab, '--format', 'json');
      return (
        JSON.parse(stdout) as {
          links: {
            forward: { config: { delay: string } };
            reverse: { config: { delay: string } };
          }[];
        }
      ).links.flatMap((link) => [link.forward.config.delay, link.reverse.config.delay]);
    },
    (delays) => delays.every((delay) => delay === '30ms'),
  );
  expect(changes).toHaveLength(20);
  await page.getByRole('tab', { name: 'Events' }).click();
  const lines = page
    .getByRole('log')
    .getByRole('button')
    .filter({ hasText: 'and 8 more: delay 30ms' });
  expect(await lines.count()).toBe(1);
  await page.getByRole('button', { name: 'Copy as command' }).click();
  expect(await page.locator('pre.copied').innerText()).toContain(
    `netloom set l0@${lab} delay=30ms`,
  );
});

/** What is compared of an answer of /v1/verdict. */
interface Told {
  judgement: string;
  links: string;
  programs: string;
  trust: { delay: string };
  bound: { pipes: unknown[] };
  signals: { signal: string; held: string; shares: { who: { kind: string; name?: string } }[] }[];
}
/** Whether the hog on node `bob` is held against the run. */
const blames = ({ programs, signals }: Told): boolean =>
  programs !== 'valid' &&
  signals.some(
    ({ signal, held, shares }) =>
      signal === 'cpu' &&
      held !== '0ns' &&
      held !== '0s' &&
      shares.slice(0, 3).some(({ who }) => who.name === 'bob'),
  );

test('a hog turns the badge, which says what /v1/verdict says', async () => {
  const { own, page } = await deployed(
    PAIR.replace('trust: { for: functional }', 'trust: { for: delay, waits: 1% }'),
  );
  // Every answer that the page gets, and what the badge says once it has it.
  let [asked, compared, turned] = [0, 0, Infinity];
  const wrong: string[] = [];
  page.on('response', async (response) => {
    if (!response.url().endsWith('/v1/verdict')) return;
    const told = (await response.json().catch(() => null)) as Told | null;
    if (told === null) return;
    asked += 1;
    const mine = asked;
    if (blames(told)) turned = Math.min(turned, asked);
    const text = await until(
      'the badge',
      () => page.locator('button.verdict').innerText(),
      (text) =>
        asked !== mine ||
        (text.includes(`links ${shapes[told.links]} ${told.links}`) &&
          text.includes(`programs ${shapes[told.programs]} ${told.programs}`)),
      5000,
    ).catch(String);
    if (asked !== mine) return;
    compared += 1;
    if (!text.includes(told.judgement)) wrong.push(`${told.judgement}: ${text}`);
    if (told.bound.pipes.length > 0 && !text.includes(` of ${told.trust.delay}`))
      wrong.push(`bound: ${text}`);
  });
  await page.getByRole('button', { name: /Contention/ }).click();
  const strip = page.locator('table.strip');
  const hogs = Array.from({ length: 4 }, () =>
    own.netloom('exec', `bob@${lab}`, 'timeout', '60', 'sh', '-c', 'while :; do :; done'),
  );
  await until(
    'the badge turns, and the strip names a CPU and the node',
    async () => `${await page.locator('button.verdict').innerText()} ${await strip.innerText()}`,
    (text) =>
      /programs (◆ suspect|■ invalid)/.test(text) &&
      /CPU \d/.test(text) &&
      text.includes('node bob'),
    60_000,
  );
  expect(asked - turned).toBeLessThanOrEqual(2);
  await page.locator('button.verdict').click();
  await page
    .getByRole('button', { name: /Show where and when: programs of node bob/ })
    .first()
    .click();
  await page
    .locator('aside .title', { hasText: 'bob' })
    .waitFor()
    .catch(() => {});
  await until(
    'ten samples were compared',
    () => compared,
    (number) => number >= 10,
    60_000,
  );
  expect(wrong).toEqual([]);
  await own.netloom('destroy', lab);
  labs.expected = GONE;
  await Promise.all(hogs);
});
const shapes: Record<string, string> = { valid: '●', suspect: '◆', invalid: '■' };

test('a terminal shows hostile output as text, asks before it pastes lines, and says when its shell is gone', async () => {
  const { page } = await deployed(PAIR);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => navigator.clipboard.writeText('mine'));
  await shell(page, 'alice');
  const pane = page.getByRole('region', { name: 'Terminal of alice' });
  const screen = () => pane.locator('.xterm-rows').innerText();
  const title = await page.title();
  await page.keyboard.type(
    String.raw`printf '\033]52;c;ZXZpbA==\007\033]0;evil\007\033]2;evil\007\033]8;;http://evil.example\007link\033]8;;\007 <script>document.title="x"</script> ü→\n'`,
  );
  await page.keyboard.press('Enter');
  await until('the output', screen, (text) =>
    text.includes('link <script>document.title="x"</script> ü→\n'),
  );
  expect(await page.title()).toBe(title);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
  await pane.getByText('link', { exact: false }).last().click({ force: true });
  expect(page.context().pages()).toHaveLength(1);

  await page.evaluate(() => navigator.clipboard.writeText('echo one\necho two\n'));
  await pane.locator('textarea').focus();
  await page.keyboard.press('Control+Shift+V');
  const asks = page.getByRole('alertdialog');
  await asks.waitFor();
  expect(await asks.innerText()).toContain('Paste 2 lines');
  await asks.getByRole('button', { name: 'Cancel' }).click();
  expect(await screen()).not.toMatch(/^one$/m);
  await page.keyboard.press('Control+Shift+V');
  await asks.getByRole('button', { name: 'Paste' }).click();
  // The shell has bracketed paste: even then it waits for a key.
  await until('the lines', screen, (text) => text.includes('echo two'));
  await page.keyboard.press('Enter');
  await until('both ran', screen, (text) => /^one$/m.test(text) && /^two$/m.test(text));

  await page.keyboard.type('stty size');
  await page.keyboard.press('Enter');
  const size = /^(\d+) (\d+)$/m.exec(
    await until('a size', screen, (text) => /^\d+ \d+$/m.test(text)),
  );
  expect(Number(size?.[2])).toBeGreaterThan(100);
  await page.keyboard.type('exit 7');
  await page.keyboard.press('Enter');
  await pane.getByText('ended with code 7').waitFor();
  expect(await screen()).toContain('exit 7');
});

test('when the engine is killed, the page says so, and the last picture stays', async () => {
  const { own, page } = await deployed(PAIR);
  labs.expected = GONE;
  const { stdout } = await own.netloom('inspect', lab, '--format', 'json');
  const pid = JSON.parse(stdout) as { experiment?: { engine_pid: number }; engine_pid?: number };
  const engine = pid.engine_pid ?? pid.experiment?.engine_pid;
  expect(engine).toBeGreaterThan(1);
  process.kill(engine as number, 'SIGKILL');
  const banner = page.getByRole('alert').filter({ hasText: 'The experiment is gone.' });
  await banner.waitFor();
  expect(await banner.innerText()).toMatch(/The picture is of \d\d:\d\d/);
  await page.getByRole('application').waitFor();
  expect(await banner.getByRole('button', { name: 'Clean up' }).isEnabled()).toBe(true);
  await own.netloom('cleanup', lab);
});

test('keys that are typed before a terminal is connected are not lost', async () => {
  const { page } = await deployed(PAIR);
  await find(page, 'alice');
  // The connection is held back until the keys were typed.
  let open = (): void => {};
  const typed = new Promise<void>((done) => (open = done));
  await page.route('**/api/tickets', async (route) => {
    await typed;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Terminal', exact: true }).click();
  const pane = page.getByRole('region', { name: 'Terminal of alice' });
  await pane.locator('textarea').focus();
  await page.keyboard.type('echo early-$((40 + 2))\n');
  open();
  await until(
    'the output',
    () => pane.locator('.xterm-rows').innerText(),
    (text) => text.includes('early-42'),
  );
});
