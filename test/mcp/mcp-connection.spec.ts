import { Logger } from '@nestjs/common';
import { McpConnection } from '../../src/mcp/mcp-connection.js';
import { atOnce } from '../../src/kernel/async/sliced.js';
import { offeredTools } from '../../src/mcp/mcp-tool.js';
import type { ToolPolicy } from '../../src/tools/core/tool.js';
import { json, OddHttpServer } from '../support/tools/mcp/odd-http-server.js';
import { toolContext } from '../../src/testing/tool-context.js';

describe(McpConnection.name, () => {
  beforeAll(() => Logger.overrideLogger(false));

  let odd: OddHttpServer;
  let connection: McpConnection;
  let declared: readonly unknown[];

  const connect = async (trust = true): Promise<void> => {
    const headers = { 'x-api-key': 's3cret' };
    connection = new McpConnection(
      { kind: 'http', name: 'odd', trust, url: odd.url, headers },
      async (tools) => ((declared = tools), null),
    );
    await connection.start();
  };
  const tool = (name: string) =>
    atOnce(offeredTools(connection, declared)).tools.find(
      (each) => each.name === `mcp__odd__${name}`,
    )!;
  const call = async (name: string): Promise<string> =>
    (await tool(name).execute({}, toolContext())).text;

  beforeEach(async () => {
    odd = await OddHttpServer.start();
  });
  afterEach(async () => {
    await connection.stop();
    await odd.stop();
  });

  const FORGOTTEN: readonly [number, string][] = [
    [404, 'Not found'],
    [400, 'No valid session'],
  ];

  it.each(FORGOTTEN)(
    'does not repeat a call that may have acted before the answer: %i %s (I4)',
    async (status, text) => {
      await connect();
      odd.answers.push((response) => void response.writeHead(status).end(text));
      await expect(call('acts')).rejects.toThrow(/Whether the call had an effect is unknown/);
      expect(odd.calls).toEqual(['acts']);
      expect(await call('acts')).toBe('done'); // in a new session
    },
  );

  it.each(FORGOTTEN)(
    'repeats a call that does no harm in a new session: %i %s',
    async (status, text) => {
      await connect();
      odd.answers.push((response) => void response.writeHead(status).end(text));
      expect(await call('looks')).toBe('done');
      expect(odd.calls).toEqual(['looks', 'looks']);
    },
  );

  it('does not send a call again that ends with its connection (I4)', async () => {
    await connect();
    expect(await call('acts')).toBe('done');
    odd.answers.push((response) => response.destroy());
    await expect(call('acts')).rejects.toThrow(/Whether the call had an effect is unknown/);
    expect(odd.calls).toEqual(['acts', 'acts']);
  });

  it('repeats nothing because of the annotations of a server that is not trusted', async () => {
    await connect(false);
    odd.answers.push((response) => void response.writeHead(404).end());
    await expect(call('looks')).rejects.toThrow(/unknown/);
    expect(odd.calls).toEqual(['looks']);
  });

  it.each([
    [true, { category: 'read', read_only: true, risk: 'low', recovery: 'rerun' }],
    [false, { category: 'network', read_only: false, risk: 'high', recovery: 'report' }],
  ] satisfies [boolean, ToolPolicy][])(
    'believes the annotations of a server if it is trusted: %s',
    async (trust, policy) => {
      await connect(trust);
      expect(tool('looks').policy).toEqual(policy);
    },
  );

  it('sends its headers to no other origin', async () => {
    const other = await OddHttpServer.start();
    odd.redirect = other.url.href;
    await connect();
    expect(connection.state).toMatchObject({
      state: 'unavailable',
      problem: expect.stringContaining('redirect'),
    });
    odd.redirect = undefined;
    await connection.stop();
    await connect();
    odd.answers.push((response) => response.writeHead(307, { location: other.url.href }).end());
    await expect(call('acts')).rejects.toThrow(/redirect/);
    expect(odd.requests.at(-1)!.headers).toMatchObject({ 'x-api-key': 's3cret' });
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  const ERRORS: readonly (readonly [string, object, RegExp])[] = [
    ['as a closed connection', { code: -32_000, message: 'it is locked' }, /-32000: it is locked$/],
    ['as a timeout', { code: -32_001, message: 'the mailbox is slow' }, /-32001: the mailbox/],
    ['of its own', { code: 7, message: 'no', data: { field: 'to' } }, /7: no\n\{"field":"to"\}$/],
  ];

  it.each(ERRORS)('goes on after an error with the same number %s', async (_, error, expected) => {
    await connect();
    const { since } = connection.state;
    odd.answers.push((response, id) => json(response, { jsonrpc: '2.0', id, error }));
    await expect(call('acts')).rejects.toThrow(expected);
    expect(await call('acts')).toBe('done');
    expect(connection.state).toMatchObject({ state: 'ready', since });
  });

  it('says that the effect of a call is unknown whose answer breaks off, and goes on', async () => {
    await connect();
    const { since } = connection.state;
    odd.answers.push((response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(': working\n\n', () => response.destroy()),
    );
    await expect(call('acts')).rejects.toThrow(
      'did not answer the call to its end: aborted. Whether the call had an effect is unknown.',
    );
    expect(await call('acts')).toBe('done');
    expect(connection.state).toMatchObject({ state: 'ready', since });
  });

  it.each([
    ['a content that is no list', { jsonrpc: '2.0', result: { content: 'done' } }],
    ['an error flag that is none', { jsonrpc: '2.0', result: { content: [], isError: 'yes' } }],
    ['a result that is no object', { jsonrpc: '2.0', result: 'done' }],
    ['no message', { ok: true }],
  ])('fails only the call whose answer has %s', async (_, body) => {
    await connect();
    const { since } = connection.state;
    let answerFirst: () => void;
    const first = new Promise<void>((resolve) => {
      odd.answers.push((response, id) => {
        answerFirst = () =>
          json(response, {
            jsonrpc: '2.0',
            id,
            result: { content: [{ type: 'text', text: 'a' }] },
          });
        resolve();
      });
    });
    const patient = call('acts').catch((error: Error) => error.message);
    await first;
    odd.answers.push((response, id) => json(response, { id, ...body }));
    await expect(call('acts')).rejects.toThrow(/can't be read: .* effect is unknown/s);
    answerFirst!();
    expect(await patient).toBe('a');
    expect(connection.state).toMatchObject({ state: 'ready', since });
  });
});
