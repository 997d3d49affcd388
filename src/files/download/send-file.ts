import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { AppError } from '../../kernel/app-error.js';
import type { FileRow } from '../file-catalog.js';
import type { ByteRange } from '../file-store.js';
import { presentationOf } from './presentation.js';

/** A file as it is sent; `sha256` of its bytes, in hex. */
type SentFile = Pick<FileRow, 'filename' | 'mime_type' | 'size_bytes' | 'sha256'>;

/** Bytes are the same for ever, but the file may be deleted. */
const CACHE = 'private, no-cache';
/** Whatever a browser takes the file for, it runs nothing of it and loads nothing for it. */
const POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

/**
 * Answers with the bytes of a file, or with those that the request asks for.
 * @param open opens them, all or a range
 * @throws AppError `range_not_satisfiable` (416), and those of `open`
 */
export async function sendFile(
  { request, response }: { readonly request: Request; readonly response: Response },
  file: SentFile,
  open: (range?: ByteRange) => Promise<Readable>,
): Promise<void> {
  const { size_bytes } = file;
  const { type, disposition } = presentationOf(file);
  response.set({
    'Accept-Ranges': 'bytes',
    'Cache-Control': CACHE,
    'Content-Security-Policy': POLICY,
    ETag: etagOf(file),
  });
  if (isKnown(request, file)) return void response.status(304).end();
  const range = rangeOf(request, file, response);
  const { start, end } = range ?? { start: 0, end: size_bytes - 1 };
  const bytes = request.method === 'HEAD' || size_bytes === 0 ? undefined : await open(range);
  const length = end - start + 1;
  response.set({
    'Content-Disposition': disposition,
    'Content-Type': type,
    'Content-Length': String(length),
  });
  if (range) response.status(206).set('Content-Range', `bytes ${start}-${end}/${size_bytes}`);
  if (bytes) await pipeline(bytes, (chunks) => exactly(length, chunks), response);
  else response.end();
}

/** Fails if there are more bytes or fewer, for which the client would wait. */
async function* exactly(
  length: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw new Error('The stored bytes are not as many as the file has.');
}

function etagOf({ sha256 }: SentFile): string {
  return `"${sha256}"`;
}

/** Also of a request with `no-cache`, for which Express would send the bytes again. */
function isKnown(request: Request, file: SentFile): boolean {
  const known = request.get('If-None-Match')?.split(',') ?? [];
  return known.some((each) => ['*', etagOf(file)].includes(each.trim().replace(/^W\//, '')));
}

const ONE_RANGE = /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i;

/**
 * Undefined: all of it. Of several ranges, which few clients ask for, and of an invalid one, all of
 * it too (RFC 9110, 14.1.2).
 */
function rangeOf(request: Request, file: SentFile, response: Response): ByteRange | undefined {
  const condition = request.get('If-Range');
  if (condition !== undefined && condition !== etagOf(file)) return undefined;
  const { size_bytes: size } = file;
  const asked = ONE_RANGE.exec(request.get('Range') ?? '');
  if (size === 0 || !asked) return undefined;
  const [, first, last, suffix] = asked;
  if (first && last && Number(first) > Number(last)) return undefined;
  const start = suffix === undefined ? Number(first) : Math.max(0, size - Number(suffix));
  if (start >= size) throw notSatisfiable(file, response);
  return { start, end: last ? Math.min(Number(last), size - 1) : size - 1 };
}

function notSatisfiable({ size_bytes }: SentFile, response: Response): AppError {
  response.set('Content-Range', `bytes */${size_bytes}`);
  const message = `The file has ${size_bytes} bytes: the range begins after its end.`;
  return new AppError('unsatisfiable', 'range_not_satisfiable', message);
}
