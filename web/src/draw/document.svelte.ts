/** The scenario file that is open: its text with undo, what the server resolved of it, and where it
 * stands against the file on disk. */

import type { components } from '../generated/ui';
import { freeName, place } from '../edit/scenario';
import { History } from '../edit/history';
import { HOP, sceneOf, type GraphInput, type Place } from '../scene/graph';
import { ApiFailure, api } from '../live/http';
import { page } from '../state.svelte';
import { placeNew } from './places';
import { schema } from './schema';

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly message: string;
  readonly help?: string | null;
}

export interface Graph extends GraphInput {
  readonly valid: boolean;
  readonly name?: string | null;
  readonly simulated_only?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly unit?: number | null;
  readonly stacks: readonly {
    written: string;
    nodes: readonly string[];
    line: number;
    end_line: number;
  }[];
}

const EMPTY: Graph = { valid: false, diagnostics: [], nodes: [], links: [], stacks: [] };
/** How long typing pauses before the server is asked, in ms. */
const PAUSE = 200;
/** How often the file on disk is looked at, in ms. */
const LOOK = 2000;

export const filePath = (path: string): string =>
  `/api/files/${path.split('/').map(encodeURIComponent).join('/')}`;

class Doc {
  path = $state<string | null>(null);
  text = $state('');
  /** The text on disk as this page knows it. */
  saved = $state('');
  graph = $state.raw<Graph>(EMPTY);
  /** Whether the graph is not yet that of the text. */
  checking = $state(false);
  /** Another text that the file has got from outside, while this one had unsaved edits. */
  outside = $state.raw<{ text: string; digest: string } | null>(null);
  canUndo = $state<string | null>(null);
  canRedo = $state<string | null>(null);
  unfolded = $state.raw<ReadonlySet<string>>(new Set());
  /** Where nodes are on this page; they stay there when the network changes. */
  private places = $state.raw<ReadonlyMap<string, Place>>(new Map());
  /** Where nodes were before they were moved, for undo: the file does not say it then. */
  private unmoved = new Map<string, Place>();
  /** Length of a hop in the unit of the file's places; `null` where they are on the Earth. */
  private unit: number | null | undefined;
  private digest: string | null = null;
  private history = new History({ text: '', what: 'open' });
  private timer = 0;
  private asked = 0;

  readonly dirty = $derived(this.text !== this.saved);
  readonly scene = $derived(sceneOf(this.graph, this.unfolded, this.places));
  readonly errors = $derived(this.graph.diagnostics.filter((of) => of.severity === 'error').length);

  async open(path: string): Promise<void> {
    const answer = await api.send(filePath(path));
    this.begin(path, await answer.text(), digestOf(answer));
  }

  /** A new file, which is written when it is saved. */
  create(path: string, text: string): void {
    this.begin(path, '', null);
    this.history = new History({ text, what: 'new' });
    this.text = text;
    this.check(0);
  }

  close(): void {
    this.path = page.file = null;
    this.graph = EMPTY;
    this.text = this.saved = '';
  }

  private begin(path: string, text: string, digest: string | null): void {
    this.path = page.file = path;
    this.text = this.saved = text;
    this.digest = digest;
    this.outside = null;
    this.graph = EMPTY;
    this.places = new Map();
    this.unmoved.clear();
    this.unit = undefined;
    this.unfolded = new Set();
    this.history = new History({ text, what: 'open' });
    this.steps();
    page.clearSelection();
    // Forms need it soon.
    void schema();
    this.check(0);
  }

  /** Takes an edit. Typing that goes on (`merge`) is one step of undo. */
  edit(text: string, what: string, merge = false): void {
    if (text === this.text) return;
    this.history.enter(text, what, performance.now(), merge);
    this.text = text;
    this.steps();
    this.check(merge ? PAUSE : 0);
    if (!merge) page.say(what);
  }

  undo(): void {
    const what = this.history.undo();
    this.stepped(what, 'undone');
  }

  redo(): void {
    const what = this.history.redo();
    this.stepped(what, 'done again');
  }

  private stepped(what: string | null, how: string): void {
    if (what === null) return;
    this.text = this.history.text;
    this.steps();
    this.check(0);
    page.say(`${how}: ${what}`);
  }

  private steps(): void {
    this.canUndo = this.history.canUndo;
    this.canRedo = this.history.canRedo;
  }

  /** Asks the server what the text is, after so many ms without another edit. */
  private check(after: number): void {
    this.checking = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), after);
  }

  private async ask(): Promise<void> {
    const asked = ++this.asked;
    const body = { text: this.text, file: this.path, layout: true };
    try {
      const graph: Graph = await api.post<components['schemas']['Graph']>('/api/graph', body);
      if (asked !== this.asked) return;
      this.putPlaces(graph);
      this.graph = graph;
    } catch (failure) {
      if (asked !== this.asked) return;
      if (!(failure instanceof ApiFailure)) throw failure;
      page.say(failure.message);
    }
    this.checking = false;
  }

  /** Nodes are where the file says; others stay where they are on this page. */
  private putPlaces(graph: Graph): void {
    // The unit of a file stays the same while it is open, whatever is moved.
    if (this.unit === undefined && graph.valid) this.unit = graph.unit ?? null;
    const places = new Map(this.places);
    const scale = (HOP * (graph.unit ?? 1)) / (this.unit ?? graph.unit ?? 1);
    for (const { name, point, drawn } of graph.nodes) {
      const before = this.unmoved.get(name);
      if (drawn && point) places.set(name, [point[0] * scale, point[1] * scale]);
      else if (before && places.has(name)) {
        places.set(name, before);
        this.unmoved.delete(name);
      }
    }
    // Among none that are on the page, the layout decides for all.
    this.places = placeNew(graph, this.places.size === 0 ? this.places : places);
  }

  /** Resolves when the graph is that of the text. */
  async settled(): Promise<void> {
    while (this.checking) await new Promise((done) => setTimeout(done, 20));
  }

  /** Where a node will be drawn that is about to be added. */
  expect(name: string, at: Place): void {
    this.places = new Map([...this.places, [name, at]]);
  }

  /** Nodes were moved: they stay there, and the file says so. */
  move(moved: ReadonlyMap<string, Place>): void {
    const stacks = new Set(this.graph.stacks.map((stack) => stack.written));
    const { unit } = this;
    if (unit === null) page.say('the file has places on the Earth, which are edited as text');
    const written = new Map<string, Place>();
    for (const [name, [x, y]] of moved) {
      if (stacks.has(name) || typeof unit !== 'number') continue;
      written.set(name, [hundredths(x) * unit, hundredths(y) * unit]);
      const before = this.places.get(name);
      const drawn = this.graph.nodes.some((node) => node.name === name && node.drawn);
      if (before && !drawn) this.unmoved.set(name, before);
    }
    this.places = new Map([...this.places, ...moved]);
    if (written.size > 0)
      this.edit(place(this.text, written), `move ${[...moved.keys()].join(', ').slice(0, 60)}`);
  }

  /** Forgets where nodes are; `refresh` has them laid out anew. */
  forgetPlaces(): void {
    this.places = new Map();
    this.unmoved.clear();
  }

  refresh(): void {
    this.check(0);
  }

  unfold(written: string, open: boolean): void {
    const next = new Set(this.unfolded);
    if (open) next.add(written);
    else next.delete(written);
    this.unfolded = next;
  }

  freeName(stem: string): string {
    return freeName(this.text, stem, new Set(this.graph.nodes.map((node) => node.name)));
  }

  /** Writes the file, if nobody else has meanwhile. */
  async save(): Promise<boolean> {
    if (this.path === null) return false;
    const { text } = this;
    const condition: Record<string, string> =
      this.digest === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${this.digest}"` };
    try {
      const answer = await api.send(filePath(this.path), {
        method: 'PUT',
        body: text,
        headers: { ...condition, 'Content-Type': 'text/plain; charset=utf-8' },
      });
      this.digest = digestOf(answer);
      this.saved = text;
      page.say(`${this.path} saved`);
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      if (failure.status === 412) await this.look(true);
      else page.say(`not saved: ${failure.message}`);
      return false;
    }
  }

  /** Looks whether the file has changed on disk. A new one is not there, unless it is `certain`. */
  async look(certain = false): Promise<void> {
    const { path } = this;
    if (path === null || this.outside !== null || (this.digest === null && !certain)) return;
    const headers: Record<string, string> = this.digest
      ? { 'If-None-Match': `"${this.digest}"` }
      : {};
    let answer: Response;
    try {
      answer = await api.send(filePath(path), { headers });
    } catch {
      // 304 is no success for `fetch`; a file that is gone is written again by saving.
      return;
    }
    const text = await answer.text();
    const digest = digestOf(answer);
    if (path !== this.path || digest === this.digest) return;
    if (text === this.text || !this.dirty) {
      this.saved = text;
      this.digest = digest;
      if (text !== this.text) this.edit(text, 'the file has changed on disk');
    } else {
      this.outside = { text, digest: digest ?? '' };
      page.say(`${path} has changed on disk, and here`);
    }
  }

  /** Ends the question which text is to stay. */
  settle(keep: 'mine' | 'theirs'): void {
    if (!this.outside) return;
    this.digest = this.outside.digest;
    this.saved = this.outside.text;
    if (keep === 'theirs') this.edit(this.outside.text, 'take the text on disk');
    this.outside = null;
  }

  /** Looks at the file now and then; returns what ends that. */
  watch(): () => void {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.look();
    }, LOOK);
    return () => clearInterval(timer);
  }
}

/** A length on the page in hops, to the hundredth. */
function hundredths(of: number): number {
  return Math.round((of / HOP) * 100) / 100;
}

function digestOf(answer: Response): string | null {
  return answer.headers.get('ETag')?.replace(/^W\//, '').replaceAll('"', '') ?? null;
}

export const doc = new Doc();
