import { Logger } from '@nestjs/common';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { hostname } from 'node:os';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Config } from '../../config/config.js';
import { proxyFor } from '../../config/proxy-for.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { VERSION } from '../../kernel/version.js';
import { ProxyAgent } from '../../net/proxy-agent.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { EXPORT_MS, EXPORTED } from './otel-values.js';
import type { ExportResult } from './otel-values.js';
import { SpanQueue } from './span-queue.js';

const TIMEOUT_MS = 10_000;
const MAX_FAULT = 300;

interface Exporter<T> {
  export(items: T, done: (result: ExportResult) => void): void;
}

/** The program that exports, by OpenTelemetry's names. */
export function resourceOf({ otelServiceName, role }: Config): Resource {
  return resourceFromAttributes({
    ...{ 'service.name': otelServiceName, 'service.version': VERSION },
    ...{ 'service.instance.id': `${hostname()}:${process.pid}`, 'parley.role': role },
  });
}

export async function openSpanQueue(config: Config, telemetry: Telemetry): Promise<SpanQueue> {
  const { OTLPTraceExporter } = await (config.otelExporterOtlpProtocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  const options = optionsOf(config, 'traces');
  const agent = agentFor(config, options.url);
  const exporter = new OTLPTraceExporter({ ...options, httpAgentOptions: () => agent });
  return new SpanQueue({
    exporter: telling<ReadableSpan[], SpanExporter>(exporter, 'Traces'),
    abort: () => agent.destroy(),
    telemetry,
  });
}

export async function openMetricExporter(config: Config): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } = await (config.otelExporterOtlpProtocol === 'http/json'
    ? import('@opentelemetry/exporter-metrics-otlp-http')
    : import('@opentelemetry/exporter-metrics-otlp-proto'));
  const options = optionsOf(config, 'metrics');
  const agent = agentFor(config, options.url);
  const exporter = new OTLPMetricExporter({ ...options, httpAgentOptions: () => agent });
  return ending(telling<ResourceMetrics, PushMetricExporter>(exporter, 'Metrics'), agent);
}

function agentFor(config: Config, url: string): HttpAgent {
  const proxy = proxyFor(config, url);
  if (proxy !== undefined) return new ProxyAgent(proxy, { keepAlive: true });
  return new (url.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: true });
}

function optionsOf(config: Config, signal: 'traces' | 'metrics') {
  const base = config.otelExporterOtlpEndpoint!.replace(/\/$/, '');
  return { url: `${base}/v1/${signal}`, headers: headersOf(config), timeoutMillis: TIMEOUT_MS };
}

function headersOf({ otelExporterOtlpHeaders: secret }: Config): Record<string, string> {
  const entries = (secret?.reveal() ?? '').split(',').filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), decodeURIComponent(entry.slice(at + 1))];
    }),
  );
}

/** Ends what takes too long: the reader goes on without it, and leaves its connection open. */
function ending<T, E extends Exporter<T>>(exporter: E, agent: HttpAgent): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    const timer = setInterval(() => agent.destroy(), EXPORT_MS).unref();
    send(items, (result) => {
      clearInterval(timer);
      done(result);
    });
  };
  return exporter;
}

/** Logs once that the collector is away, and once that it is back. */
function telling<T, E extends Exporter<T>>(exporter: E, what: string): E {
  const logger = new Logger('Telemetry');
  const send = exporter.export.bind(exporter);
  let isAway = false;
  exporter.export = (items, done) =>
    send(items, (result) => {
      const fails = result.code !== EXPORTED;
      if (fails !== isAway)
        if (fails) logger.warn(`${what} can’t be exported, and are dropped: ${faultOf(result)}`);
        else logger.log(`${what} are exported again.`);
      isAway = fails;
      done(result);
    });
  return exporter;
}

/** The collector may have written it. */
function faultOf({ error }: ExportResult): string {
  return cutText(error?.message || 'it gives no reason', MAX_FAULT);
}
