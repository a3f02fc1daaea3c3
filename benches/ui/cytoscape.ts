// @ts-nocheck: Cytoscape is installed only while this is measured.
// The same network drawn by Cytoscape, styled alike, for benches/ui/run.mjs.
import cytoscape from 'cytoscape';

const host = document.createElement('div');
host.style.cssText = 'position:absolute;inset:0';
document.body.append(host);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let cy;
let base;
let edges;

window.bench = {
  begin({ nodes, links }) {
    cy = cytoscape({
      container: host,
      elements: [
        ...nodes.map(([x, y], i) => ({ data: { id: `n${i}` }, position: { x, y } })),
        ...links.map(([a, b], i) => ({ data: { id: `l${i}`, source: `n${a}`, target: `n${b}`, level: 0 } })),
      ],
      style: [
        { selector: 'node', style: { width: 22, height: 22, label: 'data(id)', 'font-size': 12, 'background-color': colour('--surface'), 'border-width': 1.8, 'border-color': colour('--text'), 'min-zoomed-font-size': 9 } },
        { selector: 'edge', style: { width: 1.5, 'line-color': colour('--s0'), 'curve-style': 'haystack' } },
        ...[1, 2, 3, 4].map((level) => ({ selector: `edge[level=${level}]`, style: { 'line-color': colour(`--s${level}`), width: 1.2 + level * 1.5 } })),
      ],
      layout: { name: 'preset' },
      // As fast as it can be asked to be.
      textureOnViewport: false, hideEdgesOnViewport: false, pixelRatio: 1,
    });
    cy.fit(undefined, 64);
    base = { zoom: cy.zoom(), pan: { ...cy.pan() } };
    edges = cy.edges();
  },
  change(links, levels) {
    cy.batch(() => links.forEach((link, i) => edges[link].data('level', levels[i])));
  },
  frame({ dx, dy, zoom }) {
    const [w, h] = [window.innerWidth / 2, window.innerHeight / 2];
    cy.viewport({
      zoom: base.zoom * zoom,
      pan: { x: w - (w - base.pan.x) * zoom - dx * zoom, y: h - (h - base.pan.y) * zoom - dy * zoom },
    });
  },
};
