import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';
import { headerLines } from '../../support/client/api-client.js';
import { eventually } from '../../support/eventually.js';
import { readFolder } from '../../support/read-folder.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import type { FileInfo } from '../../../src/protocol/wire/file.js';

const TAR = { 'content-type': 'application/x-tar' };
const LIMIT = 3_000_000;
const LOG = [
  '{"type":"session_log","version":1}',
  '{"type":"chat","id":"c","title":"Archived","agent":null,"head_interaction_id":null,"created_at":"2026-01-15T10:00:00.000Z","updated_at":"2026-01-15T10:00:00.000Z","metadata":{}}',
  '{"type":"end"}\n',
].join('\n');

type Entry = readonly [name: string, content: string | Buffer, header?: object];

export function describeChatArchives(servers: Servers): void {
  describe('The archive of a chat', () => {
    const env = { IMPORT_MAX_BYTES: String(LIMIT), FILE_MAX_BYTES: '1000000' };
    servers.run(env, testArchives, { isOwn: true });
  });
}

function testArchives(server: ServerUnderTest): void {
  const send = async (body: Buffer<ArrayBuffer>, query = '') => {
    const request = { method: 'POST', headers: TAR, body };
    const response = await server.api.fetch(`/chats/import${query}`, request);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const filesOf = async (chat: string): Promise<FileInfo[]> =>
    (await server.api.get(`/files?chat_id=${chat}`)).body.items;
  const contentOf = async ({ id }: FileInfo): Promise<Buffer> =>
    Buffer.from(await (await server.api.fetch(`/files/${id}/content`)).arrayBuffer());

  it('has its log and its files, and is imported with both', async () => {
    await server.api.post('/chats', { id: 'archived' });
    const contents = [randomBytes(700_000), Buffer.from(''), Buffer.from('Grüße')];
    const names = ['a.bin', 'empty.txt', `${'ü'.repeat(100)} 😀.txt`];
    const files: FileInfo[] = [];
    for (const [n, content] of contents.entries()) {
      const form = new FormData();
      form.set('chat_id', 'archived');
      form.set('file', new Blob([content]), names[n]);
      files.push((await server.api.send('POST', '/files', { form })).body as FileInfo);
    }
    server.fake.reply({ text: 'Read.' });
    await server.api.say('archived', { user_message: 'Look', file_ids: [files[2]!.id] });

    const response = await server.api.fetch('/chats/archived/log?files=include');
    expect(response.headers.get('content-type')).toBe('application/x-tar');
    expect(response.headers.get('content-disposition')).toContain('archived.tar');
    const archive = Buffer.from(await response.arrayBuffer());
    const entries = await unpack(archive);
    const log = await (await server.api.fetch('/chats/archived/log')).text();
    expect(entries.get('log.ndjson')?.toString()).toBe(log);
    for (const [n, { id, filename }] of files.entries())
      expect(entries.get(`files/${id}/${filename}`)?.equals(contents[n]!)).toBe(true);

    const { status, body } = await send(archive);
    expect([status, body.import]).toEqual([
      201,
      { interactions: 1, records: expect.any(Number), files: 3, problems: [] },
    ]);
    const imported = await filesOf(body.id);
    const shown = ({ filename, mime_type, sha256, created_at }: FileInfo) => {
      return { filename, mime_type, sha256, created_at: created_at.slice(0, 19) };
    };
    expect(imported.map(shown).toSorted(byName)).toEqual(files.map(shown).toSorted(byName));
    const byOldId = imported.find(({ filename }) => filename === files[2]!.filename)!;
    expect(byOldId.id).not.toBe(files[2]!.id);
    expect((await contentOf(byOldId)).toString()).toBe('Grüße');
    const [{ files: attached }] = (await server.api.get(`/chats/${body.id}`)).body.interactions;
    expect(attached[0].id).toBe(byOldId.id);
  });

  it('takes no path from an archive, and says what it left out', async () => {
    const { status, body } = await send(
      await packed(
        ['log.ndjson', LOG],
        ['files/file_1/../../../../tmp/x', 'x'],
        ['../../files/file_2/x', 'x'],
        ['/etc/passwd', 'x'],
        ['files/../x', 'x'],
        ['files/file_3/link', '', { type: 'symlink', linkname: '/etc/passwd' }],
        ['files/file_4', '', { type: 'directory' }],
        ['files/file_5/..', 'dots'],
        ['files/file_6/a\\b\u202E.txt', 'named'],
        ['files/file_6/again.txt', 'again'],
        ['log.2.ndjson', 'late'],
      ),
    );
    expect(status).toBe(201);
    const names = (await filesOf(body.id)).map(({ filename }) => filename);
    expect(names.toSorted()).toEqual(['b.txt', 'file']);
    expect(body.import).toMatchObject({ files: 2 });
    expect(body.import.problems.map(({ message }: { message: string }) => message)).toEqual([
      'file_6 is there twice.',
      '7 entries of the archive are neither its log nor files.',
    ]);
  });

  it('is not seen before its last file, and not at all if it is cut off', async () => {
    const kept = await readFolder(server.files);
    const files = [1, 2].map((n): Entry => [`files/file_${n}/a.bin`, randomBytes(600)]);
    const whole = await packed(['log.ndjson', LOG], ...files);
    const cut = new AbortController();
    const begun = new ReadableStream({
      start: (body) => body.enqueue(whole.subarray(0, 3_200)), // the first file, not the second
    });
    const request = { method: 'POST', headers: TAR, body: begun, signal: cut.signal };
    const sent = server.api.fetch('/chats/import?chat_id=slow', { ...request, duplex: 'half' });
    await eventually(async () => (await readFolder(server.files)).length >= kept.length + 600);
    expect((await server.api.get('/chats/slow')).status).toBe(404);
    const seen: FileInfo[] = (await server.api.get('/files')).body.items;
    expect(seen.filter(({ chat_id }) => chat_id === 'slow')).toEqual([]);
    cut.abort();
    await expect(sent).rejects.toThrow();
    await eventually(async () => (await readFolder(server.files)) === kept);
    expect((await server.api.get('/chats/slow')).status).toBe(404);
    let again = await send(whole, '?chat_id=slow');
    // the import that was cut may still be the one at a time
    await eventually(async () => {
      if (again.status !== 503) return true;
      again = await send(whole, '?chat_id=slow');
      return false;
    });
    expect(again.body.import).toMatchObject({ files: 2 });
  });

  it('is answered at once when it is refused, on a connection that goes on or says that it ends', async () => {
    await server.api.post('/chats', { id: 'taken' });
    const body = await packed(['log.ndjson', LOG], ['files/file_1/a', randomBytes(900_000)]);
    const head = (method: string, more: string) =>
      Buffer.from(
        `${method} HTTP/1.1\r\n${headerLines(server.api.headers)}Host: localhost\r\n${more}\r\n\r\n`,
      );
    const type = `Content-Type: ${TAR['content-type']}\r\nContent-Length: ${body.length}`;
    const first = head('POST /chats/import?chat_id=taken', type);
    const next = head('GET /chats/taken', 'Connection: close');
    const answers = await sendAll(server, first, body, next);
    const statuses = answers.match(/HTTP\/1.1 \d+/g);
    const [refusal = ''] = answers.split('\r\n\r\n');
    expect(statuses).toEqual([
      'HTTP/1.1 409',
      ...(refusal.includes('Connection: close') ? [] : ['HTTP/1.1 200']),
    ]);
  });

  it('leaves nothing of an archive that is cut off, damaged or too large', async () => {
    const kept = await readFolder(server.files);
    const whole = await packed(['log.ndjson', LOG], ['files/file_1/a.bin', randomBytes(100_000)]);
    const large: Entry = ['files/file_1/a.bin', Buffer.alloc(1_000_001)];
    const many = Array.from({ length: 4 }, (_, n): Entry => {
      return [`files/file_${n}/a.bin`, Buffer.alloc(900_000)];
    });
    const zeros = await packed(['log.ndjson', LOG], ['files/file_1/a.bin', Buffer.alloc(1_024)]);
    const flipped = Buffer.from(whole);
    flipped[1024 + 148]! ^= 1; // checksum of the second header
    const cases: readonly (readonly [Buffer<ArrayBuffer>, number, string])[] = [
      [whole.subarray(0, 50_000), 400, 'invalid_archive'],
      [whole.subarray(0, 1_200), 400, 'invalid_archive'],
      [whole.subarray(0, 700), 400, 'invalid_archive'],
      [whole.subarray(0, 1_024), 400, 'invalid_archive'], // after the log
      [zeros.subarray(0, -1_024), 400, 'invalid_archive'], // after the last file
      [withPax(whole, '12 path=abc\n').subarray(0, 2_048), 400, 'invalid_archive'],
      [flipped, 400, 'invalid_archive'],
      [randomBytes(5_000), 400, 'invalid_archive'],
      [await packed(['log.ndjson', LOG], large), 413, 'file_too_large'],
      [await packed(['log.ndjson', LOG], ...many), 413, 'log_too_large'],
      [await packed(['files/file_1/a.txt', 'x']), 400, 'nothing_to_import'],
      [Buffer.alloc(0), 400, 'nothing_to_import'],
      [withSize(whole, '77777777777'), 400, 'invalid_archive'],
      [withPax(whole, '30 size=9007199254740993000000\n'), 400, 'invalid_archive'],
      [withPax(whole, '12 size=-512\n'), 400, 'invalid_archive'],
      [withPax(whole, '11 size=abc\n'), 400, 'invalid_archive'],
      [withSize(paxHeader('x'), '77777777777'), 400, 'invalid_archive'],
    ];
    for (const [n, [body, status, code]] of cases.entries()) {
      const reply = await send(body, '?chat_id=hostile');
      expect([n, reply.status, reply.body.type]).toEqual([n, status, `/problems/${code}`]);
      expect((await server.api.get('/chats/hostile')).status).toBe(404);
    }
    await eventually(async () => (await readFolder(server.files)) === kept);
  });
}

/** What a server answers to requests that are sent one after the other on one connection. */
function sendAll({ api }: ServerUnderTest, ...requests: readonly Uint8Array[]): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  for (const request of requests) socket.write(request);
  return text(socket);
}

async function packed(...entries: readonly Entry[]): Promise<Buffer<ArrayBuffer>> {
  const archive = pack();
  for (const [name, content, header] of entries) archive.entry({ name, ...header }, content);
  archive.finalize();
  return Buffer.from(await buffer(archive as AsyncIterable<Buffer>));
}

async function unpack(archive: Buffer): Promise<Map<string, Buffer>> {
  const unpacking = extract();
  unpacking.end(archive);
  const found = new Map<string, Buffer>();
  for await (const entry of unpacking)
    found.set(entry.header.name, await buffer(entry as AsyncIterable<Buffer>));
  return found;
}

/** The archive, whose last header before its end says another size. */
function withSize(archive: Buffer<ArrayBuffer>, octal: string): Buffer<ArrayBuffer> {
  const changed = Buffer.from(archive);
  const at = archive.length > 4_096 ? 1_024 : 0;
  changed.write(octal, at + 124, 11, 'latin1');
  return withChecksum(changed, at);
}

/** The log, then a file after this extended header. */
function withPax(archive: Buffer<ArrayBuffer>, records: string): Buffer<ArrayBuffer> {
  return Buffer.concat([archive.subarray(0, 1_024), paxHeader(records), archive.subarray(1_024)]);
}

function paxHeader(records: string): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(512);
  header.write('pax', 0);
  header.write('0000600\u0000', 100);
  header.write(records.length.toString(8).padStart(11, '0'), 124);
  header.write('x', 156);
  header.write('ustar\u000000', 257, 'latin1');
  const body = Buffer.alloc(512);
  body.write(records);
  return Buffer.concat([withChecksum(header, 0), body]);
}

function withChecksum(archive: Buffer<ArrayBuffer>, at: number): Buffer<ArrayBuffer> {
  archive.fill(' ', at + 148, at + 156);
  const sum = archive.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, at + 148, 'latin1');
  return archive;
}

function byName(a: { filename: string }, b: { filename: string }): number {
  return a.filename < b.filename ? -1 : 1;
}
