/** The network that the middle shows: of the file in Draw, of the experiment in Live. */

import { doc, type Graph } from '../draw/document.svelte';
import { ApiFailure, api } from '../live/http';
import { live } from '../live/live.svelte';
import { RADIO } from '../live/overlay/radio';
import { place } from '../live/radio/follow.svelte';
import { follow, mapScene, stepOf, toMetres } from '../live/radio/map';
import { HOP, sceneOf, type GraphInput, type Place } from '../scene/graph';
import { KINDS, Scene, type Kind } from '../scene/scene';
import { page } from '../state.svelte';

const NONE = new Scene([], []);

/** An experiment's network as the canvas takes it. A switch's ports, and what is outside, are ends
 * of links that are no nodes of the engine's list. */
function graphOf(
  network: NonNullable<typeof live.network>,
  failed: ReadonlySet<string>,
): GraphInput {
  const known = new Set(network.nodes.map((node) => node.name));
  const kind = (of: string): Kind => KINDS.find((one) => one === of) ?? 'host';
  const outside = new Set<string>();
  for (const link of network.links) {
    for (const end of link.endpoints) if (!known.has(end.node)) outside.add(end.node);
  }
  return {
    nodes: [
      ...network.nodes.map((node) => ({
        name: node.name,
        kind: kind(String(node.kind)),
        failed: failed.has(node.name),
        simulated: 'simulated' in node && node.simulated === true,
      })),
      ...[...outside].map((name) => ({ name, kind: 'outside' as const })),
    ],
    links: network.links.map((link) => ({
      name: link.name,
      ends: link.endpoints.map((end) => ({ node: end.node, interface: end.interface })),
    })),
  };
}

class Shown {
  private places = $state.raw<ReadonlyMap<string, Place>>(new Map());
  private laidOut = '';

  private readonly graph = $derived(live.network ? graphOf(live.network, live.failed) : null);

  /** The scene of a map of stations, while radio is shown. */
  private readonly map = $derived.by(() => {
    const { air, units } = live.radio;
    if (page.mode !== 'live' || page.overlay !== RADIO || !this.graph || !air) return null;
    return mapScene(this.graph, air, units);
  });

  readonly scene = $derived(
    page.mode === 'draw'
      ? doc.scene
      : this.map
        ? this.map
        : this.graph && this.places.size > 0
          ? sceneOf(this.graph, new Set(), this.places)
          : NONE,
  );

  /** What the picture is of: another subject is shown whole. */
  readonly subject = $derived(
    page.mode === 'draw'
      ? `file ${doc.path}`
      : `${this.map ? 'map' : 'experiment'} ${page.experiment}`,
  );

  /** Length of a step of the arrow keys on the plane. */
  readonly step = $derived(this.map ? stepOf(live.radio.units) * live.radio.units : 20);

  /** Whether a node can be moved: stations, on the map. */
  movable(name: string): boolean {
    return (
      this.map !== null &&
      live.radio.air?.has(name) === true &&
      !live.stale &&
      live.about?.read_only !== true
    );
  }

  /** Moves stations to where they are now. */
  followStations(): void {
    void live.tick;
    const { air, units, held } = live.radio;
    if (this.map && air) follow(this.map, air, units, held);
  }

  /** Places for a living network: those of the drawing if it is the same, else a layout. */
  async layOut(): Promise<void> {
    const { graph } = this;
    if (!graph || page.mode !== 'live') return;
    const key = `${live.experiment} ${graph.nodes.map((node) => node.name).join(' ')}`;
    if (key === this.laidOut) return;
    this.laidOut = key;
    const places = new Map<string, Place>();
    if (doc.graph.name === live.experiment) {
      for (const node of doc.scene.nodes) places.set(node.name, [node.x, node.y]);
    }
    const before = this.places;
    for (const { name } of graph.nodes) {
      const place = places.get(name) ?? before.get(name);
      if (place) places.set(name, place);
    }
    if (graph.nodes.some((node) => !places.has(node.name))) await this.ask(graph, places);
    if (key === this.laidOut) this.places = places;
  }

  private async ask(graph: GraphInput, places: Map<string, Place>): Promise<void> {
    const text = live.scenario && 'text' in live.scenario ? live.scenario.text : null;
    const index = new Map(graph.nodes.map((node, i) => [node.name, i]));
    try {
      // The file in force knows more than the links: geography, places of its drawing.
      if (places.size === 0 && typeof text === 'string') {
        const resolved = await api.post<Graph>('/api/graph', { text, file: null, layout: true });
        for (const { name, point } of resolved.nodes) {
          if (point) places.set(name, [point[0] * HOP, point[1] * HOP]);
        }
        if (graph.nodes.every((node) => places.has(node.name))) return;
      }
      const edges = graph.links.map((link) => link.ends.map((end) => index.get(end.node)));
      const fixed = graph.nodes.flatMap((node, i) => {
        const place = places.get(node.name);
        return place ? [[i, place[0] / HOP, place[1] / HOP]] : [];
      });
      const { points } = await api.post<{ points: [number, number][] }>('/api/layout', {
        count: graph.nodes.length,
        edges,
        fixed,
      });
      graph.nodes.forEach(({ name }, i) => {
        if (!places.has(name)) places.set(name, [points[i][0] * HOP, points[i][1] * HOP]);
      });
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      graph.nodes.forEach(({ name }, i) =>
        places.set(name, [(i % 12) * HOP, Math.floor(i / 12) * HOP]),
      );
    }
  }

  move(moved: ReadonlyMap<string, Place>): void {
    if (this.map) {
      const { units } = live.radio;
      const places = new Map([...moved].map(([name, at]) => [name, toMetres(at, units)]));
      void place(places).finally(() => this.hold([]));
    } else this.places = new Map([...this.places, ...moved]);
  }

  /** Nodes that are being moved by hand, so not by the stream. */
  hold(names: readonly string[]): void {
    live.radio.held = new Set(names);
  }
}

export const shown = new Shown();
