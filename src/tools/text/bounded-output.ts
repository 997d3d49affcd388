/**
 * Bytes to keep at each end, per character of the limit. A UTF-16 code unit takes three bytes of
 * UTF-8 at most, so both ends together are longer than the limit.
 */
const BYTES_PER_CHARACTER = 2;

/**
 * Collects output of any length and keeps only its head and its tail. Both are kept as bytes, so
 * that discarded output costs almost nothing.
 */
export class BoundedOutput {
  private readonly room: number;
  private readonly head: Buffer[] = [];
  private headSize = 0;
  private tail: Buffer | undefined;
  private total = 0;

  /** `limit`: minimum length of a text that was cut, in characters (UTF-16 code units). */
  constructor(limit: number) {
    this.room = limit * BYTES_PER_CHARACTER;
  }

  /** Copies the bytes that it keeps. */
  push(chunk: Buffer): void {
    const toHead = Math.min(chunk.length, this.room - this.headSize);
    if (toHead > 0) this.head.push(Buffer.from(chunk.subarray(0, toHead)));
    this.headSize += Math.max(toHead, 0);
    if (toHead < chunk.length) this.pushTail(chunk.subarray(Math.max(toHead, 0)));
  }

  /**
   * All that is kept, up to several times the limit: the guardrails have to read more than is shown
   * of it, so that a secret at a cut is whole.
   */
  text(): { readonly text: string; readonly truncated: boolean } {
    const [head, tail] = [Buffer.concat(this.head), this.lastBytes()];
    const lost = this.total - tail.length;
    if (lost === 0) return { text: Buffer.concat([head, tail]).toString(), truncated: false };
    const first = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
    const last = fromWhole(tail).toString();
    const cut = this.headSize + this.total - Buffer.byteLength(first) - Buffer.byteLength(last);
    return { text: `${first}\n[… ${cut} bytes cut …]\n${last}`, truncated: true };
  }

  /** Ring buffer: the last `room` bytes; `total` is the write position. */
  private pushTail(chunk: Buffer): void {
    this.tail ??= Buffer.allocUnsafe(this.room);
    const kept = chunk.subarray(Math.max(0, chunk.length - this.room));
    const at = (this.total + chunk.length - kept.length) % this.room;
    const copied = kept.copy(this.tail, at);
    kept.copy(this.tail, 0, copied);
    this.total += chunk.length;
  }

  private lastBytes(): Buffer {
    if (!this.tail) return Buffer.alloc(0);
    if (this.total <= this.room) return this.tail.subarray(0, this.total);
    const at = this.total % this.room;
    return Buffer.concat([this.tail.subarray(at), this.tail.subarray(0, at)]);
  }
}

/** Drops a character at the start whose first bytes are missing. */
function fromWhole(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}
