import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoredFile } from '../../../files/files.service.js';
import { packChat } from './tar-export.js';

const DAY = '2026-01-15T10:00:00.000Z';

/** An error without a listener fails a test here; in a server it would end the process. */
describe(packChat.name, () => {
  it('ends without an uncaught error when its reader leaves', async () => {
    const reader = new Writable({
      write() {
        this.destroy(); // in the middle of an entry
      },
    });
    const archive = packChat(lines(), files(4_000_000, 40));
    await expect(pipeline(archive, reader)).rejects.toThrow('Premature close');
  });

  it('ends without an uncaught error when a file is not as long as its row says', async () => {
    for (const chunks of [39, 41])
      await expect(
        pipeline(packChat(lines(), files(4_000_000, chunks)), new Drain()),
      ).rejects.toThrow('Size mismatch');
  });

  it('closes a file that was being opened when its reader left', async () => {
    const content = Readable.from([]);
    const closed = once(content, 'close');
    const reader = new Drain();
    const opening = async function* (): AsyncGenerator<StoredFile> {
      reader.destroy();
      await once(reader, 'close');
      for await (const { file } of files(1, 0)) yield { file, content };
    };
    await expect(pipeline(packChat(lines(), opening()), reader)).rejects.toThrow('Premature close');
    await closed;
  });

  it('fails while it is read, not before', async () => {
    const archive = packChat(brokenLog(), files(0, 0));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(pipeline(archive, new Drain())).rejects.toThrow('The store is away.');
  });
});

class Drain extends Writable {
  override _write(_: unknown, __: unknown, done: () => void): void {
    done();
  }
}

async function* lines(): AsyncGenerator<string> {
  yield '{}\n';
}

async function* brokenLog(): AsyncGenerator<string> {
  yield Promise.reject<string>(new Error('The store is away.'));
}

async function* files(size_bytes: number, chunks: number): AsyncGenerator<StoredFile> {
  const named = { id: 'file_1', chat_id: null, filename: 'a', mime_type: 'text/plain' };
  const file = { ...named, size_bytes, sha256: '', created_at: DAY, owner: '' };
  const content = Array.from({ length: chunks }, () => Buffer.alloc(100_000));
  yield { file, content: Readable.from(content, { objectMode: false }) };
}
