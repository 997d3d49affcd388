import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Config } from '../../config/config.js';
import { loadConfig } from '../../config/load-config.js';
import { Telemetry } from '../../telemetry/telemetry.js';
import { openMetricExporter, openSpanQueue } from './exporter.js';
import { EXPORT_MS } from './otel-values.js';
import { watchPartialSuccess } from './partial-success.js';
import { toOtelSpan } from './to-otel-span.js';

/** What an HTTP proxy is asked first. */
async function firstLine(proxy: Server): Promise<string> {
  const [socket] = await once(proxy, 'connection');
  const [data] = await once(socket, 'data');
  socket.destroy();
  return String(data).split('\r\n', 1)[0]!;
}

function span(): ReadableSpan {
  const at = '2026-01-15T10:00:00.000Z';
  return toOtelSpan(
    {
      ...{ id: '1'.repeat(16), parent_id: null, kind: 'tool', name: 'read', agent_id: 'agent_1' },
      ...{ epoch: 1, started_at: at, ended_at: at, status: 'ok', seq: 1, events: [] },
    },
    {
      interaction: { id: 'int_1', chat_id: 'chat', tenant_id: 'default' },
      trace: { trace_id: 'a'.repeat(32) },
      resource: resourceFromAttributes({}),
      withTexts: false,
    },
  );
}

/** What is counted and logged where a collector answers so to some spans. */
async function told(protocol: string, answer: string | Buffer, spans = 1) {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const collector = createHttpServer((_, response) => response.end(answer)).listen(0);
  await once(collector, 'listening');
  const telemetry = new Telemetry();
  const dropped: unknown[] = [];
  telemetry.on('spans_dropped', (event) => dropped.push(event));
  await watchPartialSuccess(telemetry);
  const { port } = collector.address() as AddressInfo;
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  };
  const queue = await openSpanQueue(loadConfig(env), telemetry);
  for (let n = 0; n < spans; n++) queue.add(span());
  await queue.shutdown();
  collector.close();
  const warnings = warn.mock.calls.map(([message]) => message);
  warn.mockRestore();
  return { dropped, warnings };
}

describe('exporters', () => {
  let proxy: Server;
  beforeEach(async () => {
    proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterEach(() => proxy.close());

  const config = (): Config =>
    loadConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });

  it('send metrics through the proxy of the configuration', async () => {
    const metrics = await openMetricExporter(config());
    const asked = firstLine(proxy);
    metrics.export({ resource: resourceFromAttributes({}), scopeMetrics: [] }, () => {});
    expect(await asked).toBe('CONNECT collector.example:443 HTTP/1.1');
    await metrics.shutdown();
  });

  it.each([
    ['http/json', Buffer.from('{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}')],
    ['http/protobuf', Buffer.from('\n\v\b\x02\x12\x07too old')],
  ])('tell what a collector takes only in part, by %s', async (protocol, answer) => {
    expect(await told(protocol, answer, 3)).toEqual({
      dropped: [{ reason: 'rejected', count: 2 }],
      warnings: ['The collector does not take all that it is sent: rejected spans: 2; too old'],
    });
  });

  it.each(['"1e309"', '-1', '{}', 'null', '9007199254740993', '"NaN"'])(
    'count none where a collector rejects %s spans',
    async (rejected) => {
      const answer = `{"partialSuccess":{"rejectedSpans":${rejected},"errorMessage":{"a":1}}}`;
      expect(await told('http/json', answer)).toEqual({
        dropped: [],
        warnings: ['The collector does not take all that it is sent: it gives no reason'],
      });
    },
  );

  it('end an export of metrics that a collector answers byte by byte', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date'] });
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const answers: ServerResponse[] = [];
    const collector = createHttpServer((_, response) => void answers.push(response)).listen(0);
    try {
      await once(collector, 'listening');
      const { port } = collector.address() as AddressInfo;
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
      const metrics = await openMetricExporter(loadConfig(env));
      let isEnded = false;
      const collection = { resource: resourceFromAttributes({}), scopeMetrics: [] };
      metrics.export(collection, () => (isEnded = true));
      await once(collector, 'request');
      const limit = Date.now() + 60_000;
      while (!isEnded && Date.now() < limit) {
        for (const answer of answers) answer.write(' ');
        jest.advanceTimersByTime(EXPORT_MS);
        await new Promise(setImmediate);
      }
      expect(isEnded).toBe(true);
    } finally {
      jest.useRealTimers();
      warn.mockRestore();
      collector.close().closeAllConnections();
    }
  });

  it('send spans through it', async () => {
    const queue = await openSpanQueue(config(), new Telemetry());
    const asked = firstLine(proxy);
    queue.add(span());
    expect(await asked).toBe('CONNECT collector.example:443 HTTP/1.1');
    await queue.shutdown();
  });
});
