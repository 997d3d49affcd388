import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ByteRange, FileStore } from '../../src/files/file-store.js';

export interface OpenedFileStore {
  readonly store: FileStore;
  close(): Promise<void>;
}

const LARGE = 20_000_000;

/** What every `FileStore` must do. Every test has files of its own. */
export function fileStoreContract(name: string, open: () => Promise<OpenedFileStore>): void {
  describe(`${name} as a FileStore`, () => {
    let opened: OpenedFileStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    const store = () => opened.store;
    const newKey = (tenant = 'acme') => `${tenant}/file_${randomUUID()}`;
    const put = async (content: string | Buffer, key = newKey()): Promise<string> => {
      await store().put(key, Readable.from([Buffer.from(content)], { objectMode: false }));
      return key;
    };
    const read = async (key: string, range?: ByteRange): Promise<Buffer> =>
      buffer(await store().get(key, range));
    const listed = async () => {
      const all = [];
      for await (const each of store().list()) all.push(each);
      return all;
    };
    const missing = expect.objectContaining({ kind: 'not_found', code: 'file_not_found' });

    it('gives back what was put', async () => {
      const key = await put('Grüße');
      expect((await read(key)).toString()).toBe('Grüße');
      expect(await store().exists(key)).toBe(true);
      expect((await read(key)).toString()).toBe('Grüße');
    });

    it('takes an empty file', async () => {
      const key = await put('');
      expect(await read(key)).toHaveLength(0);
    });

    it('takes a large file, in chunks of any size', async () => {
      const hash = createHash('sha256');
      function* chunks() {
        for (let left = LARGE, n = 1; left > 0; n++) {
          const chunk = Buffer.alloc(Math.min(left, (n * 7919) % 300_000), n);
          left -= chunk.length;
          hash.update(chunk);
          yield chunk;
        }
      }
      const key = newKey();
      await store().put(key, Readable.from(chunks(), { objectMode: false }));
      const got = await read(key);
      expect(got).toHaveLength(LARGE);
      expect(createHash('sha256').update(got).digest('hex')).toBe(hash.digest('hex'));
    });

    it('gives a range', async () => {
      const key = await put('0123456789');
      // Not 0 to 0, which the S3 server of the tests takes for all.
      expect((await read(key, { start: 0, end: 1 })).toString()).toBe('01');
      expect((await read(key, { start: 3, end: 5 })).toString()).toBe('345');
      expect((await read(key, { start: 9, end: 9 })).toString()).toBe('9');
    });

    it('has nothing of a file whose source fails', async () => {
      const key = newKey();
      const fault = new Error('The client left.');
      const source = Readable.from(
        (function* () {
          yield Buffer.alloc(6_000_000);
          throw fault;
        })(),
        { objectMode: false },
      );
      await expect(store().put(key, source)).rejects.toBe(fault);
      expect(await store().exists(key)).toBe(false);
      expect((await listed()).map((each) => each.key)).not.toContain(key);
    });

    it('has no file that was not put', async () => {
      const key = newKey();
      expect(await store().exists(key)).toBe(false);
      await expect(store().get(key)).rejects.toEqual(missing);
      await expect(store().get(key, { start: 0, end: 1 })).rejects.toEqual(missing);
      await expect(store().copy(key, newKey())).rejects.toEqual(missing);
      await store().delete(key);
    });

    it('deletes a file, and no other', async () => {
      const [gone, kept] = [await put('gone'), await put('kept')];
      await store().delete(gone);
      await store().delete(gone);
      expect(await store().exists(gone)).toBe(false);
      await expect(store().get(gone)).rejects.toEqual(missing);
      expect((await read(kept)).toString()).toBe('kept');
    });

    it('goes on giving a file that is deleted meanwhile, or fails', async () => {
      const key = await put(Buffer.alloc(LARGE, 1));
      const stream = await store().get(key);
      await store().delete(key);
      await buffer(stream).then(
        (bytes) => expect(bytes).toHaveLength(LARGE),
        (error: unknown) => expect(error).toBeDefined(),
      );
    });

    it('copies a file, also to another tenant', async () => {
      const [from, to] = [await put('copied'), newKey('other')];
      await store().copy(from, to);
      await store().delete(from);
      expect((await read(to)).toString()).toBe('copied');
    });

    it('lists all files with their sizes and times', async () => {
      const begun = Date.now();
      const keys = [await put('1'), await put('22', newKey('other'))];
      const all = await listed();
      const found = keys.map((key) => all.find((each) => each.key === key));
      expect(found.map((each) => each?.size_bytes)).toEqual([1, 2]);
      for (const each of found) {
        const age_ms = Math.abs(each!.stored_at.getTime() - begun);
        expect(age_ms).toBeLessThan(60_000);
      }
    });

    it('leaves whole files alone when it removes unfinished ones', async () => {
      const key = await put('whole');
      await store().removeUnfinished(new Date(Date.now() + 60_000));
      expect((await read(key)).toString()).toBe('whole');
    });

    it('makes a URL that works without a credential, or none', async () => {
      const key = await put('<p>Hi');
      const url = await store().presign(key, {
        type: 'text/html; charset=utf-8',
        disposition: 'attachment; filename="a.html"',
        expires_in_s: 60,
      });
      if (url === undefined) return;
      const response = await fetch(url);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-disposition')).toContain('attachment');
      expect(await response.text()).toBe('<p>Hi');
    });
  });
}
