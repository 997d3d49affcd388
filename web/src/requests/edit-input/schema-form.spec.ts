import { describe, expect, it } from '@jest/globals';
import { draftsOf, fieldsOf, readDrafts } from './schema-form';

const SCHEMA = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'A file.' },
    content: { type: 'string', maxLength: 4_000_000 },
    mode: { type: 'string', enum: ['a', 'b'] },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    all: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    options: {
      type: 'object',
      properties: { depth: { type: 'integer' }, more: { type: 'object', properties: {} } },
    },
    odd: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
};

describe(fieldsOf.name, () => {
  it('has a kind of field for each kind of value', () => {
    const kinds = Object.fromEntries(fieldsOf(SCHEMA, {}).map(({ name, kind }) => [name, kind]));
    expect(kinds).toEqual({
      ...{ path: 'line', content: 'text', mode: 'choice', count: 'integer', ratio: 'number' },
      ...{ all: 'flag', tags: 'list', options: 'group', odd: 'json' },
    });
  });

  it('nests once', () => {
    const group = fieldsOf(SCHEMA, {}).find(({ name }) => name === 'options');
    expect(group?.fields?.map(({ kind }) => kind)).toEqual(['integer', 'json']);
  });

  it('edits as JSON a value of another type, and one that the schema does not name', () => {
    const fields = fieldsOf(SCHEMA, { count: 'many', tags: [1], extra: true });
    const jsons = fields.filter(({ kind }) => kind === 'json').map(({ name }) => name);
    expect(jsons).toEqual(['count', 'tags', 'odd', 'extra']);
  });

  it('takes what is no schema for an empty one', () => {
    expect(fieldsOf({ properties: 5, required: 'x' }, { a: 1 })).toHaveLength(1);
  });
});

describe(readDrafts.name, () => {
  it.each([
    {},
    { path: '' },
    { path: 'a', content: 'x\ny', mode: 'b', count: 3, ratio: 0.5, all: false, tags: ['', 'x'] },
    { path: 'a', options: { depth: 1, more: { deep: [1] } }, odd: null, extra: { a: 1 } },
    { count: 'many', tags: [1] },
  ])('gives back what was not changed: %j', (values) => {
    const fields = fieldsOf(SCHEMA, values);
    expect(readDrafts(fields, draftsOf(fields, values))).toEqual({ input: values, faults: {} });
  });

  it('names what it can’t read', () => {
    const fields = fieldsOf(SCHEMA, {});
    const drafts = { count: '1.5', ratio: 'x', odd: '{', options: { depth: '9007199254740993' } };
    expect(readDrafts(fields, drafts).faults).toEqual({
      ...{ count: 'integer', ratio: 'number', odd: 'json', 'options.depth': 'integer' },
    });
  });
});
