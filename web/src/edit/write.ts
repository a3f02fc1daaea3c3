/** The text of new values, as a person would write them: short maps and lists on one line. */

import { parse } from 'yaml';

export type Value =
  string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

const PLAIN = /^[A-Za-z0-9_.%+/-][A-Za-z0-9_ .%+/()=-]*$/;

/** A scalar, in quotes only where YAML would read it as something else. */
export function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  if (PLAIN.test(value) && value === value.trimEnd()) {
    try {
      if (parse(value) === value) return value;
    } catch {
      // Not a scalar of its own: in quotes, then.
    }
  }
  return JSON.stringify(value);
}

export function flow(value: Value): string {
  if (Array.isArray(value)) return `[${value.map((of: Value) => flow(of)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as { [key: string]: Value });
    if (entries.length === 0) return '{}';
    return `{ ${entries.map(([key, of]) => `${scalar(key)}: ${flow(of)}`).join(', ')} }`;
  }
  return scalar(value as string | number | boolean | null);
}

/** Whether nothing follows the colon: `client:` is a node like all others. */
export function isEmpty(value: Value): boolean {
  return (
    value === null ||
    (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)
  );
}
