import type { Scope } from '../../../src/auth/principal.js';
import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import { withPeople } from '../with-people.js';

const MIB = 1024 * 1024;
const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const BOTH: readonly Scope[] = ['chat', 'decide'];
const STREAM = 'application/json, text/event-stream';
const META = 'io.modelcontextprotocol';

type Headers = Readonly<Record<string, string>>;
interface Reply {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly body: { id?: unknown; result?: Json; error?: Json };
}
// oxlint-disable-next-line no-explicit-any -- answers of the wire, as tests read them
type Json = any;

/** A caller that speaks MCP byte by byte. */
class Wire {
  constructor(
    private readonly url: string,
    private readonly own: Headers = {},
  ) {}

  async send(body: unknown, headers: Headers = {}): Promise<Reply> {
    const response = await fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: STREAM, ...this.own, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const data = text.split('\n').findLast((line) => /^data: ./.test(line));
    const last = isStream ? data?.slice('data: '.length) : text;
    const { status, headers: received } = response;
    return { status, headers: received, body: parse(last) };
  }

  /** In the revision without sessions. */
  ask(method: string, params: object = {}, headers: Headers = {}): Promise<Reply> {
    const { name } = params as { readonly name?: string };
    const version = '2026-07-28';
    const meta = {
      [`${META}/protocolVersion`]: version,
      [`${META}/clientCapabilities`]: { elicitation: { form: {} } },
    };
    const sent = { 'mcp-protocol-version': version, 'mcp-method': method, ...headers };
    const named = { ...(name !== undefined && { 'mcp-name': name }), ...sent };
    return this.send(request(method, { ...params, _meta: meta }), named);
  }

  async initialize(capabilities: object = {}): Promise<string> {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'wire' } };
    const { headers } = await this.send(request('initialize', params));
    return headers.get('mcp-session-id')!;
  }

  http(method: string, headers: Headers = {}): Promise<Response> {
    return fetch(`${this.url}/mcp`, { method, headers: { ...this.own, ...headers } });
  }
}

const request = (method: string, params: object = {}, id: unknown = 7) => ({
  ...{ jsonrpc: '2.0', id, method, params },
});
const parse = (text = ''): Reply['body'] => (text === '' ? {} : JSON.parse(text));
const of = (session: string) => ({ 'mcp-session-id': session });
const call = (message: string, more: object = {}) => ({
  ...{ name: 'react', arguments: { message, ...more } },
});
const ACCEPT = { action: 'accept', content: {} };

/** Byte by byte, and those who must not. */
export function describeMcpWire(servers: Servers): void {
  describe('The façade for MCP, on the wire,', () => {
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server) =>
      testWire(server, servers.store.isCluster),
    );
    withPeople(servers, { ...WITH_KEYS, PARK_AFTER_MS: '0' }, (server) => testCallers(server));
  });
}

function testWire(server: ServerUnderTest, isCluster = false): void {
  const wire = () => new Wire(server.api.url);
  const asked = async (chat_id: string) => {
    await makeToolAsk(server.api, chat_id, 'calculator');
    const params = call(script({ calls: [CALCULATION] }), { chat_id });
    const { body } = await wire().ask('tools/call', params);
    expect(body.result).toMatchObject({ resultType: 'input_required' });
    const [id = ''] = Object.keys(body.result.inputRequests as object);
    return { params, id, requestState: body.result.requestState as string };
  };
  const interactionsOf = async (chat: string) =>
    (await server.api.get(`/chats/${chat}?include=superseded`)).body.interactions;

  it('says what it is, in each revision', async () => {
    const { body } = await wire().ask('server/discover');
    expect(body.result).toMatchObject({
      ...{ resultType: 'complete', supportedVersions: ['2026-07-28'], cacheScope: 'private' },
      capabilities: { tools: {} },
    });
    for (const [sent, agreed] of [
      ['2025-06-18', '2025-06-18'],
      ['2024-11-05', '2025-11-25'],
    ]) {
      const params = { protocolVersion: sent, capabilities: {} };
      const reply = await wire().send(request('initialize', params));
      expect(reply.body.result).toMatchObject({
        ...{ protocolVersion: agreed, serverInfo: { name: 'parley' } },
        capabilities: { tools: {} },
      });
    }
  });

  it('refuses what is no message of the protocol', async () => {
    const session = of(await wire().initialize());
    for (const [body, status, code, id] of [
      ['{"a":', 400, -32700, null],
      ['[]', 400, -32600, null],
      [[request('ping')], 400, -32600, null],
      [{ method: 'ping', id: 1 }, 400, -32600, null],
      [request('ping', [] as object), 400, -32600, null],
      [request('ping', {}, null), 400, -32600, null],
      [request('ping', {}, 'x'.repeat(300)), 400, -32600, null],
      [{ jsonrpc: '2.0', id: 1 }, 400, -32600, null],
      [request('ping', { text: 'x'.repeat(4 * MIB) }), 413, -32000, null],
      [request('resources/list'), 200, -32601, 7],
      [request('tools/list', { cursor: 'x' }), 200, -32602, 7],
      [request('tools/call', call('x'.repeat(MIB + 1))), 413, -32000, 7],
      [request('tools/call', { name: 'nobody' }), 200, -32602, 7],
      [request('tools/call', { ...call('Hi'), requestState: 'x' }), 200, -32602, 7],
    ] as const) {
      const reply = await wire().send(body, session);
      const shown = JSON.stringify(body).slice(0, 80);
      expect([shown, reply.status, reply.body.error?.code, reply.body.id]).toEqual([
        ...[shown, status, code, id],
      ]);
    }
    const { status, body } = await wire().send('x', { 'content-type': 'text/plain' });
    expect([status, body.error.data.code]).toEqual([415, 'unsupported_media_type']);
    const foreign = await wire().send(request('ping'), { origin: 'https://evil.example' });
    expect([foreign.status, foreign.body.error.data.code]).toEqual([403, 'cross_site_request']);
  });

  it('takes a request without a session only with the headers that it needs', async () => {
    const other = { [`${META}/protocolVersion`]: '2027-01-01' };
    const faulty: readonly Headers[] = [
      { 'mcp-method': 'tools/list' },
      { 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-name': 'coder' },
      { 'mcp-name': '=?base64?Y29kZXI=?=' },
      { 'mcp-name': '' },
    ];
    for (const headers of faulty) {
      const reply = await wire().ask('tools/call', call('Hi'), headers);
      expect([headers, reply.status, reply.body.error?.code]).toEqual([headers, 400, -32020]);
    }
    const encoded = `=?base64?${Buffer.from('react').toString('base64')}?=`;
    const named = await wire().ask('tools/call', call('Hi'), { 'mcp-name': encoded });
    expect(named.body.result.content).toEqual([{ type: 'text', text: 'Done.' }]);
    const bare = await wire().send(request('tools/list', { _meta: { ...other } }));
    expect(bare.body.error).toMatchObject({
      ...{ code: -32022, data: { supported: ['2026-07-28'], requested: '2027-01-01' } },
    });
    const lost = await wire().send(request('tools/list'), { 'mcp-protocol-version': '2026-07-28' });
    expect([lost.status, lost.body.error.code]).toEqual([400, -32602]);
    const unknown = await wire().ask('ping');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, -32601]);
  });

  it('knows a session as long as its client wants, over a restart too', async () => {
    const session = await wire().initialize();
    const ping = (headers: Headers) => wire().send(request('ping'), headers);
    expect((await ping(of(session))).body.result).toEqual({});
    expect((await ping({})).status).toBe(400);
    expect((await ping(of('f.x.y'))).status).toBe(404);
    expect((await ping({ ...of(session), 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    await server.restart();
    expect((await ping(of(session))).status).toBe(200);
    expect((await wire().http('DELETE', of(session))).status).toBe(204);
    if (isCluster) return; // another process has not heard of it
    for (const reply of [await ping(of(session)), await wire().http('GET', of(session))])
      expect(reply.status).toBe(404);
  });

  it('has a stream for a session, in which nothing happens', async () => {
    const session = await wire().initialize();
    const before = server.streams;
    const stream = await wire().http('GET', { ...of(session), accept: 'text/event-stream' });
    expect(stream.status).toBe(200);
    await eventually(() => server.streams === before + 1);
    await stream.body!.cancel();
    await eventually(() => server.streams === before);
    expect((await wire().http('GET')).status).toBe(400);
    expect((await wire().http('GET', { 'last-event-id': 'x' })).status).toBe(404);
  });

  it('answers a client that takes no streams with JSON', async () => {
    const accept = { accept: 'application/json' };
    const reply = await wire().ask('tools/call', call('Hi'), accept);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.body.result.structuredContent.answer).toBe('Done.');
  });

  it('goes on with the same interaction after a form, and after a restart', async () => {
    const { params, id, requestState } = await asked('wire-restart');
    await server.restart();
    const more = { requestState, inputResponses: { [id]: ACCEPT } };
    const { body } = await wire().ask('tools/call', { ...params, ...more });
    expect(body.result.structuredContent.answer).toBe('Done.');
    const again = await wire().ask('tools/call', { ...params, ...more });
    expect(again.body.result.structuredContent).toEqual(body.result.structuredContent);
    expect(await interactionsOf('wire-restart')).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('asks again while nothing is decided', async () => {
    const { params, id, requestState } = await asked('wire-again');
    for (const inputResponses of [{}, { [id]: { action: 'later' } }, { other: ACCEPT }, 'x']) {
      const retry = { ...params, requestState, inputResponses };
      const { body } = await wire().ask('tools/call', retry);
      expect(body.result).toMatchObject({ resultType: 'input_required', requestState });
      expect(Object.keys(body.result.inputRequests)).toEqual([id]);
    }
    expect(await interactionsOf('wire-again')).toMatchObject([{ status: 'WAITING_APPROVAL' }]);
  });

  it('refuses a state that was altered', async () => {
    const first = await asked('wire-altered-1');
    const second = await asked('wire-altered-2');
    const [interaction, seq, signature] = first.requestState.split('.') as [string, string, string];
    const [other] = second.requestState.split('.') as [string];
    const turned = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    for (const requestState of [
      `${other}.${seq}.${signature}`,
      `${interaction}.${Number(seq) - 1}.${signature}`,
      `${interaction}.${seq}.${turned}`,
      `${interaction}.${seq}.`,
      'int_none.1.' + 'A'.repeat(43),
      5,
    ]) {
      const retry = { ...first.params, requestState, inputResponses: { [first.id]: ACCEPT } };
      const { body } = await wire().ask('tools/call', retry);
      expect([requestState, body.error?.code]).toEqual([requestState, -32602]);
    }
    const coder = { ...first.params, name: 'coder', requestState: first.requestState };
    expect((await wire().ask('tools/call', coder)).body.error.code).toBe(-32602);
    for (const chat of ['wire-altered-1', 'wire-altered-2'])
      expect(await interactionsOf(chat)).toMatchObject([{ status: 'WAITING_APPROVAL' }]);
  });

  it('says so where the chat is busy', async () => {
    await asked('wire-busy');
    const { body } = await wire().ask('tools/call', call('Hi', { chat_id: 'wire-busy' }));
    expect(body.result).toMatchObject({ isError: true, _meta: { parley: { code: 'chat_busy' } } });
  });
}

function testCallers(server: ServerUnderTest): void {
  const wireOf = async (user_id: string, scopes = BOTH, tenant_id = 'default') => {
    const { key } = await makeKey(server.api, scopes, { user_id, tenant_id });
    const wire = new Wire(server.api.url, { authorization: `Bearer ${key}` });
    return { wire, api: server.api.bearing(key) };
  };

  it('refuses the session and the state of another user, who sees nothing of a call', async () => {
    const ann = await wireOf('ann');
    const session = await ann.wire.initialize({ elicitation: {} });
    const chat_id = 'callers-state';
    await makeToolAsk(ann.api, chat_id, 'calculator');
    await ann.api.patch(`/chats/${chat_id}`, { visibility: 'tenant' }); // others may read
    const params = call(script({ calls: [CALCULATION] }), { chat_id });
    const { result } = (await ann.wire.ask('tools/call', params)).body;
    const { inputRequests, requestState } = result;
    const { interaction_id } = result['_meta'].parley;
    const [id] = Object.keys(inputRequests) as [string];
    const retry = { ...params, requestState, inputResponses: { [id]: ACCEPT } };
    const event = Buffer.from(JSON.stringify([interaction_id, 0, 7, null, 1])).toString(
      'base64url',
    );
    const strangers = [await wireOf('ben'), await wireOf('ann', BOTH, 'another')];
    for (const { wire } of strangers) {
      expect((await wire.send(request('ping'), of(session))).status).toBe(404);
      expect((await wire.ask('tools/call', retry)).body.error.code).toBe(-32602);
    }
    const form = { jsonrpc: '2.0', id: `${interaction_id}/${id}`, result: ACCEPT };
    const own = await strangers[1]!.wire.initialize();
    expect((await strangers[1]!.wire.send(form, of(own))).status).toBe(202);
    const read = await strangers[1]!.wire.http('GET', { 'last-event-id': event });
    expect(read.status).toBe(404);
    const { interactions } = (await ann.api.get(`/chats/${chat_id}`)).body;
    expect(interactions).toMatchObject([{ status: 'WAITING_APPROVAL' }]);
    const done = await ann.wire.ask('tools/call', retry);
    expect(done.body.result.structuredContent.answer).toBe('Done.');
  });

  it('asks nobody who may not decide, and takes no decision of theirs', async () => {
    const { wire, api } = await wireOf('cat', ['chat']);
    const decider = await wireOf('cat');
    const chat_id = 'callers-scope';
    await makeToolAsk(decider.api, chat_id, 'calculator');
    const params = call(script({ calls: [CALCULATION] }), { chat_id });
    const called = wire.ask('tools/call', params);
    const pending = async () => (await api.get(`/requests?chat_id=${chat_id}`)).body.items;
    await eventually(async () => (await pending()).length === 1);
    const [{ id, interaction_id }] = await pending();
    const session = of(await wire.initialize({ elicitation: {} }));
    const form = { jsonrpc: '2.0', id: `${interaction_id}/${id}`, result: ACCEPT };
    expect((await wire.send(form, session)).status).toBe(403);
    const given = { ...params, requestState: 'x', inputResponses: { [id]: ACCEPT } };
    expect((await wire.ask('tools/call', given)).status).toBe(403);
    const own = of(await decider.wire.initialize());
    expect((await decider.wire.send(form, own)).status).toBe(202);
    expect((await called).body.result.structuredContent.answer).toBe('Done.');
  });

  it('needs a credential, and the scope `chat`', async () => {
    const none = await new Wire(server.api.url).ask('tools/list');
    expect([none.status, none.body.error.data.code]).toEqual([401, 'unauthenticated']);
    const { wire } = await wireOf('dan', ['operate']);
    expect((await wire.ask('tools/list')).status).toBe(403);
  });
}
