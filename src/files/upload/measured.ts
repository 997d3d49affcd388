import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';
import { HEAD_BYTES } from './sniff-type.js';

/** Passes bytes on; it knows their number and hash afterwards, and their beginning. */
export class Measured extends Transform {
  size_bytes = 0;
  private readonly hash = createHash('sha256');
  private readonly beginning: Uint8Array[] = [];

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (this.size_bytes < HEAD_BYTES) this.beginning.push(chunk.subarray());
    this.size_bytes += chunk.length;
    this.hash.update(chunk);
    done(null, chunk);
  }

  get head(): Uint8Array {
    return Buffer.concat(this.beginning).subarray(0, HEAD_BYTES);
  }

  /** In hex. Call it once, at the end. */
  digest(): string {
    return this.hash.digest('hex');
  }
}
