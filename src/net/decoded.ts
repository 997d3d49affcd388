import type { IncomingMessage } from 'node:http';
import { pipeline, Transform, type Readable, type TransformCallback } from 'node:stream';
import zlib from 'node:zlib';
import { cutText } from '../kernel/text/cut-text.js';

/** Codings that a body may have, one around the other. */
const MAX_CODINGS = 3;
/** A body may grow to this size, or to so many times its size, whichever is more. */
const MAX_FREE_BYTES = 8 * 1024 * 1024;
const MAX_RATIO = 200;

/** A body whose coding can't be removed, or that decompresses to far more than any answer. */
export class BadCoding extends Error {}

/** Codings that no version of Node that is supported can remove. */
const UNREADABLE: ReadonlySet<string> = new Set(['zstd', 'compress', 'x-compress', 'dcb', 'dcz']);
/** The first character of JSON, HTML, events, or a byte order mark. */
const BEGINNING = /[\s{[<:deir\xef]/;

const BOMB = `a compressed answer grew to more than ${MAX_RATIO} times its size`;

/** The body without the codings that its header names, although none was asked for. */
export function decoded(incoming: IncomingMessage): Readable {
  const header = incoming.headers['content-encoding'] ?? '';
  const codings = header.split(',').map((name) => name.trim().toLowerCase());
  const named = codings.filter((name) => name !== '' && name !== 'identity');
  return named.slice(0, MAX_CODINGS).reduceRight(unwrapped, incoming);
}

function unwrapped(source: Readable, coding: string): Readable {
  const decoding = new Decoding(coding);
  pipeline(source, decoding, () => {}); // an error of either destroys the other
  return decoding;
}

/** Removes one coding. A body that does not have it, in spite of the header, passes as it is. */
class Decoding extends Transform {
  private inner: Transform | undefined;
  private isPlain = false;
  private received = 0;
  private given = 0;

  constructor(private readonly coding: string) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.received += chunk.length;
    if (!this.inner && !this.isPlain) this.open(chunk);
    if (this.inner) this.inner.write(chunk, done);
    else done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    if (!this.inner) return done();
    this.inner.once('end', done).end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.inner?.destroy();
    done(error);
  }

  private open(start: Buffer): void {
    const inner = decoderOf(this.coding, start);
    if (UNREADABLE.has(this.coding) && !BEGINNING.test(start.toString('latin1', 0, 1)))
      return void this.destroy(this.unknown());
    this.isPlain = !inner;
    this.inner = inner;
    inner?.on('data', (bytes: Buffer) => this.give(bytes));
    inner?.on('error', (error: Error) => this.destroy(error));
  }

  private unknown(): BadCoding {
    const name = JSON.stringify(cutText(this.coding, 40));
    return new BadCoding(`its answer has the coding ${name}, though none was asked for`);
  }

  private give(bytes: Buffer): void {
    this.given += bytes.length;
    const limit = Math.max(MAX_FREE_BYTES, MAX_RATIO * this.received);
    if (this.given > limit) this.destroy(new BadCoding(BOMB));
    else this.push(bytes);
  }
}

/** A body that ends too early gives what it has, as one without a coding does. */
const LENIENT = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

function decoderOf(coding: string, start: Buffer): Transform | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return start[0] === 0x1f ? zlib.createGunzip(LENIENT) : undefined;
    case 'deflate':
      if (isText(start)) return undefined;
      return isZlib(start) ? zlib.createInflate(LENIENT) : zlib.createInflateRaw(LENIENT);
    case 'br':
      if (isText(start)) return undefined;
      return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

/** Servers mean either format by `deflate`. No raw data begins with these bits. */
function isZlib([first = 0]: Buffer): boolean {
  return (first & 0x0f) === 8;
}

/** True for the start of JSON, HTML or events. Compressed bytes may begin with one such byte. */
function isText(start: Buffer): boolean {
  const text = start.toString('latin1', 0, 64).trimStart();
  return /^(?:\{["\s]|\[[{\s]|<[!?a-zA-Z]|: |data:|event:|id:|retry:)/.test(text);
}
