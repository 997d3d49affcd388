import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { EncryptedFileStore } from '../../src/files/encrypted/encrypted-file-store.js';
import { FRAME, HEADER_BYTES, SEALED_FRAME } from '../../src/files/encrypted/frames.js';
import type { ByteRange } from '../../src/files/file-store.js';
import { LocalFileStore } from '../../src/files/local/local-file-store.js';
import { S3FileStore } from '../../src/files/s3/s3-file-store.js';
import { loadConfig } from '../../src/config/load-config.js';
import { readFolder } from '../support/read-folder.js';
import { findS3Fault, S3Server } from '../support/store/s3-server.js';
import { FILES } from '../e2e/stores.js';
import { chatOf } from '../support/store/chat-parts.js';
import { dataKeys, encrypted } from '../support/store/encrypted.js';

const CHANGED = expect.objectContaining({ code: 'decryption_failed' });

describe(EncryptedFileStore.name, () => {
  let folder: string;
  let inner: LocalFileStore;
  let store: EncryptedFileStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-sealed-'));
    inner = new LocalFileStore(folder);
    store = new EncryptedFileStore(inner, dataKeys());
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const newKey = () => `acme/file_${randomUUID()}`;
  const stream = (bytes: Buffer) => Readable.from([bytes], { objectMode: false });
  const put = async (bytes: Buffer, chatUid?: string): Promise<string> => {
    const key = newKey();
    await store.put(key, stream(bytes), chatUid);
    return key;
  };
  const read = async (key: string, range?: ByteRange) => buffer(await store.get(key, range));
  const pathOf = (key: string) => join(folder, `${key}_e`);

  it.each([0, 1, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 3 * FRAME + 17])(
    'gives back %i bytes, and any range of them',
    async (length) => {
      const bytes = randomBytes(length);
      const key = await put(bytes);
      expect((await read(key)).equals(bytes)).toBe(true);
      for await (const { size_bytes } of store.list()) expect(size_bytes).toBe(length);
      const marks = [0, 1, FRAME - 1, FRAME, 2 * FRAME - 1, 2 * FRAME, length - 1];
      const places = marks.filter((at) => at >= 0 && at < length);
      for (const start of places)
        for (const end of places.filter((at) => at >= start))
          expect((await read(key, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(
            true,
          );
    },
  );

  it('leaves nothing of a text on the disk', async () => {
    const key = await put(Buffer.from('CANARY'.repeat(1_000)));
    const [name] = await readdir(join(folder, 'acme'));
    expect(name).toBe(`${key.split('/')[1]}_e`);
    expect((await readFile(pathOf(key))).includes('CANARY')).toBe(false);
    const other = await put(Buffer.from('CANARY'.repeat(1_000)));
    const [a, b] = [await readFile(pathOf(key)), await readFile(pathOf(other))];
    expect(a.subarray(HEADER_BYTES).equals(b.subarray(HEADER_BYTES))).toBe(false);
  });

  it('does not open a file in which a bit was flipped', async () => {
    const key = await put(randomBytes(FRAME + 100));
    const sealed = await readFile(pathOf(key));
    const keyIdEnd = 9 + 'tenant:acme'.length;
    const places = [0, 7, 8, 9, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + SEALED_FRAME];
    for (const at of [...places, keyIdEnd, sealed.length - 1]) {
      const flipped = Buffer.from(sealed);
      flipped[at]! ^= 1;
      await writeFile(pathOf(key), flipped);
      await expect(read(key)).rejects.toMatchObject({ kind: 'internal' });
    }
  });

  it('does not open a file that was cut, extended, or whose frames were moved', async () => {
    const key = await put(randomBytes(3 * FRAME));
    const sealed = await readFile(pathOf(key));
    const at = (n: number) => HEADER_BYTES + n * SEALED_FRAME;
    const frames = [0, 1, 2].map((n) => sealed.subarray(at(n), at(n + 1)));
    const header = sealed.subarray(0, HEADER_BYTES);
    const [a, b, c] = frames as [Buffer, Buffer, Buffer];
    for (const parts of [[], [a], [a, b], [b, a, c], [a, c], [a, b, c, c], [a, b, c.subarray(1)]]) {
      await writeFile(pathOf(key), Buffer.concat([header, ...parts]));
      await expect(read(key)).rejects.toEqual(CHANGED);
    }
  });

  it('does not open a file under the name of another', async () => {
    const [one, two] = [await put(Buffer.from('one')), await put(Buffer.from('two'))];
    await rename(pathOf(one), pathOf(two));
    await expect(read(two)).rejects.toEqual(CHANGED);
  });

  it('reads what was stored before encryption was turned on', async () => {
    const key = newKey();
    await inner.put(key, stream(Buffer.from('plain')));
    expect((await read(key, { start: 1, end: 2 })).toString()).toBe('la');
    expect((await read(key)).toString()).toBe('plain');
    await store.delete(key);
    expect(await inner.exists(key)).toBe(false);
  });

  it('can’t open the file of a chat whose key is gone', async () => {
    const { stores } = await FILES.open();
    const { chats } = encrypted(stores);
    const chat = chatOf({ id: 'chat', created_at: new Date().toISOString() });
    await chats.createChat(chat);
    store = new EncryptedFileStore(inner, dataKeys(stores));
    const [direct, later] = [await put(Buffer.from('x'), chat.uid), await put(Buffer.from('y'))];
    await store.assign(later, chat.uid);
    expect((await read(later)).toString()).toBe('y');
    await chats.deleteChat(chat.uid);
    store = new EncryptedFileStore(inner, dataKeys(stores));
    for (const key of [direct, later])
      await expect(read(key)).rejects.toMatchObject({ code: 'chat_not_found' });
  });
});

const fault = findS3Fault();
(fault ? describe.skip : describe)('Encrypted files in S3', () => {
  it('are not readable there, as a whole or in parts', async () => {
    const server = await S3Server.start();
    try {
      const store = new EncryptedFileStore(new S3FileStore(loadConfig(server.env)), dataKeys());
      const text = 'CANARY'.repeat(2_000_000);
      const key = `acme/file_${randomUUID()}`;
      await store.put(key, Readable.from([Buffer.from(text)], { objectMode: false }));
      const kept = await readFolder(server.folder);
      expect([kept.includes('CANARY'), kept.length > text.length]).toEqual([false, true]);
      expect((await buffer(await store.get(key))).toString()).toBe(text);
      const presentation = { type: 'text/plain', disposition: 'inline', expires_in_s: 60 };
      expect(await store.presign(key, presentation)).toBeUndefined();
    } finally {
      await server.remove();
    }
  });
});
