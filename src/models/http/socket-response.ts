import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

const NO_BODY = [204, 205, 304];

/**
 * A `Response` whose body is read from `incoming`, a Node stream, because web streams cost
 * several times as much per network read. A response that is not a 2xx has its text (bounded) as a
 * regular body instead.
 */
export class SocketResponse extends Response {
  constructor(
    answer: IncomingMessage,
    /** Without content codings. */
    readonly incoming: Readable,
    text: string | null,
  ) {
    const status = answer.statusCode ?? 0;
    super(NO_BODY.includes(status) ? null : text, { status, headers: headersOf(answer) });
  }
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}
