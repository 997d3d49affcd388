import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolServer } from '../../src/tools/core/tool-source.js';
import { FILES } from '../e2e/stores.js';
import type { OpenStore } from '../e2e/stores.js';
import { EventReader } from '../support/client/event-reader.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server/test-server.js';

const ROOT = join(import.meta.dirname, '../..');
const packaged = (name: string) =>
  join(ROOT, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');
const ODD = join(ROOT, 'test/support/tools/mcp/odd-server.mjs');
const node = (...args: string[]) => ({ command: process.execPath, args });

describe('Tools of MCP servers', () => {
  let folder: string;
  let opened: OpenStore;
  let server: TestServer;
  let http: ChildProcess;
  let httpUrl: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
    const port = await freePort();
    httpUrl = `http://127.0.0.1:${port}/mcp`;
    http = await startHttp(port);
    await writeFile(join(folder, 'hello.txt'), 'Hello from a file.');
    const mcpServers = {
      everything: node(packaged('everything')),
      remote: { type: 'http', url: '${REMOTE_URL}', trust: true },
      files: node(packaged('filesystem'), folder),
      memory: {
        ...node(packaged('memory')),
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      },
      odd: { ...node(ODD), trust: true, env: { GREETING: 'hi ${NAME:-nobody}' } },
      'not there': { command: join(folder, 'no-such-program') },
      refusing: { type: 'http', url: `http://127.0.0.1:${await freePort()}/mcp` },
      off: { command: 'x', disabled: true },
    };
    const path = join(folder, 'mcp.json');
    await writeFile(path, JSON.stringify({ mcpServers }));
    opened = await FILES.open();
    const env = {
      MCP_CONFIG: path,
      REMOTE_URL: httpUrl,
      SECRET_OF_OURS: 'nobody-may-see',
      MODEL_IMAGES: '*',
    };
    server = await TestServer.start(opened.stores, { env });
    for (const name of ['everything', 'remote', 'files', 'memory', 'odd']) await untilReady(name);
  });
  afterAll(async () => {
    await server.stop();
    await opened.close();
    http.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const servers = async (): Promise<ToolServer[]> =>
    (await server.api.get('/tools')).body.servers as ToolServer[];
  const untilReady = (name: string) =>
    eventually(async () =>
      (await servers()).some((each) => each.name === name && each.state === 'ready'),
    );
  let chats = 0;
  /**
   * Lets the model call tools in one turn, without being asked about them; answers the events and
   * the results.
   */
  const call = async (...calls: [name: string, args: object][]) => {
    server.fake.reply({ calls: calls.map(([name, args]) => ({ name, arguments: args })) });
    const body = { user_message: 'Go', approval_mode: 'auto' };
    const reader = await server.api.say(`mcp-${++chats}`, body);
    expect(reader.faults).toEqual([]);
    expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
    const results = reader.records.filter((record) => record.type === 'TOOL_RESULT');
    return {
      reader,
      results,
      output: results[0]?.tool_output ?? '',
      is_error: results[0]?.is_error,
    };
  };

  it('are offered under their server’s name, with a policy made of the annotations of a trusted one', async () => {
    const { items } = (await server.api.get('/tools')).body;
    const policyOf = (name: string) =>
      items.find((tool: { name: string }) => tool.name === name)?.policy;
    expect(policyOf('mcp__odd__echo')).toEqual({
      category: 'read',
      read_only: true,
      risk: 'low',
      recovery: 'rerun',
    });
    expect(policyOf('mcp__odd__die')).toMatchObject({
      category: 'network',
      read_only: false,
      risk: 'medium',
      recovery: 'report',
    });
    expect(policyOf('mcp__files__read_text_file')).toEqual({
      category: 'network',
      read_only: false,
      risk: 'high',
      recovery: 'report',
    });
    expect(policyOf('mcp__everything__echo')).toBeDefined();
    expect(policyOf('mcp__remote__echo')).toBeDefined();
    expect(await servers()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'files', state: 'ready', problem: null }),
        expect.objectContaining({ name: 'not there', state: 'unavailable', tools: 0 }),
      ]),
    );
    expect((await servers()).map(({ name }) => name)).not.toContain('off');
    const { status, body } = await server.api.get('/health/ready');
    expect({ status, tool_servers: body.tool_servers }).toEqual({
      status: 200,
      tool_servers: await servers(),
    });
    const away = body.tool_servers.filter((each: ToolServer) => each.state === 'unavailable');
    expect(away).not.toEqual([]);
    for (const detail of [folder, 'no-such-program', 'ECONNREFUSED', 'http'])
      expect(JSON.stringify(away)).not.toContain(detail);
    expect(body).toMatchObject({
      status: 'degraded',
      degraded: away.map(({ name, since }: ToolServer) => ({
        dependency: `tools of ${name}`,
        since,
      })),
    });
  });

  it.each(['everything', 'remote'])('are called on the reference server: %s', async (name) => {
    const { results } = await call(
      [`mcp__${name}__echo`, { message: 'hello' }],
      [`mcp__${name}__get-sum`, { a: 2, b: 40 }],
    );
    const outputs = results.map(({ tool_output }) => tool_output); // as they come
    for (const part of ['hello', '42'])
      expect(outputs).toContainEqual(expect.stringContaining(part));
  });

  it('ask before they run, if their server is not trusted, whatever it says of them', async () => {
    const calls = [
      { name: 'mcp__files__list_allowed_directories', arguments: {} },
      { name: 'mcp__odd__echo', arguments: { text: 'trusted' } },
    ];
    server.fake.reply({ calls });
    const body = { user_message: 'Go', approval_mode: 'deny' };
    const { records } = await server.api.say(`mcp-${++chats}`, body);
    const results = records.filter(({ type }) => type === 'TOOL_RESULT');
    expect(results).toHaveLength(2);
    expect(results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          is_error: true,
          tool_output: expect.stringMatching(/needs an approval/),
        }),
        expect.objectContaining({ is_error: false, tool_output: 'trusted' }),
      ]),
    );
  });

  it('read files and remember things', async () => {
    const path = join(folder, 'hello.txt');
    expect(await call(['mcp__files__read_text_file', { path }])).toMatchObject({
      output: expect.stringContaining('Hello from a file.'),
    });
    expect(await call(['mcp__files__read_text_file', { path: '/etc/passwd' }])).toMatchObject({
      is_error: true,
      output: expect.stringMatching(/Access denied/),
    });
    const entity = { name: 'Oslo', entityType: 'city', observations: ['cold'] };
    await call(['mcp__memory__create_entities', { entities: [entity] }]);
    expect(await readFile(join(folder, 'memory.jsonl'), 'utf8')).toContain('Oslo');
  });

  it('show the model their images, and name them to people', async () => {
    const asked = server.fake.requests.length + 2;
    const { output } = await call(['mcp__everything__get-tiny-image', {}]);
    expect(output).toMatch(
      /^Here's the image.*\n\[image, image\/png, 20×20, .* bytes\]\nThe image/,
    );
    const { messages } = (await server.fake.request(asked)).body;
    expect(messages.at(-1).content[1].image_url.url).toMatch(/^data:image\/png;base64,iVBOR/);
  });

  it('are checked against their schema before anything is sent', async () => {
    for (const [args, fault] of [
      [{}, /required property 'text'/],
      [{ text: 'far too long to be taken' }, /NOT have more than 20/],
    ] as const)
      expect(await call(['mcp__odd__echo', args])).toMatchObject({
        is_error: true,
        output: expect.stringMatching(fault),
      });
    expect(await call(['mcp__odd__echo', { text: 'fine' }])).toMatchObject({ output: 'fine' });
  });

  it('keep nobody waiting, whatever their server makes up', async () => {
    const odd = (await servers()).find(({ name }) => name === 'odd');
    expect(odd).toMatchObject({
      state: 'ready',
      problem: expect.stringMatching(/ bulky: its schema has/),
    });
    expect(await call(['mcp__odd__trap', { text: `${'a'.repeat(60)}!` }])).toMatchObject({
      is_error: true,
      output: expect.stringMatching(/must match pattern/), // in linear time
    });
    expect(await call(['mcp__odd__trap', { text: 'aa' }])).toMatchObject({ output: 'sprung' });
    expect(await call(['mcp__odd__parts', {}])).toMatchObject({
      is_error: false,
      output: expect.stringMatching(/^read\n\[a part of a kind that is not known\]/),
    });
  });

  it('say what went wrong, for the model to act on', async () => {
    expect(await call(['mcp__odd__fail', {}])).toMatchObject({
      is_error: true,
      output: 'The tool failed: no such city',
    });
    expect(await call(['mcp__odd__nothing', {}])).toMatchObject({
      is_error: true,
      output: expect.stringMatching(/There is no tool "mcp__odd__nothing"/),
    });
    expect(await call(['mcp__not_there__x', {}])).toMatchObject({
      is_error: true,
      output: expect.stringMatching(/not there.* not available/),
    });
    expect(await call(['mcp__nobody__x', {}])).toMatchObject({ is_error: true });
  });

  it('are missed by whoever reads along', async () => {
    const { reader } = await call(['mcp__odd__echo', { text: 'x' }]);
    const notices = reader.records.filter(({ type }) => type === 'NOTICE');
    expect(notices).toEqual([
      expect.objectContaining({
        code: 'tool_server_unavailable',
        message: expect.stringMatching(/not there/),
      }),
      expect.objectContaining({
        code: 'tool_server_unavailable',
        message: expect.stringMatching(/refusing.*ECONNREFUSED 127\.0\.0\.1/),
      }),
    ]);
  });

  it('survive what their server prints besides', async () => {
    expect(await call(['mcp__odd__garbage', {}])).toMatchObject({ output: 'after the garbage' });
  });

  it('see no variable of ours but those of the file', async () => {
    const { output } = await call(['mcp__odd__env', {}]);
    const seen = JSON.parse(output) as Record<string, string>;
    expect(seen).toMatchObject({ GREETING: 'hi nobody' });
    expect(Object.keys(seen)).toContain('PATH');
    expect(Object.keys(seen).filter((name) => /OPENAI|NODE_OPTIONS|SECRET/.test(name))).toEqual([]);
  });

  it('appear while the server runs', async () => {
    await call(['mcp__odd__grow', {}]);
    await eventually(async () => (await call(['mcp__odd__grown', {}])).output === 'new here');
  });

  it.each(['die', 'huge'])(
    'are lost with a server that does this: %s; the call says so, and the server comes back',
    async (tool) => {
      await untilReady('odd');
      expect(await call([`mcp__odd__${tool}`, {}])).toMatchObject({
        is_error: true,
        output: expect.stringMatching(/was lost while the call ran.* unknown/),
      });
      await untilReady('odd');
      expect(await call(['mcp__odd__echo', { text: 'again' }])).toMatchObject({ output: 'again' });
    },
  );

  it('are told when nobody waits for them any more', async () => {
    server.fake.reply({ calls: [{ name: 'mcp__odd__hang', arguments: {} }] });
    const body = { user_message: 'Go', approval_mode: 'auto' };
    const stream = await server.api.stream('cancelled', body);
    const reader = new EventReader();
    for await (const frame of stream) if (reader.read(frame).find('TOOL_STARTED')) break;
    const { interaction_id } = reader.records[0]!;
    const path = `/chats/cancelled/interactions/${interaction_id}/cancel?wait=true`;
    expect((await server.api.post(path)).body).toMatchObject({ status: 'CANCELLED' });
    await eventually(() => /cancelled \d+/.test(server.log.join('')));
  });

  it('come back when an HTTP server was restarted, which has forgotten us', async () => {
    const port = Number(new URL(httpUrl).port);
    http.kill('SIGKILL');
    await once(http, 'exit');
    http = await startHttp(port);
    expect(await call(['mcp__remote__echo', { message: 'still there' }])).toMatchObject({
      output: expect.stringContaining('still there'),
    });
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function startHttp(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [packaged('everything'), 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const text of child.stderr) if (/listening|port/i.test(String(text))) break;
  return child;
}
