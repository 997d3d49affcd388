import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { chatNotFound } from '../../access/not-found.js';
import type { DataKey } from '../../encryption/data-key.js';
import type { DataKeys } from '../../encryption/data-keys.js';
import { FileStore } from '../file-store.js';
import type { ByteRange, Presentation, StoredBytes } from '../file-store.js';
import { FRAME, HEADER_BYTES, keyIdIn, openFrames, plainSize } from './frames.js';
import { sealFrames, SEALED_FRAME } from './frames.js';

/**
 * Ends the key of encrypted bytes. So bytes that were stored before encryption was turned on are
 * told from encrypted ones by their place, not by content that may have been changed.
 */
const ENCRYPTED = '_e';

/** Bytes in another store, encrypted with the data key of their chat, or of the tenant. */
export class EncryptedFileStore extends FileStore {
  constructor(
    private readonly inner: FileStore,
    private readonly keys: DataKeys,
  ) {
    super();
  }

  async put(key: string, source: Readable, chatUid?: string): Promise<void> {
    const dataKey = await this.keyFor(key, chatUid);
    const sealed = sealFrames(source as AsyncIterable<Uint8Array>, dataKey, key);
    await this.inner.put(key + ENCRYPTED, Readable.from(sealed, { objectMode: false }));
  }

  override async assign(key: string, chatUid: string): Promise<void> {
    await this.put(key, await this.get(key), chatUid);
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const place = key + ENCRYPTED;
    const head = await this.inner
      .get(place, { start: 0, end: HEADER_BYTES - 1 })
      .catch(unlessMissing);
    if (!head) return this.inner.get(key, range);
    const header = await buffer(head);
    const id = keyIdIn(header, key);
    const dataKey = (await this.keys.load([id])).get(id)!;
    const first = Math.floor((range?.start ?? 0) / FRAME);
    const start = HEADER_BYTES + first * SEALED_FRAME;
    const lastFrame = range && Math.floor(range.end / FRAME);
    const end =
      lastFrame === undefined
        ? Number.MAX_SAFE_INTEGER
        : HEADER_BYTES + (lastFrame + 1) * SEALED_FRAME - 1;
    const sealed = await this.inner.get(place, { start, end });
    const file = { key: dataKey, header, name: key, first, is_part: range !== undefined };
    const opened = openFrames(sealed as AsyncIterable<Uint8Array>, file);
    const within = range && { start: range.start - first * FRAME, end: range.end - first * FRAME };
    const stream = Readable.from(within ? cut(opened, within) : opened, { objectMode: false });
    // Also if it is destroyed before it is read.
    stream.once('close', () => sealed.destroy());
    return stream;
  }

  async delete(key: string): Promise<void> {
    await this.inner.delete(key + ENCRYPTED);
    await this.inner.delete(key);
  }

  /** Under another name the bytes need another key. */
  async copy(from: string, to: string): Promise<void> {
    await this.put(to, await this.get(from));
  }

  async *list(): AsyncGenerator<StoredBytes> {
    for await (const { key, size_bytes, stored_at } of this.inner.list())
      if (!key.endsWith(ENCRYPTED)) yield { key, size_bytes, stored_at };
      else
        yield {
          key: key.slice(0, -ENCRYPTED.length),
          size_bytes: plainSize(size_bytes),
          stored_at,
        };
  }

  async exists(key: string): Promise<boolean> {
    return (await this.hasEncrypted(key)) || this.inner.exists(key);
  }

  hasEncrypted(key: string): Promise<boolean> {
    return this.inner.exists(key + ENCRYPTED);
  }

  /** A URL of the other store would give encrypted bytes. */
  async presign(key: string, as: Presentation): Promise<string | undefined> {
    return (await this.hasEncrypted(key)) ? undefined : this.inner.presign(key, as);
  }

  removeUnfinished(before: Date): Promise<void> {
    return this.inner.removeUnfinished(before);
  }

  private async keyFor(key: string, chatUid: string | undefined): Promise<DataKey> {
    const [tenant = ''] = key.split('/');
    if (chatUid === undefined) return this.keys.ofTenant(tenant);
    const found = await this.keys.ofChat(chatUid);
    if (!found) throw chatNotFound(chatUid);
    return found;
  }
}

/** The same store, which encrypts if there are keys. */
export function withKeys(store: FileStore, keys: DataKeys | undefined): FileStore {
  return keys ? new EncryptedFileStore(store, keys) : store;
}

async function* cut(
  chunks: AsyncIterable<Buffer>,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of chunks) {
    const piece = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += chunk.length;
    if (piece.length > 0) yield piece;
  }
}

function unlessMissing(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'file_not_found') throw error;
}
