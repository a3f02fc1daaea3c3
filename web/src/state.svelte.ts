/**
 * What all of the page shares: the mode, what is open, and what is selected. Nodes and links are
 * known by name, as in the file and in the API. Nothing else is global; what a part knows alone
 * stays in that part.
 */

export type Mode = 'draw' | 'live';
export type DockTab =
  'timeline' | 'terminals' | 'captures' | 'events' | 'processes' | 'yaml' | 'problems';

export const DOCK_TABS: readonly { id: DockTab; title: string }[] = [
  { id: 'timeline', title: 'Timeline' },
  { id: 'terminals', title: 'Terminals' },
  { id: 'captures', title: 'Captures' },
  { id: 'events', title: 'Events' },
  { id: 'processes', title: 'Processes' },
  { id: 'yaml', title: 'YAML' },
  { id: 'problems', title: 'Problems' },
];

export interface Selection {
  readonly nodes: readonly string[];
  readonly links: readonly string[];
}

const NOTHING: Selection = { nodes: [], links: [] };

class Page {
  /** `draw` shows a scenario file, `live` an experiment. */
  mode = $state<Mode>('draw');
  /** The path, under the server's folder, of the file that is open. */
  file = $state<string | null>(null);
  /** The experiment that is shown, or would be in `live`. */
  experiment = $state<string | null>(null);
  /** The live overlay: 1 throughput, 2 share, 3 queue, 4 as set, 5 contention, 6… part E. */
  overlay = $state(1);
  selection = $state.raw<Selection>(NOTHING);
  dock = $state<DockTab | null>(null);
  /** Height of the dock in pixels. */
  dockHeight = $state(236);
  /** The middle shows the network as a table instead of the canvas. */
  table = $state(false);
  /** The right side shows the verdict instead of what is selected. */
  verdict = $state(false);
  /** A dialog over the page. */
  dialog = $state<'keys' | 'commands' | 'search' | null>(null);
  /** A line of text for the status bar, and for screen readers at once. */
  said = $state('');
  /** Where the canvas shall go next; the canvas takes it. */
  target = $state.raw<Selection | null>(null);

  select(nodes: readonly string[], links: readonly string[] = []): void {
    this.selection = { nodes: [...nodes], links: [...links] };
    this.verdict = false;
  }

  clearSelection(): void {
    this.selection = NOTHING;
  }

  openDock(tab: DockTab): void {
    this.dock = tab;
  }

  /** Selects a node or a link and moves the canvas so that it is in view. */
  reveal(what: { node?: string; link?: string }): void {
    this.select(what.node ? [what.node] : [], what.link ? [what.link] : []);
    this.target = this.selection;
  }

  say(text: string): void {
    this.said = text;
  }
}

export const page = new Page();
