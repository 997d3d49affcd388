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
    [
      'a pattern that goes back for ever',
      text({ pattern: '^(a+)+$' }),
      { a: `${'a'.repeat(40)}!` },
    ],
    [
      'references that double',
      { type: 'object', $defs: doubling(40), $ref: '#/$defs/d40' },
      { a: 1 },
    ],
  ])(
    'gives up soon on %s',
    (_, schema, input) => {
      const check = schemaCheck(schema);
      expect(() => check(input)).toThrow('too long');
    },
    20_000,
  );

  it('goes on after it gave up', () => {
    const check = schemaCheck(text({ pattern: '^(a+)+$' }));
    expect(() => check({ a: `${'a'.repeat(40)}!` })).toThrow('too long');
    expect(check({ a: 'aaa' })).toBeUndefined();
    expect(check({ a: 'b' })).toMatch(/pattern/);
  }, 20_000);

  it('refuses a schema whose check would be a promise', () => {
    expect(() => schemaCheck({ $async: true, type: 'object', required: ['a'] })).toThrow(
      'asynchronous',
    );
  });

  it('cuts what is said of very many faults', () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `name${at}`);
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
