import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly links: readonly string[];
  /** 2: an error. */
  readonly status: number;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
type Attributes = readonly { readonly key: string; readonly value: Value }[];

/** A collector: takes OTLP as JSON over HTTP, and looks for orphans after each request. */
export class OtlpReceiver {
  readonly spans = new Map<string, ReceivedSpan>();
  /** The bodies of `/v1/metrics`. */
  readonly metrics: string[] = [];
  readonly requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** Spans that came before their parents, by name. */
  readonly orphans: string[] = [];
  /** How it answers; undefined: never. `endless`: with a gigabyte; `close`: it hangs up. */
  status: number | 'endless' | 'close' | undefined = 200;
  private readonly held: ServerResponse[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      void buffer(request).then((body) => {
        const { url = '', headers } = request;
        receiver.requests.push({ url, headers });
        if (receiver.status === undefined) return void receiver.held.push(response);
        if (receiver.status === 'close') return void response.destroy();
        if (receiver.status === 'endless') return void sendGigabyte(response);
        if (receiver.status === 200) receiver.take(url, headers, body);
        response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  named(name: string): ReceivedSpan[] {
    return [...this.spans.values()].filter((span) => span.name === name);
  }

  async stop(): Promise<void> {
    for (const response of this.held) response.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(url: string, headers: IncomingHttpHeaders, body: Buffer): void {
    if (headers['content-type'] !== 'application/json') return;
    if (url === '/v1/metrics') return void this.metrics.push(body.toString());
    const { resourceSpans } = JSON.parse(body.toString());
    for (const { scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans) for (const span of spans) this.add(span);
    for (const { parentSpanId, name } of this.spans.values())
      if (parentSpanId && !this.spans.has(parentSpanId) && !this.remote.has(parentSpanId))
        this.orphans.push(name);
  }

  /** Spans of others, which are known to be elsewhere. */
  readonly remote = new Set<string>();

  private add(span: {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly name: string;
    readonly startTimeUnixNano: string;
    readonly endTimeUnixNano: string;
    readonly attributes: Attributes;
    readonly events: readonly { readonly name: string }[];
    readonly links: readonly { readonly spanId: string }[];
    readonly status: { readonly code?: number };
  }): void {
    const { traceId, spanId, parentSpanId, name, events, links, status } = span;
    this.spans.set(spanId, {
      ...{ traceId, spanId, name },
      ...(parentSpanId !== undefined && { parentSpanId }),
      start: Number(span.startTimeUnixNano) / 1e6,
      end: Number(span.endTimeUnixNano) / 1e6,
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }) => [key, valueOf(value)]),
      ),
      events: events.map((event) => event.name),
      links: links.map((link) => link.spanId),
      status: status.code ?? 0,
    });
  }
}

/** Until the client has enough. */
function sendGigabyte(response: ServerResponse): Promise<void> {
  const piece = Buffer.alloc(1024 * 1024, ' ');
  const pieces = Array.from({ length: 1024 }, () => piece);
  return pipeline(Readable.from(pieces), response).catch(() => {});
}

function valueOf(value: Value): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(valueOf);
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
}
