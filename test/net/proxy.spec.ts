import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { OpenAiAudioProvider } from '../../src/audio/openai/openai-audio-provider.js';
import { keyRequest } from '../../src/auth/jwt/key-set.js';
import { AppConfigModule } from '../../src/config/config.module.js';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load-config.js';
import { proxyFor } from '../../src/config/proxy-for.js';
import { S3FileStore } from '../../src/files/s3/s3-file-store.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { McpServers } from '../../src/mcp/mcp-servers.js';
import { HttpTransport } from '../../src/mcp/http/http-transport.js';
import { ModelRegistry } from '../../src/models/model-registry.js';
import { ModelsModule } from '../../src/models/models.module.js';
import { ProxyAgent } from '../../src/net/proxy-agent.js';
import { SocketFetch } from '../../src/net/socket-fetch.js';
import type { ToolRegistry } from '../../src/tools/core/tool-registry.js';
import { openMetricExporter } from '../../src/tracing/otel/exporter.js';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { WebhookSender } from '../../src/webhooks/webhook-sender.js';
import { eventually } from '../support/eventually.js';
import { ConnectProxy } from '../support/server/connect-proxy.js';

const CREDENTIALS = `Basic ${Buffer.from('me:hush').toString('base64')}`;

/** Sends one request as the server does, and answers the message of its failure. */
type Way = (config: Config) => Promise<string>;

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it succeeded',
    (error: Error) => error.message,
  );

const askModel: Way = async (config) => {
  const imports = [AppConfigModule.of(config), ModelsModule];
  const module = await Test.createTestingModule({ imports }).compile();
  const [{ provider, model }] = module.get(ModelRegistry).resolve();
  const request = { model, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const turn = provider.stream(request, AbortSignal.timeout(10_000));
  return failure(turn[Symbol.asyncIterator]().next());
};

const listen: Way = (config) => {
  const baseUrl = 'https://audio.invalid/v1';
  const audio = new OpenAiAudioProvider({
    ...{ apiKey: 'key', baseUrl, proxyUrl: proxyFor(config, baseUrl), timeoutMs: 60_000 },
    ...{ transcribeModel: 'whisper-1', speechModel: 'tts-1', voice: 'alloy' },
  });
  const recording = { content: Buffer.from('x'), filename: 'a.wav', mime_type: 'audio/wav' };
  return failure(audio.transcribe(recording, undefined, AbortSignal.timeout(60_000)));
};

const sendWebhook: Way = async (config) => {
  const sender = new WebhookSender(config, new SystemClock());
  return (await sender.send('id', '{}', new AbortController().signal)) ?? 'it succeeded';
};

const fetchKeys: Way = (config) => {
  const url = 'https://issuer.invalid/jwks';
  return failure(keyRequest(url, proxyFor(config, url))());
};

const readFromS3: Way = (config) => failure(new S3FileStore(config).exists('acme/a'));

const exportMetrics: Way = async (config) => {
  const exporter = await openMetricExporter(config);
  const collection = { resource: resourceFromAttributes({}), scopeMetrics: [] };
  const { error } = await new Promise<{ error?: Error }>((resolve) => {
    exporter.export(collection, resolve);
  });
  await exporter.shutdown();
  return error?.message ?? 'it succeeded';
};

const connectMcp: Way = async (config) => {
  const registry = { addSource: () => {} } as unknown as ToolRegistry;
  const mcp = await McpServers.open(config, registry);
  await mcp.onModuleInit();
  const [server] = mcp.servers();
  await mcp.onApplicationShutdown();
  return server?.problem ?? 'it succeeded';
};

const S3 = { FILE_STORE: 's3', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' };
const OWN_S3 = { ...S3, S3_BUCKET: 'bucket', S3_ENDPOINT: 'https://s3.invalid' };

describe('HTTPS_PROXY', () => {
  let proxy: ConnectProxy;
  let folder: string;
  beforeEach(async () => {
    proxy = await ConnectProxy.start();
    folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'));
    const mcpServers = { docs: { type: 'http', url: 'https://mcp.invalid/mcp' } };
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  });
  afterEach(async () => {
    await proxy.stop();
    await rm(folder, { recursive: true });
  });

  const configOf = (env: Readonly<Record<string, string>>): Config =>
    loadConfig({ HTTPS_PROXY: proxy.url, MCP_CONFIG: join(folder, 'mcp.json'), ...env });
  const shownUrl = (): string => proxy.url.replace('me:hush@', '');

  const WAYS: [string, Record<string, string>, Way][] = [
    [
      'openai.invalid',
      { OPENAI_BASE_URL: 'https://openai.invalid', OPENAI_API_KEY: 'key' },
      askModel,
    ],
    [
      'anthropic.invalid',
      { ANTHROPIC_BASE_URL: 'https://anthropic.invalid', ANTHROPIC_API_KEY: 'key' },
      askModel,
    ],
    ['audio.invalid', {}, listen],
    [
      'hooks.invalid',
      { WEBHOOK_URL: 'https://hooks.invalid/', WEBHOOK_SECRET: 'w'.repeat(32) },
      sendWebhook,
    ],
    ['issuer.invalid', {}, fetchKeys],
    ['bucket.s3.invalid', OWN_S3, readFromS3],
    ['s3.invalid', { ...OWN_S3, S3_FORCE_PATH_STYLE: 'true' }, readFromS3],
    [
      'bucket.s3.eu-west-1.amazonaws.com',
      { ...S3, S3_BUCKET: 'bucket', S3_REGION: 'eu-west-1' },
      readFromS3,
    ],
    ['mcp.invalid', {}, connectMcp],
    [
      'collector.invalid',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.invalid' },
      exportMetrics,
    ],
  ];

  it.each(WAYS)('is the way to %s, and a failure names it', async (host, env, way) => {
    proxy.refusal = '403 Forbidden';
    const said = await way(configOf(env));
    expect(new Set(proxy.requests)).toEqual(new Set([`${host}:443 ${CREDENTIALS}`]));
    expect(said).toContain(`the proxy ${shownUrl()} refuses the connection to ${host}:443 (403)`);
    expect(said).not.toContain('hush');
  });

  /** Exports are tried again for seconds where no connection comes about. */
  const ONCE = WAYS.filter(([, , way]) => way !== exportMetrics);

  it.each(ONCE)('that is away fails requests to %s by its name', async (_, env, way) => {
    const config = configOf(env);
    const shown = shownUrl();
    await proxy.stop();
    expect(await way(config)).toContain(
      `the proxy ${shown} can't be reached: connect ECONNREFUSED`,
    );
  });

  it.each(ONCE.filter(([host]) => host.endsWith('.invalid')))(
    'is not the way to %s if NO_PROXY names it',
    async (host, env, way) => {
      const said = await way(configOf({ ...env, NO_PROXY: host }));
      expect(proxy.requests).toEqual([]);
      expect(said).not.toContain('proxy');
    },
  );

  it('tunnels to an MCP server', async () => {
    const server = await serveMcp();
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    const transport = new HttpTransport({ url, headers: {}, proxyUrl: proxy.url });
    const received: unknown[] = [];
    Object.assign(transport, { onmessage: (message: unknown) => received.push(message) });
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await eventually(() => received.length > 0);
    expect(received).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(proxy.requests).toEqual([`127.0.0.1:${port} ${CREDENTIALS}`]);
    await transport.close();
    server.close();
  });

  it('keeps connections of requests that name no protocol under one name', () => {
    const agent = new ProxyAgent(proxy.url);
    const nameOf = (options: object) => agent.getName(options as never);
    const target = { host: 's3.invalid', port: 443 };
    expect(nameOf(target)).toBe(nameOf({ ...target, protocol: 'https:' }));
    agent.destroy();
  });

  it('that never answers does not hold up a request that is aborted', async () => {
    proxy.refusal = null;
    const abort = new AbortController();
    const sockets = new SocketFetch({ proxyUrl: proxy.url });
    const asked = sockets.fetch('https://api.invalid', { signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    sockets.close();
  });
});

async function serveMcp(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
