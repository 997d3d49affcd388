import { exactJson, parseExact } from '../../kernel/json/exact-json.js';
import { narrowForm, usualForm } from '../../models/schema/tool-form.js';
import { schemaCheck } from './schema-check.js';
import { nameOf, readDeclaration } from './declaration.js';

describe(readDeclaration.name, () => {
  const plain = { name: 'look', inputSchema: { type: 'object' } };

  it('takes what is needed, and leaves alone what is not', () => {
    const odd = { ...plain, outputSchema: { type: 'nothing' }, execution: 7 };
    expect(readDeclaration(odd)).toEqual(plain);
  });

  it.each([
    ...[undefined, null, true, false, 'object', 7, [], {}, { properties: null }],
    ...[{ type: null }, { type: 'array' }, { type: ['object', 'null'] }, { type: 'null' }],
  ])('takes the schema %j for one of any object', (inputSchema) => {
    expect(readDeclaration({ name: 'look', inputSchema })).toEqual(plain);
  });

  it('takes no name that people could not read', () => {
    expect(() => readDeclaration({ ...plain, name: 'x'.repeat(201) })).toThrow(/name/);
    expect(() => readDeclaration({ ...plain, name: '' })).toThrow(/name/);
  });

  it('drops nulls from a schema, but for values', () => {
    const a = { type: 'string', default: null, enum: ['x', null], description: null };
    const inputSchema = { type: 'object', properties: { a, const: { const: null } }, $defs: null };
    const { description, ...kept } = a;
    expect(readDeclaration({ name: 'look', inputSchema }).inputSchema).toEqual({
      type: 'object',
      properties: { a: kept, const: { const: null } },
    });
    expect(description).toBeNull();
  });

  it.each([
    '{"$ref":"#","type":"object"}',
    '{"type":"object","properties":{"child":{"$ref":"#"}}}',
    '{"type":"object","$defs":{"a":{"$ref":"#/$defs/a"}},"properties":{"a":{"$ref":"#/$defs/a"}}}',
    '{"type":"object","$dynamicRef":"#meta","unevaluatedProperties":false}',
    '{"type":"object","dependentRequired":{"a":["b"]},"minContains":0,"prefixItems":[true]}',
    '{"type":"object","properties":{"a":{"pattern":"(?P<year>\\\\d+)\\\\Z"},"b":true,"c":{}}}',
    '{"type":"object","properties":{"a":{"enum":[1234567890123456789,-0,1e400,1.0]}}}',
  ])('keeps the schema %s, and the forms that vendors get, whole', (json) => {
    const { inputSchema } = readDeclaration({ name: 'look', inputSchema: parseExact(json) });
    expect(exactJson(inputSchema)).toBe(json);
    const tool = { name: 'look', description: '', input_schema: inputSchema };
    for (const form of [usualForm(tool), narrowForm(tool)])
      expect(form.input_schema).toMatchObject({ type: 'object' });
    const check = schemaCheck(JSON.parse(json) as Record<string, unknown>);
    expect(check({ a: undefined })).toBeUndefined();
  });

  it('keeps every digit in the forms that vendors get', () => {
    const a = { type: 'integer', maximum: parseExact('1234567890123456789') };
    const ids = { enum: [parseExact('1234567890123456789')] };
    const input_schema = {
      type: 'object',
      properties: { a, $b: a, ids },
      allOf: [{ required: ['a'] }],
    };
    const tool = { name: 'look', description: '', input_schema };
    expect(exactJson(usualForm(tool).input_schema).match(/1234567890123456789/g)).toHaveLength(3);
    expect(exactJson(narrowForm(tool).input_schema).match(/1234567890123456789/g)).toHaveLength(3);
  });

  it('drops what is odd and not needed', () => {
    const odd = { ...plain, title: 7, description: [], annotations: { readOnlyHint: 'yes' } };
    expect(readDeclaration(odd)).toEqual(plain);
  });

  it.each([
    [{ ...plain, name: 7 }, /^name: /],
    [null, /expected object/],
    [{ ...plain, inputSchema: { type: 'object', title: 'x'.repeat(100_000) } }, /more than 100000/],
  ])('refuses %.60j', (value, fault) => {
    expect(() => readDeclaration(value)).toThrow(fault);
  });
});

describe(nameOf.name, () => {
  it('names whatever it is', () => {
    expect(nameOf({ name: 'x'.repeat(1_000) })).toHaveLength(100);
    expect(nameOf(null)).toBe('a tool without a name');
  });
});
