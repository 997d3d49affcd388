import { CallWatch } from './call-watch.js';

/** Bytes of one message of a server; more would be cut for the model anyway. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** As `fetch`, but an answer that breaks, or whose message grows beyond the bound, fails the call that it is for. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const watch = CallWatch.current;
  const response = await fetch(url, init);
  if (!response.body) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  watch?.began();
  const body = ReadableStream.from(bounded(response.body, new MessageSize(isStream), watch));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
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

/** The size so far of the message that is being read. In an event stream a message ends with an empty line. */
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
