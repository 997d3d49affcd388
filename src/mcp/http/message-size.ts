/**
 * Maximum bytes of one message of a server: four images as large as they may be. A longer output
 * would be truncated for the model anyway, and its parsing would block the event loop.
 */
export const MAX_MESSAGE_BYTES = 6 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** @throws MessageTooLarge in the middle of a message above the limit */
export async function* bounded(
  body: AsyncIterable<Uint8Array>,
  isStream: boolean,
): AsyncGenerator<Uint8Array> {
  const message = new MessageSize(isStream);
  for await (const chunk of body) {
    if (message.add(chunk) > MAX_MESSAGE_BYTES) throw new MessageTooLarge();
    yield chunk;
  }
}

export class MessageTooLarge extends Error {
  constructor() {
    super(`it sent more than ${MAX_MESSAGE_BYTES} bytes at once`);
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
