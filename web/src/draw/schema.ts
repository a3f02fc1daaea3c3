/** Forms from the scenario's JSON schema: which properties there are, and how each is written. */

import type { Value } from '../edit/write';

/** The part of JSON schema that ours uses. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly properties?: { readonly [key: string]: Schema };
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $defs?: { readonly [key: string]: Schema };
}

export interface Field {
  readonly key: string;
  readonly description: string;
  /** Words that the value can be, if it can be nothing else. */
  readonly choices: readonly string[] | null;
  /** Words that it can be beside others. */
  readonly words: readonly string[];
  readonly boolean: boolean;
  readonly number: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example: string;
}

let loaded: Promise<Schema> | null = null;

/** The schema, fetched when a form is first shown. */
export function schema(): Promise<Schema> {
  loaded ??= import('../../../docs/scenario.schema.json').then(
    (module) => module.default as unknown as Schema,
  );
  return loaded;
}

/** All alternatives of a schema, with references followed. */
function alternatives(root: Schema, of: Schema, depth = 0): Schema[] {
  if (depth > 6) return [];
  const own: Schema[] = of.properties || of.enum || of.type || of.const !== undefined ? [of] : [];
  const name = of.$ref?.replace('#/$defs/', '');
  const target = name ? root.$defs?.[name] : undefined;
  return [
    ...own,
    ...(target ? alternatives(root, target, depth + 1) : []),
    ...[...(of.anyOf ?? []), ...(of.oneOf ?? [])].flatMap((one) =>
      alternatives(root, one, depth + 1),
    ),
  ];
}

/** The properties of a definition like `Node`, in the order of the schema. */
export function fields(root: Schema, definition: string): Field[] {
  const properties = root.$defs?.[definition]?.properties ?? {};
  return Object.entries(properties).map(([key, of]) => field(root, key, of));
}

export function field(root: Schema, key: string, of: Schema): Field {
  const all = alternatives(root, of);
  const types = new Set(all.flatMap((one) => one.type ?? []).flat());
  const words = all
    .flatMap((one) => [...(one.enum ?? []), ...(one.const === undefined ? [] : [one.const])])
    .filter((word): word is string => typeof word === 'string');
  const closed =
    words.length > 0 && all.every((one) => one.enum !== undefined || one.const !== undefined);
  const description = of.description ?? all.find((one) => one.description)?.description ?? '';
  const numbers = all.find((one) => one.minimum !== undefined || one.maximum !== undefined);
  const example = of.examples?.[0] ?? all.find((one) => one.examples)?.examples?.[0];
  return {
    key,
    description,
    words,
    choices: closed ? words : null,
    boolean: types.size === 1 && types.has('boolean'),
    number: types.size === 1 && (types.has('integer') || types.has('number')),
    minimum: numbers?.minimum,
    maximum: numbers?.maximum,
    example: example === undefined ? fromText(description) : textOf(example),
  };
}

/** The first code in a description, mostly an example: "like `10ms`". */
function fromText(description: string): string {
  return /like `([^`]+)`/.exec(description)?.[1] ?? '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A definition's default, as its description says it. */
export function defaultOf(description: string): string {
  return /\(default:? `?([^`)]+)`?\)/.exec(description)?.[1] ?? '';
}

/** What a person who opens a form looks for first. */
export const COMMON: { readonly [definition: string]: readonly string[] } = {
  Node: ['kind', 'routing', 'services', 'group', 'simulated', 'kernel', 'mtu'],
  Link: ['rate', 'delay', 'loss', 'jitter', 'queue', 'netem', 'name', 'direct'],
};

export type { Value };
