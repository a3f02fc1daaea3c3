/** Edits of a YAML text by path. Only the lines of what changes are touched; comments, quotes and
 * blank lines elsewhere stay as they are, byte by byte. */

import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { flow, isEmpty, scalar, type Value } from './write';

export type Path = readonly (string | number)[];

/** An edit that cannot be made here, and why. */
export class EditFailure extends Error {}

interface Ranged {
  readonly range?: [number, number, number] | null;
}

/** A text as read once; edits return another text. */
export class Source {
  readonly document: Document;
  readonly lines = new LineCounter();

  constructor(readonly text: string) {
    this.document = parseDocument(text, { lineCounter: this.lines, keepSourceTokens: true });
  }

  /** What is at a path, or undefined. */
  at(path: Path): unknown {
    return this.document.getIn(path, true);
  }

  /** The plain value at a path. */
  value(path: Path): unknown {
    const node = this.at(path);
    if (node === undefined || node === null) return node;
    return isMap(node) || isSeq(node) || isScalar(node) ? node.toJS(this.document) : node;
  }

  keys(path: Path): string[] {
    const node = this.at(path);
    return isMap(node) ? node.items.map((pair) => keyOf(pair)) : [];
  }

  /** The line, from 1, on which the entry at a path begins. */
  line(path: Path): number | null {
    const start = this.start(path);
    return start === null ? null : this.lines.linePos(start).line;
  }

  /** Where the entry at a path begins: its key, or its value in a list. */
  start(path: Path): number | null {
    const parent = path.length > 1 ? this.at(path.slice(0, -1)) : this.document.contents;
    const last = path[path.length - 1];
    if (isMap(parent)) return rangeOf(pairOf(parent, String(last))?.key)?.[0] ?? null;
    if (isSeq(parent)) return rangeOf(parent.items[Number(last)])?.[0] ?? null;
    return null;
  }

  /** The end, without a comment behind it, of the entry at a path. */
  end(path: Path): number | null {
    const parent = path.length > 1 ? this.at(path.slice(0, -1)) : this.document.contents;
    const last = path[path.length - 1];
    const entry = isMap(parent)
      ? pairOf(parent, String(last))
      : isSeq(parent)
        ? parent.items[Number(last)]
        : null;
    return entry ? this.contentEnd(entry) : null;
  }

  private contentEnd(node: unknown): number {
    if (isPair(node)) {
      const key = rangeOf(node.key)?.[1] ?? 0;
      const value = node.value === null ? 0 : this.contentEnd(node.value);
      const colon = this.text.indexOf(':', key);
      return Math.max(value, colon === -1 ? key : colon + 1);
    }
    const range = rangeOf(node);
    if (!range) return 0;
    if ((isMap(node) || isSeq(node)) && !node.flow && node.items.length > 0) {
      return this.contentEnd(node.items[node.items.length - 1]);
    }
    let end = range[1];
    while (end > range[0] && /\s/.test(this.text[end - 1])) end--;
    return end;
  }

  // ------------------------------------------------------------------ edits

  /** Sets the value at a path, and makes what is missing on the way. */
  set(path: Path, value: Value): string {
    const existing = this.at(path);
    const parentPath = path.slice(0, -1);
    const parent = parentPath.length > 0 ? this.at(parentPath) : this.document.contents;
    const last = path[path.length - 1];
    if (isMap(parent)) {
      const pair = pairOf(parent, String(last));
      if (pair) return this.replace(pair, value, existing);
      return this.insert(parent, String(last), value, path.length);
    }
    if (isSeq(parent)) {
      if (Number(last) >= parent.items.length) return this.push(parent, value);
      const range = rangeOf(parent.items[Number(last)]);
      if (!range) throw new EditFailure('this item of the list is empty; edit the text');
      return this.splice(range[0], this.contentEnd(parent.items[Number(last)]), flow(value));
    }
    if (path.length === 1) return this.onEmpty(String(last), value);
    if (parent !== undefined && parent !== null && !(isScalar(parent) && parent.value === null)) {
      throw new EditFailure(`\`${parentPath.join('.')}\` is not a map; edit the text`);
    }
    return this.under(path, value);
  }

  /** Adds an item to the end of a list, and makes the list if it is not there. */
  append(path: Path, value: Value): string {
    const list = this.at(path);
    if (isSeq(list)) return this.push(list, value);
    return this.set([...path, 0], value);
  }

  /** Removes the entry at a path. The last one of a list or map leaves `[]` or `{}`. */
  remove(path: Path): string {
    const parentPath = path.slice(0, -1);
    const parent = parentPath.length > 0 ? this.at(parentPath) : this.document.contents;
    const last = path[path.length - 1];
    if (!isMap(parent) && !isSeq(parent)) return this.text;
    const at = isMap(parent)
      ? parent.items.findIndex((pair) => keyOf(pair) === String(last))
      : Number(last);
    if (at < 0 || at >= parent.items.length) return this.text;
    if (parent.flow) return this.removeFromFlow(parent, at);
    if (parent.items.length === 1 && parentPath.length > 0) {
      return this.empty(parentPath, isMap(parent) ? '{}' : '[]');
    }
    return this.removeLines(path);
  }

  /** Gives a key of a map another name. */
  rename(path: Path, key: string): string {
    const parent = path.length > 1 ? this.at(path.slice(0, -1)) : this.document.contents;
    const range = isMap(parent)
      ? rangeOf(pairOf(parent, String(path[path.length - 1]))?.key)
      : null;
    return range ? this.splice(range[0], range[1], scalar(key)) : this.text;
  }

  splice(from: number, to: number, text: string): string {
    return this.text.slice(0, from) + text + this.text.slice(to);
  }

  private replace(pair: Pair, value: Value, existing: unknown): string {
    const key = rangeOf(pair.key);
    if (!key) throw new EditFailure('this key cannot be edited here; edit the text');
    const colon = this.text.indexOf(':', key[1]);
    const text = isEmpty(value) ? '' : ` ${flow(value)}`;
    const range = rangeOf(existing);
    // Flow, or a scalar on the key's line: what is behind it on the line stays.
    const end = range && range[1] > range[0] ? this.contentEnd(existing) : colon + 1;
    return this.splice(colon + 1, Math.max(end, colon + 1), text);
  }

  private insert(parent: YAMLMap, key: string, value: Value, depth: number): string {
    if (parent.flow) return this.insertIntoFlow(parent, `${scalar(key)}: ${flow(value)}`);
    if (parent.items.length === 0) throw new EditFailure('this map is empty; edit the text');
    const first = rangeOf(parent.items[0].key);
    const column = first ? this.columnOf(first[0]) : 0;
    const at = this.endOfLine(this.contentEnd(parent.items[parent.items.length - 1]));
    // A section of its own stands apart, if the others do.
    const apart =
      depth === 1 && typeof value === 'object' && this.text.includes('\n\n') ? '\n' : '';
    return this.splice(at, at, `\n${apart}${block(key, value, column, depth)}`);
  }

  private push(list: YAMLSeq, value: Value): string {
    if (list.flow) return this.insertIntoFlow(list, flow(value));
    const first = rangeOf(list.items[0]);
    if (!first) throw new EditFailure('the list begins with an empty item; edit the text');
    const dash = this.dashOf(first[0]);
    const at = this.endOfLine(this.contentEnd(list.items[list.items.length - 1]));
    return this.splice(at, at, `\n${' '.repeat(this.columnOf(dash))}- ${flow(value)}`);
  }

  private insertIntoFlow(parent: YAMLMap | YAMLSeq, text: string): string {
    const range = rangeOf(parent);
    if (!range) throw new EditFailure('this cannot be edited here; edit the text');
    if (parent.items.length === 0) {
      const pad = isMap(parent) ? ' ' : '';
      const [open, close] = isMap(parent) ? '{}' : '[]';
      return this.splice(range[0], range[1], `${open}${pad}${text}${pad}${close}`);
    }
    const at = this.contentEnd(parent.items[parent.items.length - 1]);
    return this.splice(at, at, `, ${text}`);
  }

  /** The value of a path whose parent is not there, or is empty. */
  private under(path: Path, value: Value): string {
    const last = path[path.length - 1];
    const parent = path.slice(0, -1);
    // What is made at the top levels is a block; deeper, it is on one line.
    const made: Value = typeof last === 'number' ? [value] : { [last]: value };
    const existing = parent.length > 0 ? this.at(parent) : undefined;
    if (isScalar(existing) && existing.value === null && parent.length <= 2) {
      const owner = parent.length > 1 ? this.at(parent.slice(0, -1)) : this.document.contents;
      const pair = isMap(owner) ? pairOf(owner, String(parent[parent.length - 1])) : undefined;
      const key = rangeOf(pair?.key);
      if (key) {
        const at = this.endOfLine(key[1]);
        const column = this.columnOf(key[0]) + 2;
        return this.splice(at, at, `\n${inside(made, column, path.length)}`);
      }
    }
    return this.set(parent, made);
  }

  private onEmpty(key: string, value: Value): string {
    const text = this.text === '' || this.text.endsWith('\n') ? this.text : `${this.text}\n`;
    return `${text}${block(key, value, 0, 1)}\n`;
  }

  private empty(path: Path, text: string): string {
    const start = rangeOf(this.at(path));
    const end = this.end(path);
    const key = this.start(path);
    if (!start || end === null || key === null) return this.text;
    const colon = this.text.indexOf(':', key);
    const from = colon >= 0 && colon < start[0] ? colon + 1 : start[0];
    return this.splice(from, end, from === start[0] ? text : ` ${text}`);
  }

  private removeFromFlow(parent: YAMLMap | YAMLSeq, at: number): string {
    const start = (i: number): number => {
      const item: unknown = parent.items[i];
      return rangeOf(isPair(item) ? item.key : item)?.[0] ?? 0;
    };
    if (parent.items.length === 1) {
      const range = rangeOf(parent);
      return range ? this.splice(range[0], range[1], isMap(parent) ? '{}' : '[]') : this.text;
    }
    if (at === 0) return this.splice(start(0), start(1), '');
    return this.splice(
      this.contentEnd(parent.items[at - 1]),
      this.contentEnd(parent.items[at]),
      '',
    );
  }

  private removeLines(path: Path): string {
    const from = this.start(path);
    const end = this.end(path);
    if (from === null || end === null) return this.text;
    const first = typeof path[path.length - 1] === 'number' ? this.dashOf(from) : from;
    const line = this.text.lastIndexOf('\n', first - 1) + 1;
    if (this.text.slice(line, first).trim() !== '') {
      throw new EditFailure('this shares its line with something else; edit the text');
    }
    const to = this.endOfLine(end);
    return this.splice(line, Math.min(this.text.length, to + 1), '');
  }

  private columnOf(offset: number): number {
    return offset - (this.text.lastIndexOf('\n', offset - 1) + 1);
  }

  private endOfLine(offset: number): number {
    const end = this.text.indexOf('\n', offset);
    return end === -1 ? this.text.length : end;
  }

  /** The dash of the item of a block list that begins at `offset`. */
  private dashOf(offset: number): number {
    const dash = this.text.lastIndexOf('-', offset);
    if (dash === -1 || this.text.slice(dash + 1, offset).trim() !== '') {
      throw new EditFailure('this item of the list cannot be edited here; edit the text');
    }
    return dash;
  }
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === key);
}

function isPair(node: unknown): node is Pair {
  return (
    typeof node === 'object' && node !== null && 'key' in node && 'value' in node && !isScalar(node)
  );
}

function rangeOf(node: unknown): [number, number, number] | null {
  return (node as Ranged | null | undefined)?.range ?? null;
}

/** An entry of a block map at a column, without the last line break. */
function block(key: string, value: Value, column: number, depth: number): string {
  const pad = ' '.repeat(column);
  if (isEmpty(value)) return `${pad}${scalar(key)}:`;
  if (typeof value !== 'object' || value === null || depth > 2) {
    return `${pad}${scalar(key)}: ${flow(value)}`;
  }
  return `${pad}${scalar(key)}:\n${inside(value, column + 2, depth + 1)}`;
}

/** The lines of a map or list at a column. */
function inside(value: Value, column: number, depth: number): string {
  const pad = ' '.repeat(column);
  if (Array.isArray(value)) return value.map((of: Value) => `${pad}- ${flow(of)}`).join('\n');
  return Object.entries(value as { [key: string]: Value })
    .map(([key, of]) => block(key, of, column, depth))
    .join('\n');
}
