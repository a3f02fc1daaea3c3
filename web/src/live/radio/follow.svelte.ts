/** What the page asks of the engine while radio is looked at, and what it changes there. */

import { page } from '../../state.svelte';
import { ApiFailure, api, engine } from '../http';
import { live } from '../live.svelte';
import { RADIO } from '../overlay/radio';
import type { Neighbours } from '../types';

/** Whether radio is looked at: the overlay, or a station's panel. */
export function looking(): boolean {
  if (page.mode !== 'live' || live.recording !== null || live.radio.air === null) return false;
  return page.overlay === RADIO || live.radio.air.has(page.selection.nodes[0] ?? '');
}

/** Asks while radio is looked at; called once, where the page is made. */
export function followRadio(): void {
  const on = $derived(looking());
  const sender = $derived(on ? (page.selection.nodes[0] ?? null) : null);
  $effect(() => {
    live.ask({ stations: on, positions: on });
    if (!on) return;
    const want = (): void => {
      live.want('neighbours');
      live.want('media');
    };
    want();
    const timer = setInterval(want, 1000);
    return () => clearInterval(timer);
  });
  // Who is hidden is told of one sender only. It is asked whenever who hears whom was.
  $effect(() => {
    const { hearing, air } = live.radio;
    if (hearing !== null && sender !== null && air?.has(sender)) void askHidden(sender);
  });
}

async function askHidden(sender: string): Promise<void> {
  const { experiment } = live;
  try {
    const path = engine(experiment ?? '', `neighbours/${encodeURIComponent(sender)}`);
    const answer = await api.get<Neighbours[]>(path);
    if (live.experiment === experiment && page.selection.nodes[0] === sender)
      live.radio.takeHidden(sender, answer);
  } catch (failure) {
    if (!(failure instanceof ApiFailure)) throw failure;
    if (failure.status !== 0 && failure.status !== 401) page.say(failure.message);
  }
}

/** Moves nodes to places in m, all at one instant. */
export async function place(places: ReadonlyMap<string, readonly [number, number]>): Promise<void> {
  const nodes = [...places.keys()];
  const { air } = live.radio;
  const heights = nodes.map((node) => air?.z[air.of(node)[0] ?? -1] ?? 0);
  const round = (of: number): number => Math.round(of * 100) / 100;
  const [x, y] = [0, 1].map((k) => [...places.values()].map((at) => round(at[k])));
  await change(
    'positions',
    { nodes, x, y, z: heights },
    nodes.length === 1 ? `${nodes[0]} is at [${x[0]}m, ${y[0]}m]` : `${nodes.length} nodes moved`,
  );
  live.want('neighbours');
  live.want('media');
}

/** Changes a station on all media of its node. */
export async function setStation(
  node: string,
  set: { on?: boolean; power?: string },
): Promise<void> {
  const media = new Set(live.radio.air?.of(node).map((i) => live.radio.air?.stations[i].medium));
  for (const medium of media) {
    const path = `media/${encodeURIComponent(medium ?? '')}`;
    await change(path, { stations: [{ node, ...set }] }, `${node}: ${JSON.stringify(set)}`);
  }
  live.want('neighbours');
  live.want('media');
}

async function change(path: string, body: object, done: string): Promise<void> {
  try {
    await api.patch(engine(live.experiment ?? '', path), body);
    page.say(done);
  } catch (failure) {
    if (!(failure instanceof ApiFailure)) throw failure;
    page.say([failure.message, failure.help].filter(Boolean).join(' '));
  }
}
