import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ApiClient } from '../support/client/api-client.js';
import { eventually } from '../support/eventually.js';
import { FILES } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { SmallDisk } from '../support/store/small-disk.js';

const noDisk = await SmallDisk.findFault();
const MEGABYTE = 2 ** 20;
/** The part of an upload with which its content begins, from 1. */
const CONTENT = 7;

describe('A transfer of a file that breaks off', () => {
  let data: Awaited<ReturnType<typeof FILES.create>>;
  let server: ServerProcess;
  let api: ApiClient;
  let files: string;

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    data = await FILES.create();
    files = env['FILES_DIR'] ?? join(data.env['DATA_DIR'] ?? '', 'files');
    server = await ServerProcess.start({ ...data.env, ...env, MODEL: 'demo/script' });
    api = await server.api();
  }
  afterEach(async () => {
    await server.kill('SIGKILL');
    await data.remove();
  });

  const upload = (bytes: Buffer) => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)]), 'a.bin');
    return api.send('POST', '/files', { form });
  };
  /** Files in the folder, unfinished ones too, but for those that begin with a dot there. */
  async function stored(): Promise<string[]> {
    const entries = await readdir(files, { recursive: true, withFileTypes: true });
    return entries
      .filter(
        (entry) => entry.isFile() && (entry.parentPath !== files || !entry.name.startsWith('.')),
      )
      .map(({ name }) => name);
  }

  it('by the client in each part of an upload leaves nothing', async () => {
    await start();
    const parts = [
      ...[
        'POST /files HTTP/1.1\r\nhost: 127.0.0.1\r\n',
        'content-type: multipart/form-data; boundary=b\r\n',
      ],
      ...['content-length: 200000\r\n\r\n', '--b\r\ncontent-dispo'],
      ...[
        'sition: form-data; name="file"; filename="a"\r\n',
        '\r\n',
        'x'.repeat(100_000),
        '\r\n--',
        'b',
      ],
    ];
    const { port } = new URL(api.url);
    for (let count = 1; count <= parts.length; count++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(parts.slice(0, count).join(''), resolve));
      if (count >= CONTENT) await eventually(async () => (await stored()).length > 0);
      socket.destroy();
      await eventually(async () => (await stored()).length === 0);
    }
    expect((await api.get('/files')).body.items).toEqual([]);
    expect(await upload(Buffer.from('whole'))).toMatchObject({ status: 201 });
    expect(await stored()).toHaveLength(1);
  });

  it('by the client in a download leaves no file open', async () => {
    await start();
    const { body } = await upload(randomBytes(16 * MEGABYTE));
    const open = async (): Promise<number> => (await readdir(`/proc/${server.pid}/fd`)).length;
    const before = await open();
    for (let n = 0; n < 10; n++) {
      const leave = new AbortController();
      const response = await fetch(`${api.url}/files/${body.id}/content`, leave);
      await response.body!.getReader().read();
      leave.abort();
    }
    await eventually(async () => (await open()) <= before + 1);
  });

  it('by the server in a download is no whole file', async () => {
    await start();
    const { body } = await upload(randomBytes(16 * MEGABYTE));
    const response = await fetch(`${api.url}/files/${body.id}/content`);
    const reader = response.body!.getReader();
    await reader.read();
    await server.kill('SIGKILL');
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toThrow();
  });

  (noDisk ? it.skip : it)('by a disk that is full says so, and leaves nothing', async () => {
    const disk = await SmallDisk.mount(8);
    await start({ FILES_DIR: join(disk.path, 'files') });
    try {
      expect(await upload(randomBytes(12 * MEGABYTE))).toMatchObject({
        status: 503,
        body: { type: '/problems/files_unavailable', detail: expect.stringContaining('full') },
      });
      expect(await stored()).toEqual([]);
      expect((await api.get('/files')).body.items).toEqual([]);
      expect(await upload(randomBytes(4 * MEGABYTE))).toMatchObject({ status: 201 });
    } finally {
      await server.kill('SIGKILL');
      await disk.remove();
    }
  });
});
