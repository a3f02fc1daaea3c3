import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMON, fields, type Schema } from './schema';

const root = JSON.parse(readFileSync('../docs/scenario.schema.json', 'utf8')) as Schema;

test('forms have every property of the schema', () => {
  for (const definition of ['Node', 'Link', 'LinkDirection']) {
    const keys = fields(root, definition).map((of) => of.key);
    expect(keys).toEqual(Object.keys(root.$defs?.[definition].properties ?? {}));
    for (const key of COMMON[definition] ?? []) expect(keys).toContain(key);
  }
});

test('a field says what it takes', () => {
  const node = new Map(fields(root, 'Node').map((of) => [of.key, of]));
  expect(node.get('kind')?.choices).toEqual(['host', 'router', 'switch']);
  expect(node.get('simulated')?.boolean).toBe(true);
  const link = new Map(fields(root, 'Link').map((of) => [of.key, of]));
  expect(link.get('cost')).toMatchObject({ number: true, minimum: 1 });
  expect(link.get('delay')?.example).toBe('10ms');
  expect(link.get('delay')?.choices).toBeNull();
});
