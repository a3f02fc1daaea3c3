// How the rest of the page opens a terminal, without loading the terminal itself.

import { terminals } from './terminals.svelte';

/** Opens a shell in a node. `keepFocus`: the canvas keeps the keys. */
export function openTerminal(node: string, keepFocus: boolean): void {
  terminals.open(node, { keepFocus });
}
