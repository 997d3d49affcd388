import { nameOf, readDeclaration } from './declaration.js';

describe(readDeclaration.name, () => {
  const plain = { name: 'look', inputSchema: { type: 'object' } };

  it('takes what is needed, and leaves alone what is not', () => {
    const odd = { ...plain, outputSchema: { type: 'nothing' }, execution: 7 };
    expect(readDeclaration(odd)).toEqual(plain);
  });

  it.each([undefined, null, true, [], {}, { type: null, properties: null }, { type: 'array' }])(
    'takes the schema %j for one of any object',
    (inputSchema) => {
      expect(readDeclaration({ name: 'look', inputSchema })).toEqual(plain);
    },
  );

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
