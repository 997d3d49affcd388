import { nameOf, readDeclaration } from './declaration.js';

describe(readDeclaration.name, () => {
  const plain = { name: 'look', inputSchema: { type: 'object' } };

  it('takes what is needed, and leaves alone what is not', () => {
    const odd = { ...plain, outputSchema: { type: 'nothing' }, execution: 7 };
    expect(readDeclaration(odd)).toEqual(plain);
  });

  it.each([
    [{ name: 'look' }, /^inputSchema: /],
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
