import { AppError } from '../../kernel/app-error.js';
import type { Sliced } from '../../kernel/async/sliced.js';
import { markedEncoding } from '../../kernel/text/decode-text.js';
import { findInexact } from '../../kernel/json/exact-json.js';
import { measureJson } from '../../kernel/json/json.js';
import type { Json } from '../../protocol/json.js';

/**
 * Bytes of one line; a longer one is dropped. More than any record that a run writes: the text of a
 * turn may have 2,000,000 characters, each of which takes up to six bytes.
 */
export const MAX_LINE = 16 * 1024 * 1024;
const MAX_DEPTH = 200;
/**
 * More than any record that a run writes, whose long parts are text: a line with more values, or
 * more fields in one object, would block the event loop.
 */
const MAX_VALUES = 100_000;
const MAX_FIELDS = 10_000;
const NEWLINE = 10;
/** Bytes that are decoded without a break. */
const SLICE = 1024 * 1024;

/** Numbered from 1. `bytes` is undefined for a line that is too long. */
export interface BodyLine {
  readonly number: number;
  readonly bytes: Uint8Array | undefined;
}

/** The content of a line: nothing, a JSON object, or something else. */
export type ParsedLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'object'; readonly object: Json }
  | { readonly kind: 'fault'; readonly fault: string };

/**
 * Cuts a body into lines as it arrives, with one line in memory at a time. Only the byte `\n` ends
 * a line; U+2028, U+2029 and U+0085 are text.
 * @throws AppError `log_too_large` (413)
 */
export async function* readBodyLines(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<BodyLine> {
  const line = new GrowingLine();
  let size = 0;
  for await (const chunk of inUtf8(body)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, end));
      yield line.take();
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (line.hasBegun) yield line.take();
}

/** The same in UTF-8: PowerShell saves the output of programs in UTF-16, with a byte order mark. */
async function* inUtf8(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array = new Uint8Array();
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const part of body) {
    const chunk: Uint8Array = start.length === 1 ? Buffer.concat([start, part]) : part;
    if (start.length < 2) {
      start = chunk.subarray(0, 2);
      if (start.length < 2) continue;
      const encoding = markedEncoding(start);
      if (encoding) decoder = new TextDecoder(encoding);
    }
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  if (start.length === 1) yield start;
  if (decoder) yield Buffer.from(decoder.decode());
}

/** Ignores a byte order mark and `\r`, and removes keys `__proto__`. */
export function* parseLine(bytes: Uint8Array): Sliced<ParsedLine> {
  const { depth, values, fields } = measureJson(bytes, MAX_DEPTH);
  if (depth > MAX_DEPTH) return fault(`is nested deeper than ${MAX_DEPTH} levels`);
  if (values > MAX_VALUES) return fault(`has more than ${MAX_VALUES} values`);
  if (fields > MAX_FIELDS) return fault(`has an object with more than ${MAX_FIELDS} fields`);
  try {
    const text = (yield* decode(bytes)).trim();
    if (text === '') return { kind: 'blank' };
    yield;
    const object: unknown = JSON.parse(text);
    yield;
    const number = findInexact(text);
    yield;
    if (number !== undefined)
      return fault(`has the number ${number.slice(0, 100)}, which would be changed`);
    if (!isObject(object) || Array.isArray(object)) return fault('is not a JSON object');
    clean(object);
    return { kind: 'object', object: object as Json };
  } catch (error) {
    return fault(error instanceof SyntaxError ? 'is not valid JSON' : 'is not valid UTF-8');
  }
}

/** @throws TypeError if it is not UTF-8 */
function* decode(bytes: Uint8Array): Sliced<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield;
    parts.push(decoder.decode(bytes.subarray(at, at + SLICE), { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

class GrowingLine {
  private number = 1;
  private length = 0;
  private parts: Uint8Array[] = [];

  get hasBegun(): boolean {
    return this.length > 0;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    if (this.length > MAX_LINE) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  take(): BodyLine {
    const bytes = this.length > MAX_LINE ? undefined : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    return { number: this.number++, bytes };
  }
}

/** In place. */
function clean(holder: object): void {
  const members = holder as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (key === '__proto__') delete members[key];
    else if (isObject(value)) clean(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function fault(text: string): ParsedLine {
  return { kind: 'fault', fault: text };
}

export function tooLarge(limit: number): AppError {
  return new AppError(
    'too_large',
    'log_too_large',
    `The session log is larger than ${limit} bytes. Nothing was imported. IMPORT_MAX_BYTES sets the limit.`,
    { extra: { limit } },
  );
}
