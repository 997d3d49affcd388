import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { describeAnsweredError } from './answered-error.js';

const describeError = (code: number, data?: unknown): string =>
  describeAnsweredError(McpError.fromError(code, 'more is needed', data));

describe(describeAnsweredError.name, () => {
  it('has the pages that a person has to open', () => {
    const elicitations = [
      { mode: 'url', elicitationId: 'e1', url: 'https://a.test/in?x=1', message: 'Sign in' },
      { mode: 'url', elicitationId: 'e2', url: 'http://b.test/' },
    ];
    expect(describeError(-32_042, { elicitations })).toBe(
      [
        'MCP error -32042: more is needed',
        'Sign in: https://a.test/in?x=1',
        'http://b.test/',
        'The call was not carried out. Tell the user to open the page; then call again.',
      ].join('\n'),
    );
  });

  it.each([
    ['that is no web page', [{ url: 'javascript:alert(1)', message: 'Sign in' }]],
    ['of a file', [{ url: 'file:///etc/passwd' }]],
    ['without end', [{ url: `https://a.test/${'a'.repeat(3_000)}` }]],
    ['that is none', [{ url: 1 }, null, 'x']],
  ])('tells nobody to open a page %s', (_, elicitations) => {
    expect(describeError(-32_042, { elicitations })).not.toContain('open the page');
  });

  it.each([
    ['an object', { field: 'path', allowed: ['a', 'b'] }, '{"field":"path","allowed":["a","b"]}'],
    ['a text', 'use an absolute path', 'use an absolute path'],
    ['a list', [1, 2], '[1,2]'],
  ])('has data that is %s', (_, data, shown) => {
    expect(describeError(-32_602, data)).toBe(`MCP error -32602: more is needed\n${shown}`);
  });

  it('truncates data', () => {
    const text = describeError(-32_000, 'x'.repeat(1_000_000));
    expect(text.length).toBeLessThan(4_100);
    expect(text).toMatch(/x…$/);
  });

  it.each([[undefined], [null], ['']])('has the message alone without data: %p', (data) => {
    expect(describeError(-32_000, data)).toBe('MCP error -32000: more is needed');
  });
});
