import { createHash } from 'node:crypto';
import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { headerLines } from '../../support/client/api-client.js';
import { LOCAL } from '../../support/store/chat-parts.js';
import { eventually } from '../../support/eventually.js';
import type { Reply } from '../../support/client/api-client.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { ADMIN_KEY, makeKey, WITH_KEYS } from '../with-keys.js';
import type { FileInfo } from '../../../src/protocol/wire/file.js';

const LIMIT = 1_000_000;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function describeUploads(servers: Servers): void {
  describe('Files', () => {
    servers.run({ FILE_MAX_BYTES: String(LIMIT) }, testUploads, { isOwn: true });
  });
  describe('Files of users', () => {
    servers.run(WITH_KEYS, testUsers);
  });
  // each process counts the uploads that it takes
  (servers.store.isCluster ? describe.skip : describe)('Files and MAX_UPLOADS', () => {
    servers.run({ MAX_UPLOADS: '2' }, testLimit, { isOwn: true });
  });
  describe('Files and QUOTA_BYTES', () => {
    servers.run({ QUOTA_BYTES: '10000' }, testQuota, { isOwn: true });
  });
}

function testUploads(server: ServerUnderTest): void {
  it('are uploaded and downloaded', async () => {
    const reply = await upload(server, 'Grüße', 'Grüße 😀.txt');
    const sha256 = createHash('sha256').update('Grüße').digest('hex');
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^file_[0-9a-f-]{36}$/),
      chat_id: null,
      filename: 'Grüße 😀.txt',
      mime_type: 'text/plain',
      size_bytes: 7,
      sha256,
      created_at: expect.stringMatching(/Z$/),
      owner: 'local',
    });
    const file = reply.body as FileInfo;
    expect((await server.api.get(`/files/${file.id}`)).body).toEqual(file);
    const content = await get(server, file);
    expect([content.status, await content.text()]).toEqual([200, 'Grüße']);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '7',
      'content-disposition': `inline; filename="Gr??e ??.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%F0%9F%98%80.txt`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
    });
  });

  it('belong to a chat if they say so, before or after the file', async () => {
    await server.api.post('/chats', { id: 'of-chat' });
    const first = await add(server, 'x', 'a.txt', { chat_id: 'of-chat' });
    expect(first.chat_id).toBe('of-chat');
    const form = new FormData();
    form.set('file', new Blob(['y']), 'b.txt');
    form.set('chat_id', 'of-chat');
    const { body: last } = await send(server, form);
    expect((await server.api.get('/files?chat_id=of-chat')).body).toEqual({
      items: [last, first],
      next_cursor: null,
    });
    const page = (await server.api.get('/files?chat_id=of-chat&limit=1')).body;
    expect(page.items).toEqual([last]);
    const next = await server.api.get(`/files?chat_id=of-chat&limit=1&cursor=${page.next_cursor}`);
    expect(next.body).toEqual({ items: [first], next_cursor: null });
  });

  it('of a chat that is not there are refused, and leave nothing', async () => {
    const kept = await stored(server);
    for (const before of [true, false]) {
      const form = new FormData();
      if (before) form.set('chat_id', 'no-chat');
      form.set('file', new Blob(['x']), 'a.txt');
      if (!before) form.set('chat_id', 'no-chat');
      expect(await send(server, form)).toMatchObject({
        status: 404,
        body: { type: '/problems/chat_not_found' },
      });
    }
    expect((await server.api.get('/files?chat_id=no-chat')).status).toBe(404);
    expect(await stored(server)).toEqual(kept);
  });

  it('may be empty', async () => {
    const file = await add(server, '', 'empty');
    expect(file).toMatchObject({ size_bytes: 0, mime_type: 'text/plain' });
    const content = await get(server, file, { range: 'bytes=0-' });
    expect([content.status, await content.text()]).toEqual([200, '']);
  });

  it('have a type by their content, and can’t run scripts in a browser', async () => {
    const html = '<!doctype html><script>alert(1)</script>';
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>';
    const expected = [
      ['image.html', PNG, 'image/png', 'inline'],
      ['page.png', html, 'text/html; charset=utf-8', 'attachment'],
      ['drawing.txt', svg, 'image/svg+xml', 'attachment'],
      ['a.pdf', '%PDF-1.7', 'application/pdf', 'attachment'],
      ['a.bin', Buffer.from([0, 1, 2, 3]), 'application/octet-stream', 'attachment'],
    ] as const;
    for (const [name, content, type, disposition] of expected) {
      const { headers } = await get(server, await add(server, content, name));
      const [served, shown] = ['content-type', 'content-disposition'].map((h) => headers.get(h));
      expect([name, served, shown?.split(';')[0]]).toEqual([name, type, disposition]);
      expect(headers.get('content-security-policy')).toContain('sandbox');
    }
  });

  it('have names that can name a file', async () => {
    const names = [
      ['../../etc/passwd', 'passwd'],
      ['C:\\temp\\a.txt', 'a.txt'],
      ['..', 'file'],
      ['in\u202Evoice.exe', 'invoice.exe'],
      [`${'x'.repeat(300)}.txt`, `${'x'.repeat(251)}.txt`],
      ['a"b\\";c.txt', expect.stringContaining('c.txt')],
    ] as const;
    for (const [sent, name] of names) {
      const reply = await upload(server, 'x', sent);
      expect([sent, reply.status, reply.body.filename]).toEqual([sent, 201, name]);
      expect((await get(server, reply.body as FileInfo)).status).toBe(200);
    }
  });

  it('are given in ranges', async () => {
    const file = await add(server, '0123456789', 'digits.txt');
    const expected = [
      ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=5-500', 206, '56789', 'bytes 5-9/10'],
      ['bytes=-500', 206, '0123456789', 'bytes 0-9/10'],
      ['Bytes=0-0', 206, '0', 'bytes 0-0/10'],
      ['bytes=3-1', 200, '0123456789', null],
      ['bytes=0-1,4-5', 200, '0123456789', null],
      ['bytes=x', 200, '0123456789', null],
      ['lines=1-2', 200, '0123456789', null],
    ] as const;
    for (const [range, status, text, content_range] of expected) {
      const reply = await get(server, file, { range });
      const found = [range, reply.status, await reply.text(), reply.headers.get('content-range')];
      expect(found).toEqual([range, status, text, content_range]);
    }
    for (const range of ['bytes=10-', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
      const after = await get(server, file, { range });
      expect([after.status, after.headers.get('content-range')]).toEqual([416, 'bytes */10']);
      expect(after.headers.get('content-type')).toContain('application/problem+json');
    }
    const etag = `"${file.sha256}"`;
    const same = await get(server, file, { range: 'bytes=0-0', 'if-range': etag });
    const other = await get(server, file, { range: 'bytes=0-0', 'if-range': '"other"' });
    expect([same.status, other.status]).toEqual([206, 200]);
  });

  it('are not sent again to those who have them', async () => {
    const file = await add(server, 'same', 'same.txt');
    const etag = `"${file.sha256}"`;
    const again = await get(server, file, { 'if-none-match': `"other", ${etag}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const changed = await get(server, file, { 'if-none-match': '"other"' });
    expect(changed.status).toBe(200);
    const head = await server.api.fetch(`/files/${file.id}/content`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      ...[200, '4', ''],
    ]);
  });

  it('are refused while the disk takes none, and taken again afterwards', async () => {
    const incoming = join(server.files, '.incoming');
    await rm(incoming, { recursive: true, force: true });
    await writeFile(incoming, 'in the way');
    const refused = { status: 503, body: { type: '/problems/files_unavailable' } };
    for (const size of [1, LIMIT])
      // before and after the last byte is read
      expect(await upload(server, 'x'.repeat(size), 'a.txt')).toMatchObject(refused);
    await rm(incoming);
    expect((await upload(server, 'x', 'a.txt')).status).toBe(201);
  });

  it('are cut off at once when fewer or more bytes are stored than were sent', async () => {
    for (const change of [-1, 1]) {
      const { id } = await add(server, '0123456789', 'changed.txt');
      const [tenant] = (await readdir(server.files)).filter((name) => !name.startsWith('.'));
      const [name] = (await readdir(join(server.files, tenant!))).filter((n) => n.startsWith(id));
      const path = join(server.files, tenant!, name!);
      await truncate(path, (await stat(path)).size + change);
      const content = `/files/${id}/content`;
      const read = async () => (await server.api.fetch(content)).text();
      await expect(read()).rejects.toThrow(/terminated|fetch failed/);
    }
  });

  it('have a URL that works once, for a minute', async () => {
    const file = await add(server, 'by URL', 'a.txt');
    const { status, body } = await server.api.get(`/files/${file.id}/url`);
    expect([status, Object.keys(body)]).toEqual([200, ['url', 'expires_at']]);
    const url = new URL(body.url, server.api.url);
    const first = await fetch(url);
    expect([first.status, await first.text()]).toEqual([200, 'by URL']);
    expect((await fetch(url)).status).toBe(401);
    const late = new URL((await server.api.get(`/files/${file.id}/url`)).body.url, server.api.url);
    server.clock.pass(61_000);
    expect((await fetch(late)).status).toBe(401);
  });

  it('are gone when they are deleted, and so are their bytes', async () => {
    const file = await add(server, 'gone', 'gone.txt');
    expect(await stored(server)).toContain(file.id);
    expect((await server.api.delete(`/files/${file.id}`)).status).toBe(204);
    for (const path of ['', '/content', '/url'])
      expect((await server.api.get(`/files/${file.id}${path}`)).status).toBe(404);
    expect((await server.api.delete(`/files/${file.id}`)).status).toBe(404);
    const { items } = (await server.api.get('/files?limit=200')).body;
    expect((items as FileInfo[]).map(({ id }) => id)).not.toContain(file.id);
    await eventually(async () => !(await stored(server)).includes(file.id));
  });

  it('go with their chat', async () => {
    await server.api.post('/chats', { id: 'with-files' });
    const file = await add(server, 'x', 'a.txt', { chat_id: 'with-files' });
    expect((await server.api.delete('/chats/with-files')).status).toBe(204);
    expect((await server.api.get(`/files/${file.id}`)).status).toBe(404);
    await eventually(async () => !(await stored(server)).includes(file.id));
    await server.api.post('/chats', { id: 'with-files' });
    expect((await server.api.get('/files?chat_id=with-files')).body.items).toEqual([]);
  });

  it('are in the audit trail', async () => {
    await server.api.post('/chats', { id: 'audited' });
    const { id } = await add(server, 'x', 'secret.txt', { chat_id: 'audited' });
    await server.api.delete(`/files/${id}`);
    await eventually(async () => !(await stored(server)).includes(id));
    const { items } = (await server.api.get('/audit?limit=2')).body;
    const detail = { file_id: id, size_bytes: 1 };
    expect(items).toMatchObject([
      { action: 'file.deleted', user_id: 'local', chat_id: 'audited', detail },
      { action: 'file.added', user_id: 'local', chat_id: 'audited', detail },
    ]);
    expect(JSON.stringify(items)).not.toContain('secret');
  });

  describe('are refused', () => {
    let kept: string[];
    beforeEach(async () => {
      kept = await stored(server);
    });
    afterEach(async () => {
      expect(await stored(server)).toEqual(kept);
      expect(await readdir(join(server.files, '.incoming')).catch(() => [])).toEqual([]);
    });

    it('if the form is not as described', async () => {
      const file = new Blob(['x']);
      const forms: [string, (form: FormData) => void][] = [
        ['file', () => {}],
        ['file', (form) => form.set('chat_id', 'x')],
        ['file', (form) => form.set('file', 'no file')],
        ['file', (form) => [1, 2].forEach((n) => form.append('file', file, `${n}.txt`))],
        ['other', (form) => form.set('other', file, 'a.txt')],
        ['other', (form) => form.set('other', 'x')],
        ['chat_id', (form) => [1, 2].forEach((n) => form.append('chat_id', `c${n}`))],
        ['chat_id', (form) => form.set('chat_id', 'x'.repeat(2000))],
        ['chat_id', (form) => form.set('chat_id', 'a\0b')],
        ['chat_id', (form) => (form.set('file', file, 'a'), form.set('chat_id', 'no id'))],
        ['owner', (form) => (form.set('file', file, 'a'), form.set('owner', 'eve'))],
      ];
      for (const [field, fill] of forms) {
        const form = new FormData();
        fill(form);
        expect(await send(server, form)).toMatchObject({
          status: 400,
          body: { errors: [{ field }] },
        });
      }
    });

    it('if the file is in another part, and names the right one', async () => {
      const form = new FormData();
      form.set('report', new Blob(['x']), 'a.txt');
      expect(await send(server, form)).toMatchObject({
        body: { errors: [{ field: 'report', message: expect.stringMatching(/named file$/) }] },
      });
    });

    it('if the body is no form', async () => {
      const typed = (type: string, body: string) =>
        server.api.send('POST', '/files', { body, headers: { 'content-type': type } });
      expect((await typed('application/json', '{}')).status).toBe(415);
      expect((await typed('text/plain', 'x')).status).toBe(415);
      expect((await server.api.post('/files')).status).toBe(415);
      for (const body of ['', 'x', '--b\r\n', '--b\r\n\r\nx', '--b--', FILE_PART.slice(0, -8)])
        expect([body, (await typed('multipart/form-data; boundary=b', body)).status]).toEqual([
          ...[body, 400],
        ]);
      expect((await typed('multipart/form-data', FILE_PART)).status).toBe(400);
      const zipped = { 'content-type': MULTIPART, 'content-encoding': 'gzip' };
      const reply = await server.api.send('POST', '/files', { body: FILE_PART, headers: zipped });
      expect(reply.status).toBe(415);
    });

    it('if the name has U+0000', async () => {
      const body = FILE_PART.replace('a.txt', 'a\0.txt');
      const headers = { 'content-type': MULTIPART };
      const reply = await server.api.send('POST', '/files', { body, headers });
      expect(reply.status).toBe(400);
    });

    it('if they are too large, whatever their length is said to be', async () => {
      const large = await upload(server, Buffer.alloc(LIMIT + 1), 'a.bin');
      expect(large).toMatchObject({
        status: 413,
        body: { type: '/problems/file_too_large', limit: LIMIT },
      });
      expect((await upload(server, Buffer.alloc(LIMIT), 'a.bin')).status).toBe(201);
      kept = await stored(server);
    });

    it('before they are read, if they are too large', async () => {
      const socket = new RawUpload(server);
      socket.write(HEAD + 'Content-Length: 5000000000\r\n\r\n' + FILE_PART.slice(0, -8));
      expect(await socket.answer()).toContain('HTTP/1.1 413');
      socket.close();
    });

    it('while they arrive, as soon as they are too large', async () => {
      const socket = new RawUpload(server);
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
      socket.write(chunk(FILE_PART.slice(0, -8)));
      for (let sent = 0; sent <= LIMIT; sent += 100_000) socket.write(chunk('x'.repeat(100_000)));
      expect(await socket.answer()).toContain('HTTP/1.1 413');
      socket.close();
    });

    it('if the client leaves', async () => {
      const socket = new RawUpload(server);
      socket.write(`${HEAD}Content-Length: 900000\r\n\r\n${FILE_PART.slice(0, -8)}`);
      socket.write('x'.repeat(400_000));
      const incoming = () => readdir(join(server.files, '.incoming')).catch(() => []);
      await eventually(async () => (await incoming()).length === 1);
      socket.close();
      await eventually(async () => (await incoming()).length === 0);
    });

    it('if they are longer than they are said to be', async () => {
      const socket = new RawUpload(server);
      socket.write(`${HEAD}Content-Length: ${FILE_PART.length - 20}\r\n\r\n${FILE_PART}`);
      expect(await socket.answer()).toContain('HTTP/1.1 400');
      socket.close();
    });
  });
}

function testUsers(server: ServerUnderTest): void {
  it('without a chat are their owner’s alone; those of a chat are seen with it', async () => {
    const tenant_id = `files-${Math.random().toString(36).slice(2)}`;
    const as = async (user_id: string, tenant = tenant_id, scopes = ['chat'] as const) => {
      const { key } = await makeKey(server.api, scopes, { user_id, tenant_id: tenant });
      return server.api.bearing(key);
    };
    const [ann, bob, eve] = [await as('ann'), await as('bob'), await as('ann', `${tenant_id}-2`)];
    const form = (fields: object = {}) => {
      const made = new FormData();
      for (const [name, value] of Object.entries(fields)) made.set(name, value as string);
      made.set('file', new Blob(['x']), 'a.txt');
      return made;
    };
    const put = (api: typeof ann, fields?: object) =>
      api.send('POST', '/files', { form: form(fields) });
    await ann.post('/chats', { id: 'mine' });
    await ann.post('/chats', { id: 'ours', visibility: 'tenant' });
    const own = (await put(ann)).body as FileInfo;
    const mine = (await put(ann, { chat_id: 'mine' })).body as FileInfo;
    const ours = (await put(bob, { chat_id: 'ours' })).body as FileInfo;
    expect([own.owner, ours.owner]).toEqual(['ann', 'bob']);
    expect((await put(bob, { chat_id: 'mine' })).status).toBe(404);
    const statuses = async (api: typeof ann) =>
      Promise.all([own, mine, ours].map(async ({ id }) => (await api.get(`/files/${id}`)).status));
    expect(await statuses(ann)).toEqual([200, 200, 200]);
    expect(await statuses(bob)).toEqual([404, 404, 200]);
    expect(await statuses(eve)).toEqual([404, 404, 404]);
    const listed = async (api: typeof ann) =>
      ((await api.get('/files')).body.items as FileInfo[]).map(({ id }) => id);
    expect(await listed(ann)).toEqual([ours.id, mine.id, own.id]);
    expect(await listed(bob)).toEqual([ours.id]);
    expect(await listed(eve)).toEqual([]);
    for (const { id } of [own, mine]) expect((await bob.delete(`/files/${id}`)).status).toBe(404);
    const { url } = (await ann.get(`/files/${own.id}/url`)).body;
    expect(await (await fetch(server.api.url + url)).text()).toBe('x');
    expect((await server.api.bearing(ADMIN_KEY).get(`/files/${own.id}`)).status).toBe(404);
  });
}

function testQuota(server: ServerUnderTest): void {
  it('count until they are deleted', async () => {
    const exceeded = {
      status: 429,
      body: { type: '/problems/quota_exceeded', quota: 'QUOTA_BYTES' },
    };
    expect(await upload(server, Buffer.alloc(11_000), 'a.bin')).toMatchObject(exceeded);
    const { id } = await add(server, Buffer.alloc(6_000), 'a.bin');
    // another process may know the sum of some seconds ago
    await eventually(async () => {
      const { status, body } = await upload(server, Buffer.alloc(6_000), 'b.bin');
      if (status === 201) await server.api.delete(`/files/${(body as FileInfo).id}`);
      else expect({ status, body }).toMatchObject(exceeded);
      return status !== 201;
    });
    await server.api.delete(`/files/${id}`);
    await eventually(async () => {
      server.clock.pass(61_000);
      return (await upload(server, Buffer.alloc(6_000), 'b.bin')).status === 201;
    });
    expect((await stored(server)).length).toBe(1);
  });

  it('counts those that arrive together, also on several processes', async () => {
    const { items } = (await server.api.get('/files')).body as { items: FileInfo[] };
    for (const { id } of items) await server.api.delete(`/files/${id}`);
    // They count until their rows are gone, which is after their bytes.
    const usage = () => server.stores.usage.countBytes(LOCAL.tenant_id);
    await eventually(async () => (await usage()).files === 0);
    server.clock.pass(61_000);
    const uploads = Array.from({ length: 30 }, (_, i) =>
      upload(server, Buffer.alloc(2_000), `${i}.bin`),
    );
    const statuses = (await Promise.all(uploads)).map(({ status }) => status);
    expect(statuses.every((status) => status === 201 || status === 429)).toBe(true);
    const kept = statuses.filter((status) => status === 201).length;
    // An upload reserves the bytes of its form too, which are more than those of its file.
    expect([4, 5]).toContain(kept);
    await eventually(async () => (await stored(server)).length === kept);
    expect(await usage()).toMatchObject({ files: kept * 2_000 });
  });
}

function testLimit(server: ServerUnderTest): void {
  it('are refused while the user has as many that have not arrived', async () => {
    const incoming = () => readdir(join(server.files, '.incoming')).catch(() => []);
    const sockets = [0, 1].map(() => new RawUpload(server));
    for (const socket of sockets) {
      socket.write(`${HEAD}Content-Length: ${FILE_PART.length}\r\n\r\n${FILE_PART.slice(0, -8)}`);
      await eventually(async () => (await incoming()).length >= sockets.indexOf(socket) + 1);
    }
    const refused = await upload(server, 'x', 'a.txt');
    expect(refused).toMatchObject({ status: 429, body: { type: '/problems/too_many_uploads' } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/);
    sockets[0]!.close();
    await eventually(async () => (await upload(server, 'x', 'a.txt')).status === 201);
    sockets[1]!.write(FILE_PART.slice(-8));
    expect(await sockets[1]!.answer()).toContain('HTTP/1.1 201');
    sockets[1]!.close();
  });
}

const MULTIPART = 'multipart/form-data; boundary=b';
const FILE_PART =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nHello\r\n--b--\r\n';
const HEAD = `Host: localhost\r\nContent-Type: ${MULTIPART}\r\n`;

/** An upload, byte by byte, after its credential. */
class RawUpload {
  private readonly socket;
  private text = '';

  constructor(server: ServerUnderTest) {
    const { hostname, port } = new URL(server.api.url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => (this.text += chunk.toString()));
    this.write(`POST /files HTTP/1.1\r\n${headerLines(server.api.headers)}`);
  }

  write(text: string): void {
    this.socket.write(text);
  }

  /** As soon as there is one. */
  async answer(): Promise<string> {
    await eventually(() => this.text.includes('\r\n\r\n'));
    return this.text;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** The ids of the files whose bytes are there. */
async function stored({ files }: ServerUnderTest): Promise<string[]> {
  const tenants = await readdir(files).catch(() => []);
  const own = tenants.filter((name) => !name.startsWith('.'));
  const names = (await Promise.all(own.map((name) => readdir(join(files, name))))).flat();
  return names.map((name) => name.replace(/_e$/, '')).toSorted();
}

function send(server: ServerUnderTest, form: FormData): Promise<Reply> {
  return server.api.send('POST', '/files', { form });
}

function upload(
  server: ServerUnderTest,
  content: string | Buffer<ArrayBuffer>,
  name: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new Blob([content]), name);
  return send(server, form);
}

async function add(...args: Parameters<typeof upload>): Promise<FileInfo> {
  const reply = await upload(...args);
  expect([reply.status, reply.body]).toEqual([201, expect.anything()]);
  return reply.body as FileInfo;
}

function get(
  server: ServerUnderTest,
  { id }: FileInfo,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return server.api.fetch(`/files/${id}/content`, { headers });
}
