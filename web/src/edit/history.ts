/** Undo and redo over texts: of the drawing, forms and the YAML pane alike. */

export interface Step {
  readonly text: string;
  /** What was done to come here, as undo names it: `add router1`. */
  readonly what: string;
}

/** Typing is one step while it goes on: as long as pauses are shorter, in ms. */
const PAUSE = 1000;
const LIMIT = 500;

export class History {
  private past: Step[] = [];
  private future: Step[] = [];
  private lastAt = -Infinity;

  constructor(private now: Step) {}

  get text(): string {
    return this.now.text;
  }

  get canUndo(): string | null {
    return this.past.length > 0 ? this.now.what : null;
  }

  get canRedo(): string | null {
    return this.future.length > 0 ? this.future[this.future.length - 1].what : null;
  }

  /** Enters a text. `at` is the time in ms; edits of the same `merge` that follow each other
   * quickly are one step. */
  enter(text: string, what: string, at: number, merge = false): void {
    if (text === this.now.text) return;
    const joined =
      merge && what === this.now.what && at - this.lastAt < PAUSE && this.past.length > 0;
    if (!joined) this.past.push(this.now);
    if (this.past.length > LIMIT) this.past.shift();
    this.now = { text, what };
    this.future = [];
    this.lastAt = merge ? at : -Infinity;
  }

  /** The step that was taken back, or null. */
  undo(): string | null {
    const before = this.past.pop();
    if (!before) return null;
    const { what } = this.now;
    this.future.push(this.now);
    this.now = before;
    this.lastAt = -Infinity;
    return what;
  }

  redo(): string | null {
    const after = this.future.pop();
    if (!after) return null;
    this.past.push(this.now);
    this.now = after;
    this.lastAt = -Infinity;
    return after.what;
  }
}
