import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { exactJson } from '../../src/kernel/json/exact-json.js';
import { McpConnection } from '../../src/mcp/mcp-connection.js';
import { atOnce } from '../../src/kernel/async/sliced.js';
import { offeredTools } from '../../src/mcp/mcp-tool.js';
import type { ServerSettings } from '../../src/mcp/server-settings.js';
import { checkArguments } from '../../src/tools/core/check-arguments.js';
import type { Tool } from '../../src/tools/core/tool.js';
import { toolContext } from '../../src/testing/tool-context.js';
import { RawHttpServer } from '../support/tools/mcp/raw-http-server.js';
import type { RawAnswers } from '../support/tools/mcp/raw-http-server.js';

const RAW = join(import.meta.dirname, '../support/tools/mcp/raw-server.mjs');

const NULLS =
  '{"name":"odd","title":null,"description":null,"annotations":null,"_meta":null,"icons":null,' +
  '"inputSchema":{"type":"object","properties":null,"required":null,"additionalProperties":null},' +
  '"outputSchema":null,"execution":null}';
const tools = (...schemas: string[]) =>
  schemas.map((schema, at) => `{"name":"t${at}","inputSchema":${schema}}`).join();

const INITIALIZED =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":null},"prompts":null},' +
  '"serverInfo":{"name":"raw","version":null,"title":null},"instructions":null,"_meta":null}';
const ECHO = `{"tools":[{"name":"echo","inputSchema":{}}],"nextCursor":null,"_meta":null}`;

describe.each(['stdio', 'http', 'stream'])('An MCP server over %s', (kind) => {
  beforeAll(() => Logger.overrideLogger(false));

  let connection: McpConnection;
  let http: RawHttpServer | undefined;
  let offered: readonly Tool[];

  const open = async (answers: RawAnswers): Promise<void> => {
    const all = { initialize: INITIALIZED, 'tools/list': ECHO, ...answers };
    if (kind !== 'stdio') http = await RawHttpServer.start(all, kind === 'stream');
    const common = { name: 'raw', trust: false };
    const settings: ServerSettings = http
      ? { ...common, kind: 'http', url: http.url, headers: {} }
      : { ...common, kind: 'stdio', command: process.execPath, args: args(all), env: {} };
    connection = new McpConnection(settings, async (declared) => {
      const { tools, problems } = atOnce(offeredTools(connection, declared));
      offered = tools;
      return problems[0] ?? null;
    });
    await connection.start();
    expect(connection.state).toMatchObject({ state: 'ready', problem: null });
  };
  const args = (answers: RawAnswers) => [RAW, JSON.stringify({ answers })];
  const call = async (name: string, text = '{}'): Promise<string> => {
    const tool = offered.find((each) => each.name === `mcp__raw__${name}`)!;
    const checked = checkArguments(tool, text);
    if (!checked.ok) return checked.fault;
    const output = await tool.execute(checked.input, toolContext());
    return typeof output === 'string' ? output : output.text;
  };

  afterEach(async () => {
    await connection.stop();
    await http?.stop();
    http = undefined;
  });

  it('takes null for absent in a declaration', async () => {
    await open({ 'tools/list': `{"tools":[${NULLS}],"nextCursor":null}` });
    expect(offered.map(({ name }) => name)).toEqual(['mcp__raw__odd']);
    expect(offered[0]!.input_schema).toEqual({ type: 'object' });
    expect(await call('odd')).toBe('done');
  });

  it.each([
    [
      '{"content":[{"type":"text","text":"said","annotations":null,"_meta":null}],"isError":null}',
      'said',
    ],
    ['{"content":[{"type":"text","text":null},{"type":"text","text":"b"}],"_meta":null}', '\nb'],
    ['{"content":null,"structuredContent":{"a":null},"isError":null,"_meta":null}', '{"a":null}'],
    [
      '{"content":[{"type":"resource_link","uri":"a:b","name":null,"size":null}]}',
      '[resource : a:b]',
    ],
    [
      '{"content":[{"type":"resource","resource":{"uri":"a:b","mimeType":null,"text":"c","blob":null}}]}',
      'a:b:\nc',
    ],
    ['{"content":[{"type":"text","text":"x","annotations":{"priority":7}}]}', 'x'],
    ['null', ''],
  ])('takes null for absent in the result %s', async (result, text) => {
    await open({ echoes: result, 'tools/list': '{"tools":[{"name":"echoes","title":null}]}' });
    expect(await call('echoes')).toBe(text);
  });

  it('keeps every digit of arguments, and of structured content', async () => {
    const json = '{"id":1234567890123456789,"big":1e400,"pi":3.14159265358979323846,"n":1.5}';
    await open({
      'tools/list': '{"tools":[{"name":"echo","inputSchema":{}},{"name":"ids"}]}',
      ids: `{"structuredContent":${json}}`,
    });
    expect(await call('echo', json)).toContain(`"arguments":${json}`);
    expect(await call('ids')).toBe(json);
    expect(offered[0]!.summarize!(checked(json), { chat_uid: 'uid', cut: String })).toContain(json);
  });

  it('keeps every digit of a schema, and checks by its types', async () => {
    const id = '{"type":"integer","enum":[1234567890123456789],"maximum":1e400}';
    await open({ 'tools/list': `{"tools":[${tools(`{"properties":{"id":${id}}}`)}]}` });
    expect(exactJson(offered[0]!.input_schema)).toContain(`"id":${id}`);
    expect(await call('t0', '{"id":1234567890123456789}')).toBe('done');
    expect(await call('t0', '{"id":5}')).toMatch(/don't fit/);
  });
  const checked = (json: string): unknown => {
    const read = checkArguments(offered[0]!, json);
    return read.ok ? read.input : undefined;
  };

  it.each([
    ['levels', '['.repeat(1_001) + ']'.repeat(1_001)],
    ['fields', `{${Array.from({ length: 10_001 }, (_, n) => `"${n.toString(36)}":0`).join()}}`],
  ])('fails a call at once whose answer has too many %s, and no other', async (what, json) => {
    const deep = `{"id":0,"structuredContent":{"id":3,"method":"x","list":${json}},"content":[]}`;
    await open({ deep, 'tools/list': '{"tools":[{"name":"deep"},{"name":"echo"}]}' });
    await expect(call('deep')).rejects.toThrow(new RegExp(`more than \\d+ ${what}`));
    expect(connection.state).toMatchObject({ state: 'ready' });
    expect(await call('echo')).toContain('"name":"echo"');
  });

  it('sends the arguments that are checked and shown, where a name is there twice', async () => {
    await open({});
    expect(await call('echo', '{"a":1,\n"a":2,"__proto__":3}')).toMatch(/"arguments":\{"a":2[,}]/);
  });

  it.each([
    'null',
    '{}',
    '{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}',
    '{"properties":{"a":{"type":"string","pattern":"(?i)^x\\\\Z"}}}',
    '{"properties":{"a":{"$ref":"https://example.com/a.json"}}}',
    '{"properties":{"a":{"type":"text"}},"required":true}',
    '{"$async":true,"required":["a"]}',
    '{"type":["object","null"]}',
  ])('offers a tool with the schema %s, which the server checks', async (schema) => {
    await open({ 'tools/list': `{"tools":[${tools(schema)}]}` });
    expect(offered[0]!.input_schema).toMatchObject({ type: 'object' });
    expect(await call('t0', '{"b":"x"}')).toBe('done');
  });

  it('checks schemas without a dialect by 2020-12, others by theirs', async () => {
    const tuple = '"prefixItems":[{"type":"string"}],"items":false';
    const draft7 = '"items":[{"type":"string"}],"additionalItems":false';
    await open({
      'tools/list': `{"tools":[${tools(
        `{"type":"object","properties":{"a":{${tuple}}}}`,
        `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{${draft7}}}}`,
      )}]}`,
    });
    for (const name of ['t0', 't1']) {
      expect(await call(name, '{"a":["x"]}')).toBe('done');
      expect(await call(name, '{"a":["x","y"]}')).toMatch(/don't fit/);
    }
  });

  it('ends a list whose cursor repeats, is null, or is empty', async () => {
    const page = (name: string, cursor: string) =>
      `{"tools":[{"name":"${name}"}],"nextCursor":${cursor}}`;
    await open({ 'tools/list': [page('a', '"1"'), page('b', '"1"')] });
    expect(offered.map(({ name }) => name)).toEqual(['a', 'b'].map((n) => `mcp__raw__${n}`));
    await connection.stop();
    await http?.stop();
    http = undefined;
    await open({ 'tools/list': [page('a', '""')] });
    expect(offered).toHaveLength(1);
  });
});

describe('An MCP server that starts slowly', () => {
  const slow = (startMs: number) =>
    new McpConnection(
      {
        ...{ kind: 'stdio', name: 'slow', trust: false, env: {}, command: process.execPath },
        args: [RAW, JSON.stringify({ answers: { initialize: INITIALIZED }, delay_ms: 300 })],
      },
      async () => null,
      startMs,
    );

  it.each([
    [60_000, 'ready'],
    [100, 'unavailable'],
  ])('has %i ms: it is %s', async (startMs, state) => {
    const connection = slow(startMs);
    await connection.start();
    expect(connection.state).toMatchObject({ state });
    await connection.stop();
  });

  it('is stopped while it starts', async () => {
    const connection = slow(60_000);
    const started = connection.start();
    await connection.stop();
    await started;
    expect(connection.state.state).not.toBe('ready');
  });
});
