import { EventEmitter, once } from 'node:events';
import { pack } from 'tar-stream';
import type { Header, Pack } from 'tar-stream';
import type { StoredFile } from '../../../files/files.service.js';

/** Bytes of the log in one entry: the size of an entry comes before it. */
const PART_BYTES = 4 * 1024 * 1024;

/** An archive of a session log, `log.ndjson` and maybe `log.2.ndjson` and so on, and of files. */
export async function* packChat(
  log: AsyncIterable<string>,
  files: AsyncIterable<StoredFile>,
): AsyncGenerator<Buffer> {
  const archive = pack();
  fill(archive, log, files).catch((error: unknown) => archive.destroy(error as Error));
  yield* archive as AsyncIterable<Buffer>;
}

async function fill(
  archive: Pack,
  log: AsyncIterable<string>,
  files: AsyncIterable<StoredFile>,
): Promise<void> {
  let number = 1;
  for await (const part of partsOf(log)) {
    const name = number === 1 ? 'log.ndjson' : `log.${number}.ndjson`;
    await add(archive, { name, size: part.length, mtime: new Date() }, [part]);
    number++;
  }
  for await (const { file, content } of files) {
    const { id, filename, size_bytes: size, created_at } = file;
    const header = { name: `files/${id}/${filename}`, size, mtime: new Date(created_at) };
    try {
      await add(archive, header, content as AsyncIterable<Buffer>);
    } finally {
      content.destroy(); // also if nothing of it was read
    }
  }
  archive.finalize();
}

/** Waits while the client takes no more. */
async function add(
  archive: Pack,
  header: Pick<Header, 'name' | 'size' | 'mtime'>,
  content: AsyncIterable<Buffer> | readonly Buffer[],
): Promise<void> {
  const over = new EventEmitter();
  const entry = archive.entry({ ...header, mode: 0o600, type: 'file' }, (error) =>
    error ? over.emit('error', error) : over.emit('end'),
  );
  entry.on('error', () => {}); // the callback has it too
  const ended = once(over, 'end');
  ended.catch(() => {}); // awaited below
  for await (const chunk of content)
    if (!entry.write(chunk))
      await Promise.race([ended, new Promise<void>((go) => entry.once('drain', go))]);
  entry.end(undefined);
  await ended;
}

async function* partsOf(log: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const lines of log) {
    held.push(Buffer.from(lines));
    size += held.at(-1)!.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(held);
    [held, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(held);
}
