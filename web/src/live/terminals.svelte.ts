/** Terminals of nodes: which there are, how they lie, and how the rest of the page opens one. */

import { page } from '../state.svelte';
import { live } from './live.svelte';
import { EMPTY, closed, focused, opened, split, type Layout } from './panes';

export interface Shell {
  id: number;
  experiment: string;
  node: string;
  /** Empty: the user's shell. */
  command: readonly string[];
}

class Terminals {
  layout = $state.raw<Layout>(EMPTY);
  shells = $state.raw<ReadonlyMap<number, Shell>>(new Map());
  /** What to say instead of a terminal. */
  refused = $state('');
  private next = 1;

  /** Opens a terminal in a node, beside the current one if `beside`. */
  open(
    node: string,
    {
      command = [],
      beside = false,
      keepFocus = false,
    }: { command?: readonly string[]; beside?: boolean; keepFocus?: boolean } = {},
  ): void {
    const experiment = live.experiment;
    this.refused = this.refusal(node);
    page.openDock('terminals');
    if (experiment === null || this.refused !== '') return;
    const id = this.next++;
    this.shells = new Map([...this.shells, [id, { id, experiment, node, command }]]);
    this.layout = beside ? split(this.layout, id) : opened(this.layout, id);
    this.takesFocus = !keepFocus;
  }

  /** Whether a terminal that appears takes the keys: not if the canvas keeps them (Shift). */
  takesFocus = true;

  close(id: number): void {
    this.layout = closed(this.layout, id);
    this.shells = new Map([...this.shells].filter(([of]) => of !== id));
  }

  focus(id: number): void {
    this.layout = focused(this.layout, id);
  }

  /** Why a node has no terminal; '' if it has one. */
  private refusal(node: string): string {
    if (live.experiment === null) return 'Nothing runs: deploy the network first.';
    if (live.about?.read_only === true) return 'This page only looks on.';
    const status = live.network?.node(node);
    if (status?.simulated === true) {
      return `${node} is simulated: no program runs in it. Make it real (simulated: false) to have a shell.`;
    }
    if (status?.kind === 'switch' || status?.kind === 'medium') {
      return `${node} is a ${status.kind}: it forwards frames and runs no programs.`;
    }
    if (status?.kind === 'outside') return `${node} is outside of the experiment.`;
    return '';
  }
}

export const terminals = new Terminals();
