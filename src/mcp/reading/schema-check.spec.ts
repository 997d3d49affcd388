import { schemaCheck } from './schema-check.js';

const text = (about: Record<string, unknown>) => ({
  type: 'object',
  properties: { a: { type: 'string', ...about } },
});

describe(schemaCheck.name, () => {
  it('says what is wrong with an input, and nothing of one that fits', () => {
    const check = schemaCheck(text({ maxLength: 2 }));
    expect(check({ a: 'ab' })).toBeUndefined();
    expect(check({ a: 'abc' })).toMatch(/a must NOT have more than 2/);
  });

  it.each([
    ['a pattern that is not linear', text({ pattern: '^(?=b)' }), { a: 'a' }],
    ['a format', text({ format: 'email' }), { a: 'a' }],
    ['a long pattern', text({ pattern: '(b|c)'.repeat(201) }), { a: 'a' }],
    ['a thousand keywords', { required: Array(1_001).fill('b') }, { a: 'a' }],
    ['an unknown dialect', { $schema: 'urn:own', required: ['b'] }, { a: 'a' }],
    ['a check that would be a promise', { $async: true, required: ['b'] }, { a: 'a' }],
    ['a reference to elsewhere', { $ref: 'https://example.com/a.json' }, { a: 'a' }],
    [
      'references that double',
      { type: 'object', $defs: doubling(40), $ref: '#/$defs/d40' },
      { a: 1 },
    ],
  ])(
    'leaves %s to the server',
    (_, schema, input) => {
      expect(schemaCheck(schema)(input)).toBeUndefined();
    },
    20_000,
  );

  it('checks a pattern that would go back for ever in linear time', () => {
    const check = schemaCheck(text({ pattern: '^(a+)+$' }));
    expect(check({ a: `${'a'.repeat(50_000)}!` })).toMatch(/pattern/);
    expect(check({ a: 'aaa' })).toBeUndefined();
  });

  it('cuts what is said of very many faults', () => {
    const names = Array.from({ length: 900 }, (_, at) => `name${at}`);
    expect(schemaCheck({ type: 'object', required: names })({})!.length).toBeLessThanOrEqual(2_000);
  });
});

function doubling(depth: number): Record<string, unknown> {
  const defs: Record<string, unknown> = { d0: { required: ['b'] } };
  for (let at = 1; at <= depth; at++) {
    const below = { $ref: `#/$defs/d${at - 1}` };
    defs[`d${at}`] = { anyOf: [below, below] };
  }
  return defs;
}
