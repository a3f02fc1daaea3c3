/** A double click or Enter on something: a shell in Live, its form in Draw. */

import { doc } from '../draw/document.svelte';
import { live } from '../live/live.svelte';
import { page } from '../state.svelte';
import { terminals } from '../live/terminals.svelte';

export function open({ node, link }: { node?: string; link?: string }, apart: boolean): void {
  if (link !== undefined) page.select([], [link]);
  if (node === undefined) return;
  page.select([node]);
  if (page.mode === 'live') {
    if (live.about?.read_only) page.say('this page only looks on: it opens no terminal');
    else terminals.open(node, { keepFocus: apart });
    return;
  }
  const stack = doc.graph.stacks.find((of) => of.written === node);
  if (stack && !doc.unfolded.has(node)) {
    doc.unfold(node, true);
    page.say(`${node}: ${stack.nodes.length} nodes`);
    return;
  }
  // The form is at the right; its first field gets the focus.
  if (!apart)
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('aside input, aside select')?.focus(),
    );
}
