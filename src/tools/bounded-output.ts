import { cutOutput } from './cut-output.js';

/** Bytes to keep at each end for every character that is shown: UTF-8 needs three at most, and half of them are shown. */
const BYTES_PER_CHARACTER = 2;

/** However much is printed, only its head and its tail are kept; as bytes, so that what is thrown away costs next to nothing. */
export class BoundedOutput {
  private readonly room: number;
  private readonly head: Buffer[] = [];
  private headSize = 0;
  private tail: Buffer | undefined;
  private total = 0;

  /** `limit`: characters (UTF-16 code units) of the text. */
  constructor(private readonly limit: number) {
    this.room = limit * BYTES_PER_CHARACTER;
  }

  /** Copies what it keeps. */
  push(chunk: Buffer): void {
    const toHead = Math.min(chunk.length, this.room - this.headSize);
    if (toHead > 0) this.head.push(Buffer.from(chunk.subarray(0, toHead)));
    this.headSize += Math.max(toHead, 0);
    if (toHead < chunk.length) this.pushTail(chunk.subarray(Math.max(toHead, 0)));
  }

  /** What is shown of it. */
  text(): { readonly text: string; readonly truncated: boolean } {
    const [head, tail] = [Buffer.concat(this.head), this.lastBytes()];
    const lost = this.total - tail.length;
    if (lost === 0) return cutOutput(Buffer.concat([head, tail]).toString(), this.limit);
    const half = Math.floor(this.limit / 2);
    const first = head.toString().slice(0, half).toWellFormed();
    const last = fromWhole(tail).toString().slice(-half).toWellFormed();
    const cut = this.headSize + this.total - Buffer.byteLength(first) - Buffer.byteLength(last);
    return { text: `${first}\n[… ${cut} bytes cut …]\n${last}`, truncated: true };
  }

  /** A ring: the last `room` bytes, from `total` on around. */
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

/** Without the rest of a character whose beginning is lost. */
function fromWhole(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}
