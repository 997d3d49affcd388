import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../../src/config/load-config.js';
import type { Environment } from '../../src/config/load-config.js';
import { S3FileStore } from '../../src/files/s3/s3-file-store.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { openFileStores } from '../../src/storage/file/file-stores.js';
import { findS3Fault, S3Server } from '../support/store/s3-server.js';
import { TestServer } from '../support/server/test-server.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEY = 'acme/file_0199c0de-0000-7000-8000-000000000000';
const SILENCE_MS = 300;
const fault = findS3Fault();

const away = (why: string) =>
  expect.objectContaining({
    kind: 'unavailable',
    code: 'files_unavailable',
    message: expect.stringContaining(why),
  });

(fault ? describe.skip : describe)(S3FileStore.name, () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(() => server.remove());

  const storeWith = (env: Environment = {}) =>
    new S3FileStore(loadConfig({ ...server.env, ...env }), SILENCE_MS);
  const put = (store: S3FileStore, content: string | Buffer = 'x', key = KEY) =>
    store.put(key, Readable.from([Buffer.from(content)], { objectMode: false }));
  const expectAway = async (store: S3FileStore, why: string): Promise<void> => {
    await expect(put(store)).rejects.toEqual(away(why));
    await expect(put(store, Buffer.alloc(12_000_000))).rejects.toEqual(away(why));
    await expect(store.get(KEY)).rejects.toEqual(away(why));
    await expect(store.exists(KEY)).rejects.toEqual(away(why));
    await expect(store.delete(KEY)).rejects.toEqual(away(why));
    await expect(store.list().next()).rejects.toEqual(away(why));
  };

  it('says that its credentials are refused', async () => {
    await put(storeWith());
    // The server knows the id; it does not check signatures.
    await expectAway(storeWith({ S3_ACCESS_KEY_ID: 'who' }), 'S3 refuses the credentials');
    expect(await text(await storeWith().get(KEY))).toBe('x');
  });

  it('says that there is no bucket', async () => {
    const store = storeWith({ S3_BUCKET: 'no-bucket' });
    await expect(put(store)).rejects.toEqual(away('the bucket no-bucket does not exist'));
  });

  describe('at a service with faults', () => {
    let faulty: Server;
    const listen = async (answer: RequestListener): Promise<S3FileStore> => {
      faulty = createServer(answer).listen(0, '127.0.0.1');
      await new Promise((resolve) => faulty.once('listening', resolve));
      const { port } = faulty.address() as AddressInfo;
      return storeWith({ S3_ENDPOINT: `http://127.0.0.1:${port}` });
    };
    afterEach(() => {
      faulty.closeAllConnections();
      faulty.close();
    });

    it('waits for no answer for ever', async () => {
      await expectAway(await listen(() => {}), 'S3 does not answer in time');
    });

    it('says that it is full', async () => {
      const store = await listen((request, response) => {
        request.resume();
        response.writeHead(507).end('<Error><Code>Full</Code></Error>');
      });
      await expect(put(store)).rejects.toEqual(away('the bucket is full'));
    });
  });

  it('answers 503 over HTTP while it is away, and loses nothing', async () => {
    const data_dir = await mkdtemp(join(tmpdir(), 'parley-s3-e2e-'));
    const stores = await openFileStores({ data_dir, clock: new SystemClock(), report: () => {} });
    const app = await TestServer.start(stores, { env: server.env });
    const { api } = app;
    const upload = (content: string) => {
      const form = new FormData();
      form.set('file', new Blob([content]), 'a.html');
      return api.send('POST', '/files', { form });
    };
    try {
      const { status, body } = await upload('<html>kept');
      expect(status).toBe(201);
      const path = `/files/${body.id}`;
      expect((await api.get(`${path}/content`)).body).toBe('<html>kept');
      const { url } = (await api.get(`${path}/url`)).body;
      const direct = await fetch(url);
      expect(url).toContain(server.url);
      expect(await direct.text()).toBe('<html>kept');
      expect(direct.headers.get('content-disposition')).toContain('attachment');
      await server.stop();
      for (const reply of [await upload('lost'), await api.get(`${path}/content`)])
        expect(reply).toMatchObject({
          status: 503,
          body: {
            type: '/problems/files_unavailable',
            detail: expect.stringContaining("S3 can't be reached"),
          },
        });
      expect((await api.get(path)).status).toBe(200);
      expect((await api.get('/files')).body.items).toHaveLength(1);
      server = await server.again();
      expect((await api.get(`${path}/content`)).body).toBe('<html>kept');
      expect((await upload('new')).status).toBe(201);
    } finally {
      await app.stop();
      await stores.close();
      await rm(data_dir, { recursive: true, force: true });
    }
  });
});
