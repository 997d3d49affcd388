import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as the server got it; the fields of a form are texts, its file has its bytes. */
export interface AudioRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file?: { readonly name: string; readonly type: string; readonly bytes: Buffer };
}

export type AudioHandler = (
  request: AudioRequest,
  response: ServerResponse,
) => void | Promise<void>;

/** An OpenAI-compatible audio server, over the real wire. */
export class FakeAudio {
  readonly requests: AudioRequest[] = [];
  private readonly answers: AudioHandler[] = [];
  private other: AudioHandler = json({ error: { message: 'Nothing is scripted.' } }, 500);

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeAudio> {
    const server = createServer();
    const fake = new FakeAudio(server);
    server.on('request', (request, response) => void fake.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return fake;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The next requests get these, in turn. */
  reply(...answers: readonly AudioHandler[]): void {
    this.answers.push(...answers);
  }

  /** The requests for which there is no reply get this. */
  otherwise(answer: AudioHandler): void {
    this.other = answer;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequest(request);
    this.requests.push(read);
    await (this.answers.shift() ?? this.other)(read, response);
  }
}

async function readRequest(request: IncomingMessage): Promise<AudioRequest> {
  const body = await buffer(request);
  const type = request.headers['content-type'] ?? '';
  const seen = { path: request.url!, authorization: request.headers.authorization };
  if (!type.startsWith('multipart/')) return { ...seen, fields: JSON.parse(body.toString()) };
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': type },
  }).formData();
  const fields: Record<string, unknown> = {};
  let file: AudioRequest['file'];
  for (const [name, value] of form)
    if (typeof value === 'string') fields[name] = value;
    else
      file = {
        name: value.name,
        type: value.type,
        bytes: Buffer.from(await value.arrayBuffer()),
      };
  return { ...seen, fields, ...(file && { file }) };
}

export function json(body: unknown, status = 200): AudioHandler {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}
