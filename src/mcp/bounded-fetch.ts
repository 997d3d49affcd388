import { unmarkNumbers } from '../kernel/exact-json.js';
import { CallWatch } from './call-watch.js';
import { cleanBody } from './clean-body.js';

/**
 * Maximum bytes of one message of a server; a longer output would be truncated for the model
 * anyway.
 */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * As `fetch`, with exact numbers, and with messages as `parseIncoming` reads them. A response that
 * breaks off, or that has a message above the limit, fails its call.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const watch = CallWatch.current;
  const response = await fetch(url, withExactNumbers(init));
  if (!response.body) return response;
  const type = response.headers.get('content-type') ?? '';
  const size = new MessageSize(type.includes('text/event-stream'));
  watch?.began();
  const body = ReadableStream.from(cleanBody(bounded(response.body, size, watch), type));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function withExactNumbers(init: RequestInit | undefined): RequestInit | undefined {
  return typeof init?.body === 'string' ? { ...init, body: unmarkNumbers(init.body) } : init;
}

async function* bounded(
  body: ReadableStream<Uint8Array>,
  message: MessageSize,
  watch: CallWatch | undefined,
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
