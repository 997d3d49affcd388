import { complete } from './completion.js';

const names = {
  commands: ['edit', 'agent', 'agents'],
  agents: ['coder', 'react'],
  models: ['a/b'],
};

describe(complete.name, () => {
  it.each([
    ['/ed', '/edit ', []],
    ['/a', '/agent', []],
    ['/agent', '/agent', ['/agent ', '/agents ']],
    ['/agent c', '/agent coder', []],
    ['/model ', '/model a/b', []],
    ['hello', 'hello', []],
    ['see @client/ind', 'see @client/index.ts', []],
    ['@terminal/rend', '@terminal/render/', []],
    ['@none/x', '@none/x', []],
  ])('completes %j', async (before, text, choices) => {
    expect(await complete(before, names)).toEqual({ text, choices });
  });
});
