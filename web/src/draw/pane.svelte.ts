/** Where the YAML pane shall go next; it takes the line when it is there. */

import { page } from '../state.svelte';

class Pane {
  line = $state<number | null>(null);

  goTo(line: number): void {
    this.line = line;
    page.openDock('yaml');
  }
}

export const yamlPane = new Pane();
