import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { BusboyFileStream, BusboyHeaders, BusboyInstance } from '@fastify/busboy';
import type { Request } from 'express';
import { bodyChunks } from '../../http/input/body-chunks.js';
import { AppError } from '../../kernel/app-error.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { tooLarge } from './incoming-file.js';
import type { Fields, FileLimit, IncomingFile } from './incoming-file.js';

const MULTIPART = 'multipart/form-data';
/** Bytes of a form besides its file: boundaries, headers, fields. */
const FORM_BYTES = 64 * 1024;
const MAX_FIELD_BYTES = 1024;
/** More than the form has, so that one too many is named. */
const MAX_PARTS = 10;

export interface UploadForm<T> extends FileLimit {
  readonly fields: readonly string[];
  /** Reads the content to its end. */
  readonly take: (file: IncomingFile) => Promise<T>;
}

/**
 * Reads a form with one part `file` as it arrives, and returns what `take` made of it.
 * @throws AppError `unsupported_media_type` (415), `file_too_large` (413), `invalid_body` (400),
 * `body_cut_off` (400) when the client leaves early
 */
export async function readUpload<T>(
  request: Request,
  form: UploadForm<T>,
): Promise<{ readonly taken: T; readonly fields: Fields }> {
  checkHeaders(request, form);
  return new FormReader(form).read(request);
}

class FormReader<T> {
  private readonly fields = new Map<string, string>();
  private readonly stopping = new AbortController();
  private taken: Promise<T> | undefined;
  private fault: Error | undefined;

  constructor(private readonly form: UploadForm<T>) {}

  async read(request: Request): Promise<{ taken: T; fields: Fields }> {
    const parser = this.makeParser(request);
    const body = Readable.from(bodyChunks(request), { objectMode: false });
    try {
      await pipeline(body, parser, { signal: this.stopping.signal });
    } catch (error) {
      this.stop(error instanceof AppError ? error : unreadable(error));
    }
    const [taken] = await Promise.allSettled([this.taken]);
    if (this.fault) throw this.fault;
    if (taken.status === 'rejected') throw taken.reason;
    if (taken.value === undefined) throw faulty('file', 'is needed');
    return { taken: taken.value, fields: this.fields };
  }

  private makeParser({ headers }: Request): BusboyInstance {
    const limits = { fieldSize: MAX_FIELD_BYTES, parts: MAX_PARTS, fileSize: this.form.limit };
    let parser: BusboyInstance;
    try {
      parser = new Busboy({ headers: headers as BusboyHeaders, preservePath: true, limits });
    } catch (error) {
      throw unreadable(error);
    }
    parser.on('file', (name, content, filename) => this.onFile(name, content, filename));
    parser.on('field', (name, value, _, isCut) => this.onField(name, value, isCut));
    parser.on('partsLimit', () => this.stop(faulty('file', 'is not the only part')));
    return parser;
  }

  private onFile(name: string | undefined, content: BusboyFileStream, filename = ''): void {
    content.on('error', () => {}); // `take` handles it, unless it has ended
    this.stopping.signal.addEventListener('abort', () => content.destroy(this.fault));
    if (this.stopping.signal.aborted) return void content.destroy(this.fault);
    if (name !== 'file')
      return this.stop(faulty(name, 'is not a known field; the part with the file is named file'));
    if (this.taken) return this.stop(faulty('file', 'must be one file, not several'));
    if (filename.includes('\0')) return this.stop(faulty('file', NUL));
    content.once('limit', () => this.stop(tooLarge(this.form)));
    this.taken = this.form.take({ filename, content, fields: this.fields });
    this.taken.catch((error: Error) => this.stop(error));
  }

  private onField(name: string | undefined, value: string, isCut: boolean): void {
    if (name === undefined || !this.form.fields.includes(name))
      return this.stop(faulty(name, name === 'file' ? 'needs a filename' : 'is not a known field'));
    if (this.fields.has(name)) return this.stop(faulty(name, 'is given twice'));
    if (isCut) return this.stop(faulty(name, `is longer than ${MAX_FIELD_BYTES} bytes`));
    if (value.includes('\0')) return this.stop(faulty(name, NUL));
    this.fields.set(name, value);
  }

  /** The first fault counts. */
  private stop(fault: Error): void {
    this.fault ??= fault;
    this.stopping.abort(this.fault);
  }
}

const NUL = 'must not contain the character U+0000';

function checkHeaders({ headers }: Request, form: FileLimit): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'] ?? 'identity';
  if (type !== MULTIPART || encoding !== 'identity') {
    const message = `The body has to be ${MULTIPART}, and not compressed.`;
    throw new AppError('unsupported', 'unsupported_media_type', message);
  }
  if (Number(headers['content-length'] ?? 0) > form.limit + FORM_BYTES) throw tooLarge(form);
}

function faulty(field = '', problem: string): AppError {
  const name = cutText(field, 100).replaceAll('\0', '\\u0000');
  const code = problem === NUL ? 'invalid_text' : 'invalid_body';
  return new AppError(
    'invalid',
    code,
    `Invalid body: ${name || 'a part without a name'} ${problem}`,
    {
      errors: [{ field: name, message: problem }],
    },
  );
}

function unreadable(cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError('invalid', 'invalid_body', `The body is not ${MULTIPART}: ${why}`, { cause });
}
