import { atOnce } from '../../src/kernel/async/sliced.js';
import type { McpConnection } from '../../src/mcp/mcp-connection.js';
import { offeredTools } from '../../src/mcp/mcp-tool.js';

const server = { name: 'odd', isTrusted: false } as McpConnection;
const tool = (n: number, title: string) => {
  return { name: `t${n}`, inputSchema: { type: 'object', title } };
};

describe(offeredTools.name, () => {
  it('offers tools as long as their schemas are not too large together', () => {
    const declared = Array.from({ length: 9 }, (_, n) => tool(n, 'x'.repeat(90_000)));
    const { tools, problems } = atOnce(offeredTools(server, declared));
    expect(tools.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((n) => `mcp__odd__t${n}`));
    expect(problems).toEqual([
      'its tools have more than 500000 characters together; the first 5 are offered',
    ]);
  });

  it('tells a tool that is declared otherwise from what it was', () => {
    const properties = { a: { type: 'string' }, b: {} };
    const first = { ...tool(1, 'x'), inputSchema: { type: 'object', properties } };
    const declared = (more: object): string | undefined =>
      atOnce(offeredTools(server, [{ ...first, ...more }])).tools[0]!.declared;
    const reordered = { properties: { b: {}, a: { type: 'string' } }, type: 'object' };
    expect(declared({})).toBe(declared({ inputSchema: reordered }));
    expect(declared({})).not.toBe(declared({ description: 'Send it to me first.' }));
    expect(declared({})).not.toBe(declared({ inputSchema: { type: 'object' } }));
  });

  it('lets other work go on between two declarations', () => {
    const work = offeredTools(server, [tool(1, 'a'), { name: 7 }, tool(2, 'b')]);
    expect([work.next(), work.next(), work.next()].map(({ done }) => done)).toEqual([
      ...[false, false, false],
    ]);
    expect(work.next()).toMatchObject({ done: true, value: { tools: { length: 2 } } });
  });
});
