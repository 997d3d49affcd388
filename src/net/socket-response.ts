import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import type { Duplex, Readable } from 'node:stream';

const NO_BODY = [204, 205, 304];

/**
 * A `Response` whose body is read from `incoming`, a Node stream, because web streams cost
 * several times as much per network read. A response that is not a 2xx has its text (bounded) as a
 * regular body instead.
 */
export class SocketResponse extends Response {
  constructor(
    answer: IncomingMessage,
    private source: Readable,
    text: string | null,
  ) {
    const status = answer.statusCode ?? 0;
    super(NO_BODY.includes(status) ? null : text, { status, headers: headersOf(answer) });
  }

  /** The body, without content codings. */
  get incoming(): Readable {
    return this.source;
  }

  /** Passes the body through a stream before it is read. An error of either destroys the other. */
  passThrough(stream: Duplex): void {
    this.source = pipeline(this.source, stream, () => {});
    stream.on('error', () => {}); // the answer may have no reader yet
  }
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}
