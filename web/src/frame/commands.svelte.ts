/** All that the page can be asked for, once: buttons, keys, Ctrl-K and `?` use the same list. */

import * as actions from '../draw/actions';
import { doc } from '../draw/document.svelte';
import { jobs } from '../draw/jobs.svelte';
import { api, ApiFailure } from '../live/http';
import { live } from '../live/live.svelte';
import { DOCK_TABS, page } from '../state.svelte';
import { canvas } from './canvas.svelte';

export interface Command {
  readonly id: string;
  readonly title: string;
  /** As keys are written: `Ctrl+S`, `h`. Single letters are keys of the canvas. */
  readonly keys?: string;
  readonly when?: () => boolean;
  readonly run: () => void;
}

const drawing = (): boolean => page.mode === 'draw' && doc.path !== null;
const writable = (): boolean => live.about?.read_only !== true;
const lives = (): boolean => page.experiment !== null;

function add(kind: 'host' | 'router' | 'switch'): void {
  const spot = canvas.spot();
  const name = actions.addNewNode(kind, [spot.x, spot.y], spot.byPointer);
  canvas.moveFocus(name);
}

/** Saves, then starts; shows the experiment when it is up. */
export async function start(command: 'deploy' | 'run' | 'simulate'): Promise<void> {
  if (doc.path === null || (doc.dirty && !(await doc.save()))) return;
  if (doc.errors > 0) page.openDock('problems');
  const name = doc.graph.name ?? null;
  const file = doc.path;
  if (command === 'deploy') {
    if ((await jobs.start('deploy', { file })) === 0 && name !== null) show(name);
    return;
  }
  // A run is watched while it goes on.
  const ended = jobs.start(command, { file });
  if (name !== null) show(name);
  await ended;
}

function show(name: string): void {
  page.experiment = name;
  page.mode = 'live';
  page.clearSelection();
}

/** Asks what `apply` would do, and shows it; the second step applies it. */
export async function plan(): Promise<void> {
  if (doc.path === null || (doc.dirty && !(await doc.save()))) return;
  try {
    jobs.plan = await api.post('/api/plan', { file: doc.path });
    const steps = jobs.plan?.steps.length ?? 0;
    page.say(
      jobs.plan?.refused ?? (steps === 0 ? 'nothing to apply' : `apply would take ${steps} steps`),
    );
  } catch (failure) {
    if (!(failure instanceof ApiFailure)) throw failure;
    page.say(failure.message);
  }
}

export async function applyPlan(): Promise<void> {
  const file = doc.path;
  jobs.plan = null;
  if (file !== null) await jobs.start('apply', { file });
}

/** The experiment of the open file, if it runs. */
export function deployed(experiments: readonly { name: string; alive: boolean }[]): boolean {
  return experiments.some((of) => of.alive && of.name === doc.graph.name);
}

export const COMMANDS: readonly Command[] = [
  { id: 'host', title: 'Add a host', keys: 'h', when: drawing, run: () => add('host') },
  { id: 'router', title: 'Add a router', keys: 'r', when: drawing, run: () => add('router') },
  { id: 'switch', title: 'Add a switch', keys: 's', when: drawing, run: () => add('switch') },
  {
    id: 'link',
    title: 'Link from the focused node: L, arrows, Enter',
    keys: 'l',
    when: drawing,
    run: () => canvas.take(),
  },
  {
    id: 'remove',
    title: 'Remove the selected',
    keys: 'Delete',
    when: drawing,
    run: actions.removeSelected,
  },
  {
    id: 'duplicate',
    title: 'Duplicate the selected',
    keys: 'Ctrl+D',
    when: drawing,
    run: actions.duplicateSelected,
  },
  {
    id: 'row',
    title: 'Align the selected in a row',
    keys: 'a',
    when: drawing,
    run: () => actions.align('y'),
  },
  {
    id: 'column',
    title: 'Align the selected in a column',
    keys: 'A',
    when: drawing,
    run: () => actions.align('x'),
  },
  { id: 'arrange', title: 'Arrange all anew', when: drawing, run: actions.arrange },
  { id: 'all', title: 'Select all', keys: 'Ctrl+A', run: () => page.select(canvas.names()) },
  { id: 'undo', title: 'Undo', keys: 'Ctrl+Z', when: drawing, run: () => doc.undo() },
  { id: 'redo', title: 'Redo', keys: 'Ctrl+Shift+Z', when: drawing, run: () => doc.redo() },
  {
    id: 'save',
    title: 'Save the file',
    keys: 'Ctrl+S',
    when: () => drawing() && writable(),
    run: () => void doc.save(),
  },
  {
    id: 'deploy',
    title: 'Deploy: bring the network up',
    when: () => drawing() && writable(),
    run: () => void start('deploy'),
  },
  {
    id: 'run',
    title: 'Run: deploy, processes, results, verdict',
    when: () => drawing() && writable(),
    run: () => void start('run'),
  },
  {
    id: 'simulate',
    title: 'Simulate in virtual time',
    when: () => drawing() && writable(),
    run: () => void start('simulate'),
  },
  {
    id: 'apply',
    title: 'Apply the file to the running network: show the plan',
    when: () => drawing() && writable(),
    run: () => void plan(),
  },
  {
    id: 'destroy',
    title: 'Destroy the experiment',
    when: () => lives() && writable(),
    run: () => void jobs.start('destroy', { experiment: page.experiment }),
  },
  { id: 'draw', title: 'Draw: the file', keys: 'd', run: () => (page.mode = 'draw') },
  {
    id: 'live',
    title: 'Live: the experiment',
    keys: 'v',
    when: lives,
    run: () => (page.mode = 'live'),
  },
  { id: 'table', title: 'Table or canvas', keys: 't', run: () => (page.table = !page.table) },
  { id: 'fit', title: 'Show all of the network', keys: '0', run: () => canvas.fit() },
  { id: 'in', title: 'Larger', keys: '+', run: () => canvas.zoom(1.25) },
  { id: 'out', title: 'Smaller', keys: '-', run: () => canvas.zoom(0.8) },
  { id: 'svg', title: 'Save the picture as SVG', run: () => canvas.saveSvg() },
  { id: 'png', title: 'Save the picture as PNG', run: () => void canvas.savePng(1) },
  { id: 'png2', title: 'Save the picture as PNG, 2 ×', run: () => void canvas.savePng(2) },
  { id: 'search', title: 'Find a node or a link', keys: 'f', run: () => (page.dialog = 'search') },
  { id: 'commands', title: 'Run a command', keys: 'Ctrl+K', run: () => (page.dialog = 'commands') },
  { id: 'keys', title: 'All keys', keys: '?', run: () => (page.dialog = 'keys') },
  ...DOCK_TABS.map(({ id, title }): Command => ({
    id: `dock-${id}`,
    title: `Dock: ${title}`,
    run: () => (page.dock = page.dock === id ? null : id),
  })),
];

/** Keys of the canvas that are in no list of commands, for `?`. */
export const CANVAS_KEYS: readonly (readonly [string, string])[] = [
  ['Arrows', 'to the nearest node that way'],
  ['Enter', 'open: a shell in Live, the form in Draw (Shift: the canvas keeps the focus)'],
  ['Space', 'select or not'],
  ['Shift+Arrows', 'move the selected: on the drawing, or stations on the map of radio'],
  ['Alt+Arrows', 'move the view'],
  ['Esc', 'leave what is under way; select nothing'],
  ['1 … 9', 'overlays, in Live'],
  ['Shift+drag', 'select what is in a box'],
  ['Wheel, pinch', 'zoom; two fingers, right button or drag on empty ground: move the view'],
];

export const available = (): Command[] => COMMANDS.filter((of) => of.when?.() ?? true);

function written(event: KeyboardEvent): string {
  const ctrl = event.ctrlKey || event.metaKey ? 'Ctrl+' : '';
  const shift = ctrl && event.shiftKey ? 'Shift+' : '';
  const key = event.key.length === 1 && ctrl ? event.key.toUpperCase() : event.key;
  return ctrl + shift + (key === 'Backspace' ? 'Delete' : key);
}

/** Whether keys go to text that is being written. */
function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable="true"], .cm-editor, .xterm') !== null
  );
}

/** Runs the command of a key, wherever the focus is. Returns whether there is one. */
export function onKey(event: KeyboardEvent): boolean {
  if (page.dialog !== null) return false;
  const keys = written(event);
  const everywhere = keys === 'Ctrl+K' || keys === 'Ctrl+S';
  if (typing(event.target) && !everywhere) return false;
  if (!everywhere && event.altKey) return false;
  if (page.mode === 'live' && /^[1-9]$/.test(keys)) {
    page.overlay = Number(keys);
    return true;
  }
  const command = available().find((of) => of.keys === keys);
  command?.run();
  return command !== undefined;
}
