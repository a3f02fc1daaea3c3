// CPU time per frame, of all processes of the browser, while a network is panned and zoomed and a
// tenth of its links change four times a second: our canvas and Cytoscape, by turns.
//   node benches/ui/run.mjs [ROUNDS] [SECONDS]      needs web/node_modules and Debian's chromium
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { made } from './network.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, '../../web');
const require = createRequire(join(web, 'package.json'));
const { chromium } = require('playwright-core');
const work = resolve(here, '../../target/bench-ui');
const [rounds, seconds] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 6)];
const VERSION = '3.34.0';

async function bundles() {
  mkdirSync(work, { recursive: true });
  if (!existsSync(join(work, 'node_modules/cytoscape'))) {
    writeFileSync(join(work, 'package.json'), '{"private": true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', `cytoscape@${VERSION}`], { cwd: work });
  }
  const { build } = await import(join(web, 'node_modules/vite/dist/node/index.js'));
  const css = readFileSync(join(web, 'src/tokens.css'), 'utf8');
  const pages = {};
  for (const name of ['ours', 'cytoscape']) {
    await build({
      configFile: false, logLevel: 'error', root: here,
      resolve: { alias: { cytoscape: join(work, 'node_modules/cytoscape') } },
      build: { outDir: join(work, name), emptyOutDir: true, lib: { entry: join(here, `${name}.ts`), formats: ['iife'], name: 'Bench', fileName: 'bench' } },
    });
    const file = readdirSync(join(work, name)).find((of) => of.endsWith('.js'));
    const script = readFileSync(join(work, name, file), 'utf8');
    pages[name] = `<!doctype html><style>${css} body{margin:0;overflow:hidden;background:var(--land)}</style><body><script>${script.replaceAll('</script', '<\\/script')}</script>`;
  }
  return pages;
}

/** CPU seconds of a process and all that it started. */
function cpu(pid) {
  const parents = new Map();
  const times = new Map();
  for (const of of readdirSync('/proc')) {
    if (!/^\d+$/.test(of)) continue;
    try {
      const fields = readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1].split(' ');
      parents.set(Number(of), Number(fields[1]));
      times.set(Number(of), (Number(fields[11]) + Number(fields[12])) / 100);
    } catch { /* It has ended meanwhile. */ }
  }
  let sum = 0;
  for (const of of times.keys()) {
    for (let at = of; at; at = parents.get(at)) if (at === pid) { sum += times.get(of); break; }
  }
  return sum;
}

async function measure(html, network) {
  const server = await chromium.launchServer({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  const browser = await chromium.connect(server.wsEndpoint());
  const page = await browser.newPage({ viewport: { width: 920, height: 780 } });
  await page.setContent(html);
  await page.evaluate((of) => window.bench.begin(of), network);
  const drive = (ms) => page.evaluate((time) => new Promise((done) => {
    const links = window.links ??= 0;
    const begin = performance.now();
    const main = [];
    let [frames, changed] = [0, 0];
    const step = (now) => {
      const t = (now - begin) / 1000;
      if (t * 1000 >= time) return done({ frames, main });
      const start = performance.now();
      if (t * 4 > changed) {
        changed++;
        const which = Array.from({ length: Math.floor(links / 10) }, (_, i) => (i * 10 + changed * 3) % links);
        window.bench.change(which, which.map((of) => (of + changed) % 5));
      }
      window.bench.frame({ dx: 160 * Math.sin(t * 1.7), dy: 110 * Math.cos(t * 1.3), zoom: 1.6 + 0.6 * Math.sin(t) });
      main.push(performance.now() - start);
      frames++;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }), ms);
  await page.evaluate((count) => { window.links = count; }, network.links.length);
  await drive(1000);
  const before = cpu(server.process().pid);
  const { frames, main } = await drive(seconds * 1000);
  const used = cpu(server.process().pid) - before;
  await browser.close();
  await server.close();
  main.sort((a, b) => a - b);
  return { frame: (used / frames) * 1000, p95: main[Math.floor(main.length * 0.95)], frames };
}

const median = (of) => [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)];
console.log(`${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}, no GPU; ${rounds} rounds of ${seconds} s`);
const pages = await bundles();
for (const [nodes, links] of [[1000, 2000], [5000, 10000]]) {
  const network = made(nodes, links);
  const all = { ours: [], cytoscape: [] };
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? ['cytoscape', 'ours'] : ['ours', 'cytoscape']) {
      all[name].push(await measure(pages[name], network));
    }
  }
  for (const name of ['ours', 'cytoscape']) {
    const of = all[name];
    console.log(`${nodes} nodes, ${links} links  ${name.padEnd(10)} ${median(of.map((o) => o.frame)).toFixed(1)} ms of CPU per frame, main thread p95 ${median(of.map((o) => o.p95)).toFixed(1)} ms, ${median(of.map((o) => o.frames / seconds)).toFixed(0)} frames/s`);
  }
  console.log(`${nodes} nodes, ${links} links  ours ÷ Cytoscape ${median(all.ours.map((o, i) => o.frame / all.cytoscape[i].frame)).toFixed(2)}`);
}
