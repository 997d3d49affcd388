import { unmarkNumbers } from '../kernel/json/exact-json.js';
import { traceHeaders } from '../net/outgoing-trace.js';
import { CallWatch } from './call-watch.js';
import { cleanBody } from './clean-body.js';

/**
 * Maximum bytes of one message of a server: four images as large as they may be. A longer output
 * would be truncated for the model anyway, and its parsing would block the event loop.
 */
export const MAX_MESSAGE_BYTES = 6 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * As `fetch`, with exact numbers, and with messages as `parseIncoming` reads them. A response that
 * breaks off, or that has a message above the limit, fails its call.
 * @param ended is called when the body has ended, or there is none
 */
export async function boundedFetch(
  url: string | URL,
  init?: RequestInit,
  ended: () => void = () => {},
): Promise<Response> {
  const watch = CallWatch.current;
  const response = await fetch(url, prepared(init));
  if (!response.body) {
    ended();
    return response;
  }
  const type = response.headers.get('content-type') ?? '';
  const size = new MessageSize(type.includes('text/event-stream'));
  watch?.began();
  const body = ReadableStream.from(cleanBody(bounded(response.body, size, { watch, ended }), type));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function prepared(init: RequestInit | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(traceHeaders())) headers.set(name, value);
  const body = typeof init?.body === 'string' ? unmarkNumbers(init.body) : init?.body;
  return { ...init, headers, ...(body !== undefined && { body }) };
}

async function* bounded(
  body: ReadableStream<Uint8Array>,
  message: MessageSize,
  { watch, ended }: { readonly watch: CallWatch | undefined; readonly ended: () => void },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      if (message.add(chunk) > MAX_MESSAGE_BYTES)
        throw new Error(`it sent more than ${MAX_MESSAGE_BYTES} bytes at once`);
      yield chunk;
    }
  } catch (error) {
    watch?.failed(error as Error);
    throw error;
  } finally {
    watch?.ended();
    ended();
  }
}

/** Counts the bytes of the current message. In an event stream an empty line ends a message. */
class MessageSize {
  private size = 0;
  private isLineEmpty = false;

  constructor(private readonly isStream: boolean) {}

  add(chunk: Uint8Array): number {
    if (!this.isStream) return (this.size += chunk.length);
    for (const byte of chunk) this.addByte(byte);
    return this.size;
  }

  private addByte(byte: number): void {
    this.size++;
    if (byte === NEWLINE) {
      if (this.isLineEmpty) this.size = 0;
      this.isLineEmpty = true;
    } else if (byte !== RETURN) this.isLineEmpty = false;
  }
}
