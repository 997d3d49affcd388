import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import type { Extract } from 'tar-stream';
import { AppError } from '../../../kernel/app-error.js';
import { tooLarge } from '../ndjson.js';

const LOG = /^log(\.\d+)?\.ndjson$/;
const FILE = /^files\/([A-Za-z0-9_-]{1,64})\/([^/]+)$/;
type Entry = Extract extends AsyncIterable<infer E> ? E : never;

/** An archive ends with blocks of zeros; its entries and their headers are whole blocks too. */
const BLOCK = 512;
/** Beyond that, the archive is refused. */
const MAX_ENTRIES = 10_000;

export interface FileInArchive {
  /** In the log of the archive. */
  readonly id: string;
  readonly filename: string;
  readonly created_at: Date;
  readonly content: Readable;
}

/** An archive as `packChat` makes it, read as it arrives: first the log, then the files. */
export class TarImport {
  /** Entries that are neither. */
  ignored = 0;
  private readonly unpacking = extract();
  private readonly entries: AsyncIterator<Entry>;
  private readonly feeding: Promise<void>;
  private next: Entry | undefined;
  private count = 0;
  /** Where the last entry ends. */
  private end = 0;
  /** Size of the body, so far. */
  private size = 0;
  /** At the end of the body, so far. */
  private zeros = 0;

  constructor(body: AsyncIterable<Uint8Array>, limit: number) {
    this.entries = this.unpacking[Symbol.asyncIterator]();
    this.feeding = pipeline(this.measured(body, limit), this.unpacking);
    this.feeding.catch(() => {}); // the entries fail with the same error
  }

  /** Until the first entry that is not of the log. */
  async *log(): AsyncGenerator<Uint8Array> {
    while ((this.next = await this.advance())) {
      if (!isFile(this.next) || !LOG.test(this.next.header.name)) return;
      yield* chunksOf(this.next);
    }
  }

  /** After the log. Each content is read, or dropped, before the next. */
  async *files(): AsyncGenerator<FileInArchive> {
    for (let entry = this.next; entry; entry = await this.advance()) {
      const [, id, filename] = (isFile(entry) && FILE.exec(entry.header.name)) || [];
      if (id === undefined || filename === undefined) this.ignored++;
      else {
        const created_at = entry.header.mtime ?? new Date();
        const content = Readable.from(chunksOf(entry), { objectMode: false });
        yield { id, filename, created_at, content };
      }
      entry.resume(); // what was not read
    }
    await this.feeding.catch(fail);
    if (this.zeros < BLOCK || this.size < this.end + BLOCK) throw invalidArchive('it is cut off');
  }

  /** Reads no more of the body. */
  close(): void {
    this.unpacking.destroy();
  }

  private async advance(): Promise<Entry | undefined> {
    const { value, done } = await this.entries.next().catch(fail);
    if (done === true) return undefined;
    if (++this.count > MAX_ENTRIES) throw invalidArchive(`it has more than ${MAX_ENTRIES} entries`);
    const { size, type } = value.header;
    const blocks = type === 'directory' ? 0 : Math.ceil(size / BLOCK);
    this.end = value.offset + BLOCK + blocks * BLOCK;
    return value;
  }

  private async *measured(
    body: AsyncIterable<Uint8Array>,
    limit: number,
  ): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.size += chunk.length;
      if (this.size > limit) throw tooLarge(limit);
      const zeros = chunk.length - 1 - chunk.findLastIndex((byte) => byte !== 0);
      this.zeros = zeros === chunk.length ? this.zeros + zeros : zeros;
      yield chunk;
    }
  }
}

function isFile({ header }: Entry): boolean {
  return header.type === 'file' && Number.isSafeInteger(header.size) && (header.size ?? -1) >= 0;
}

async function* chunksOf(entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of entry) yield chunk as Uint8Array;
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw invalidArchive(error instanceof Error ? error.message : 'it is damaged', error);
}

function invalidArchive(why: string, cause?: unknown): AppError {
  const message = `The archive can't be read: ${why}. GET /chats/{chat_id}/log?files=include answers one.`;
  return new AppError('invalid', 'invalid_archive', message, { cause });
}
