import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import { eventually } from '../support/eventually.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { OtlpReceiver } from '../support/server/otlp-receiver.js';
import type { ReceivedSpan } from '../support/server/otlp-receiver.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { WebhookReceiver } from '../support/server/webhook-receiver.js';
import { TrackedServer } from '../support/tools/mcp/tracked-server.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const REMOTE = '00f067aa0ba902b7';
const MKDIR = { name: 'bash', arguments: { command: 'mkdir a' } };

describe('Traces', () => {
  let data: ProcessData;
  let collector: OtlpReceiver;
  let fake: FakeOpenAi;
  let hooks: WebhookReceiver;
  let server: ServerProcess;

  beforeEach(async () => {
    [data, collector, fake, hooks] = await Promise.all([
      ...[FILES.create(), OtlpReceiver.start(), FakeOpenAi.start(), WebhookReceiver.start(0)],
    ] as const);
  });
  afterEach(async () => {
    await server.kill('SIGKILL');
    await Promise.all([collector.stop(), fake.stop(), hooks.stop()]);
    await data.remove();
  });

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<ApiClient> => {
    server = await ServerProcess.start({
      ...data.env,
      ...{ MODEL: 'openai/fake', OPENAI_BASE_URL: fake.baseUrl, OPENAI_API_KEY: 'sk-a' },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      ...{ PARK_AFTER_MS: '50', SANDBOX: 'none', WEBHOOK_URL: hooks.url },
      ...{ WEBHOOK_SECRET: 'sixteen-or-more!', ...env },
    });
    return server.api();
  };
  const approve = async (api: ApiClient, interaction: string): Promise<void> => {
    let ids: string[] = [];
    await eventually(async () => {
      const { items } = (await api.get(`/requests?interaction_id=${interaction}&status=pending`))
        .body as { items: { id: string }[] };
      ids = items.map(({ id }) => id);
      return ids.length > 0;
    });
    const body = { approval_id: ids[0], approved: true };
    const path = `/chats/traced/interactions/${interaction}/approve`;
    expect((await api.post(path, body)).status).toBe(200);
  };
  const untilReady = (api: ApiClient) =>
    eventually(async () => {
      const { servers } = (await api.get('/tools')).body as { servers: { state: string }[] };
      return servers.every(({ state }) => state === 'ready');
    });
  const ended = (api: ApiClient, id: string) =>
    eventually(async () => {
      const { body } = await api.get(`/chats/traced/interactions/${id}`);
      return /COMPLETED|FAILED|CANCELLED/.test(body.status as string);
    });

  it('are one tree without orphans, over a wait, a retry, a child and two lost processes', async () => {
    collector.remote.add(REMOTE);
    fake.reply(
      { status: 500, body: 'Later.' },
      { calls: [{ name: 'agent', arguments: { prompt: 'Read.', agent_type: 'react' } }] },
      { text: 'Read it.' },
      { calls: [MKDIR] },
    );
    let api = await start();
    const { id } = await api.begin(
      'traced',
      { user_message: 'Go.', on_disconnect: 'continue' },
      { traceparent: `00-${TRACE}-${REMOTE}-01` },
    );
    await eventually(
      () => collector.named('wait approval').length === 0 && fake.requests.length > 3,
    );
    await eventually(() => collector.named('chat fake').length === 3);
    await server.kill('SIGKILL');

    fake.reply({ hang: true });
    api = await start();
    await approve(api, id);
    await fake.request(5);
    await server.kill('SIGKILL');

    fake.reply(
      { calls: [{ name: 'read', arguments: { path: 'nothing.txt' } }] },
      { text: 'Done.' },
    );
    api = await start();
    await ended(api, id);
    await eventually(() => collector.named('chat fake').length === 5);

    expect(collector.orphans).toEqual([]);
    const spans = [...collector.spans.values()].filter(
      ({ attributes }) => attributes['parley.interaction_id'] === id,
    );
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const root = spans.find(({ parentSpanId }) => parentSpanId === REMOTE)!;
    expect(root).toMatchObject({ name: 'interaction react', start: root.end });
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const pathOf = ({ name, parentSpanId }: ReceivedSpan): string => {
      const parent = parentSpanId === undefined ? undefined : byId.get(parentSpanId);
      return parent ? `${pathOf(parent)} > ${name}` : name;
    };
    const paths = spans.map(pathOf).map((path) => path.replace('interaction react > ', ''));
    expect(new Set(paths)).toEqual(
      new Set([
        'interaction react',
        'invoke_agent react',
        'invoke_agent react > chat fake',
        'invoke_agent react > execute_tool agent',
        'invoke_agent react > invoke_agent react',
        'invoke_agent react > invoke_agent react > chat fake',
        'invoke_agent react > execute_tool bash',
        'invoke_agent react > execute_tool read',
        'wait approval',
      ]),
    );
    const runs = spans.filter(
      ({ name, parentSpanId }) => name === 'invoke_agent react' && parentSpanId === root.spanId,
    );
    expect(runs).toHaveLength(3);
    expect(runs.map(({ attributes }) => attributes['error.type'])).toContain('process_lost');
    expect(runs.filter(({ links }) => links.length === 1)).toHaveLength(2);
    expect(runs.flatMap(({ events }) => events)).toEqual(
      expect.arrayContaining(['model_retry', 'resumed']),
    );
    const [wait] = collector.named('wait approval');
    expect(wait!.attributes).toMatchObject({
      'gen_ai.conversation.id': 'traced',
      'parley.request.outcome': 'approved',
    });
    const [failed] = collector.named('execute_tool read');
    expect(failed).toMatchObject({ status: 2, attributes: { 'error.type': 'tool_failed' } });
    const turns = collector.named('chat fake');
    expect(turns[0]!.attributes).toMatchObject({
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai' },
      'gen_ai.request.model': 'fake',
    });

    // The requests of turns that came to their end name the turns' spans.
    const sent = fake.requests.map(({ headers }) => String(headers['traceparent']).split('-'));
    expect(new Set(sent.map(([, trace]) => trace))).toEqual(new Set([TRACE]));
    expect(sent.flatMap(([, , span]) => span ?? [])).toEqual(
      expect.arrayContaining(turns.map(({ spanId }) => spanId)),
    );
    await eventually(() => hooks.received.some(({ body }) => body.type === 'interaction_complete'));
    for (const { headers } of hooks.received)
      expect(headers['traceparent']).toBe(`00-${TRACE}-${root.spanId}-01`);

    const timeline = (await api.get(`/chats/traced/interactions/${id}/timeline`)).body;
    expect(timeline).toMatchObject({ trace_id: TRACE, truncated: false });
    const items = timeline.items as { id: string; kind: string }[];
    expect(new Set(items.map((span) => span.id))).toEqual(new Set(byId.keys()));
    expect(JSON.stringify([...collector.spans.values()])).not.toContain('mkdir');
  });

  it('go on to an MCP server, a model and a receiver, before and after a wait and a restart', async () => {
    collector.remote.add(REMOTE);
    const mcp = await TrackedServer.start();
    const folder = await mkdtemp(join(tmpdir(), 'parley-traced-'));
    const MCP_CONFIG = join(folder, 'mcp.json');
    const tracked = { type: 'http', url: mcp.url, trust: true };
    await writeFile(MCP_CONFIG, JSON.stringify({ mcpServers: { tracked } }));
    const look = { calls: [{ name: 'mcp__tracked__look', arguments: {} }] };
    try {
      fake.reply(look, { calls: [MKDIR] });
      let api = await start({ MCP_CONFIG });
      await untilReady(api);
      const body = { user_message: 'Go.', on_disconnect: 'continue' };
      const headers = { traceparent: `00-${TRACE}-${REMOTE}-01` };
      const { id } = await api.begin('traced', body, headers);
      await eventually(() =>
        hooks.received.some(({ body: { type } }) => type === 'request_opened'),
      );
      expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });

      fake.reply(look, { text: 'Done.' });
      api = await start({ MCP_CONFIG });
      await untilReady(api);
      await approve(api, id);
      await ended(api, id);
      await eventually(() => collector.named('execute_tool mcp__tracked__look').length === 2);
      await eventually(() => collector.named('chat fake').length === 4);

      const named = (name: string) =>
        collector.named(name).map(({ spanId }) => `00-${TRACE}-${spanId}-01`);
      expect(mcp.calls.map(({ header }) => header)).toEqual(
        named('execute_tool mcp__tracked__look'),
      );
      for (const { header, meta } of mcp.calls) expect(meta).toBe(header);
      expect(fake.requests.map((request) => request.headers['traceparent'])).toEqual(
        named('chat fake'),
      );
      await eventually(() => hooks.received.length === 2);
      expect(hooks.received.map(({ body: { type } }) => type)).toEqual([
        ...['request_opened', 'interaction_complete'],
      ]);
      const [root] = named('interaction react');
      for (const received of hooks.received) expect(received.headers['traceparent']).toBe(root);
      expect(collector.orphans).toEqual([]);
    } finally {
      await mcp.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('have texts where that is set, and the metrics of the conventions beside them', async () => {
    fake.reply({ calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] });
    fake.reply({ text: 'It is 42.' });
    const api = await start({
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    });
    const { id } = await api.begin('traced', { user_message: 'Go.', on_disconnect: 'continue' });
    await ended(api, id);
    await eventually(() => collector.named('chat fake').length === 2);
    const [root] = collector.named('interaction react');
    expect(root!.attributes['gen_ai.input.messages']).toContain('Go.');
    const [tool] = collector.named('execute_tool calculator');
    expect(tool!.attributes).toMatchObject({
      ...{ 'gen_ai.tool.call.arguments': '{"expression":"6*7"}', 'gen_ai.tool.call.result': '42' },
    });
    expect(collector.named('chat fake').at(-1)!.attributes['gen_ai.output.messages']).toContain(
      'It is 42.',
    );
    await eventually(() =>
      collector.metrics.some((body) => body.includes('execute_tool.duration')),
    );
    expect(collector.metrics.join()).toContain('gen_ai.client.inference.usage.input_tokens');
  });

  it('are of the starts that the sampler takes, and of no others', async () => {
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const api = await start(env);
    const say = async (flags?: string): Promise<void> => {
      const headers: Record<string, string> = {};
      if (flags !== undefined) headers['traceparent'] = `00-${TRACE}-${REMOTE}-${flags}`;
      const body = { user_message: 'Go.', on_disconnect: 'continue' };
      await ended(api, (await api.begin('traced', body, headers)).id);
    };
    collector.remote.add(REMOTE);
    await say();
    await say('00');
    await say('01');
    await eventually(() => collector.named('chat fake').length === 1);
    await server.kill('SIGTERM'); // it exports what is left
    expect(collector.named('interaction react')).toHaveLength(1);
    const traced = fake.requests.map(({ headers }) => headers['traceparent'] !== undefined);
    expect(traced).toEqual([false, false, true]);
  });

  it.each([
    ['does not answer', undefined],
    ['refuses', 400],
    ['has too much to do', 429],
    ['fails', 500],
    ['answers a gigabyte', 'endless'],
    ['closes the connection', 'close'],
  ] as const)('stop nothing where the collector %s, and are told of once', async (_, status) => {
    collector.status = status;
    fake.otherwise({ text: 'Yes.' });
    const api = await start();
    for (let n = 0; n < 5; n++) {
      const body = { user_message: `Go ${n}.`, on_disconnect: 'continue' };
      await ended(api, (await api.begin('traced', body)).id);
    }
    await eventually(() => collector.requests.some(({ url }) => url === '/v1/traces'));
    if (status === 400 || status === 500 || status === 'endless') {
      await eventually(() => server.output.includes('Traces can’t be exported'));
      const metrics = String((await api.get('/metrics')).body);
      const dropped = /^parley_spans_dropped_total\{reason="not_exported"\} (\d+)$/m.exec(metrics);
      expect(Number(dropped?.[1])).toBeGreaterThan(0);
    }
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(server.output.split('Traces can’t be exported').length).toBeLessThanOrEqual(2);
  });

  it('are protobuf by default, with the headers that are set', async () => {
    fake.reply({ text: 'Yes.' });
    const api = await start({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc,x-scope=a',
    });
    const { id } = await api.begin('traced', { user_message: 'Go.', on_disconnect: 'continue' });
    await ended(api, id);
    await eventually(() => collector.requests.some(({ url }) => url === '/v1/traces'));
    expect(collector.requests[0]!.headers).toMatchObject({
      ...{ 'content-type': 'application/x-protobuf', authorization: 'Basic abc', 'x-scope': 'a' },
    });
  });
});
