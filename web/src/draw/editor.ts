/** The YAML pane's editor: CodeMirror, loaded when the pane is first shown. */

import { defaultKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { searchKeymap, highlightSelectionMatches } from '@codemirror/search';
import { Compartment, EditorState, Transaction } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { doc, type Diagnostic } from './document.svelte';

const THEME = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-scroller': { font: '12px/1.5 var(--mono)' },
  '.cm-gutters': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text-3)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--accent-weak)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--line)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--invalid)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px dotted var(--suspect)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--invalid)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--suspect)' },
  '.cm-lint-marker': { content: 'none', width: '8px' },
  '.cm-lint-marker-error::after': { content: '"■"', color: 'var(--invalid)' },
  '.cm-lint-marker-warning::after': { content: '"◆"', color: 'var(--suspect)' },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: [tags.string, tags.content, tags.number, tags.bool], color: 'var(--text)' },
  { tag: [tags.punctuation, tags.separator, tags.brace], color: 'var(--text-2)' },
]);

export class Editor {
  private readonly view: EditorView;
  private readonly readable = new Compartment();
  private locked = false;

  constructor(parent: HTMLElement, changed: (text: string) => void) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          lintGutter(),
          bracketMatching(),
          indentOnInput(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          yaml(),
          syntaxHighlighting(COLOURS),
          THEME,
          this.readable.of([]),
          // One history for text and drawing: the page's.
          keymap.of([
            { key: 'Mod-z', run: () => (doc.undo(), true) },
            { key: 'Mod-Shift-z', run: () => (doc.redo(), true) },
            { key: 'Mod-y', run: () => (doc.redo(), true) },
            indentWithTab,
            ...searchKeymap,
            ...lintKeymap,
            ...defaultKeymap,
          ]),
          EditorView.contentAttributes.of({ 'aria-label': 'The scenario as text', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            const own = update.transactions.some((of) => of.annotation(Transaction.remote));
            if (update.docChanged && !own) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  get focused(): boolean {
    return this.view.hasFocus;
  }

  /** Shows a text: only what differs is replaced, so the cursor stays where it is. */
  show(text: string, locked: boolean): void {
    const old = this.view.state.doc.toString();
    if (locked !== this.locked) {
      this.locked = locked;
      this.view.dispatch({
        effects: this.readable.reconfigure(locked ? EditorState.readOnly.of(true) : []),
      });
    }
    if (old === text) return;
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from++;
    let [to, end] = [old.length, text.length];
    while (to > from && end > from && old[to - 1] === text[end - 1]) {
      to--;
      end--;
    }
    this.view.dispatch({
      changes: { from, to, insert: text.slice(from, end) },
      annotations: Transaction.remote.of(true),
    });
  }

  mark(diagnostics: readonly Diagnostic[]): void {
    const { doc: text } = this.view.state;
    const at = (line: number, column: number): number => {
      const of = text.line(Math.max(1, Math.min(text.lines, line)));
      return Math.min(of.to, of.from + Math.max(0, column - 1));
    };
    const marks = diagnostics.map((of): Mark => {
      const from = at(of.line, of.column);
      return {
        from,
        to: Math.max(from, at(of.end_line, of.end_column)),
        severity: of.severity,
        message: of.help ? `${of.message}\n${of.help}` : of.message,
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  goTo(line: number, take = true): void {
    const { doc: text } = this.view.state;
    const of = text.line(Math.max(1, Math.min(text.lines, line)));
    this.view.dispatch({
      selection: { anchor: of.from },
      effects: EditorView.scrollIntoView(of.from, { y: 'center' }),
    });
    if (take) this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }
}
