import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../support/client/api-client.js';
import { Gate } from '../../support/gate.js';
import { makeDocx, makePdf, makePdfBomb } from '../../support/make-documents.js';
import { LiveWatch } from '../../support/client/live-watch.js';
import { script } from '../../support/model/scripted-answers.js';
import { IMAGES, pngOf } from '../../support/tools/images.js';
import { look, makeJpeg } from '../../support/tools/photos.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { makeKey, WITH_KEYS } from '../with-keys.js';
import type { FileInfo } from '../../../src/protocol/wire/file.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
let chats = 0;

export function describeAttachedFiles(servers: Servers): void {
  const folder = mkdtempSync(join(tmpdir(), 'parley-attached-'));
  const patterns = join(folder, 'patterns.json');
  writeFileSync(patterns, JSON.stringify([{ name: 'code', pattern: 'CODE-\\d+' }]));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const env = { MODEL_IMAGES: 'openai/fake', REDACT_PATTERNS: patterns };

  describe('Files of a message', () => {
    servers.run(env, testReading);
    servers.run({ MODEL_IMAGES: 'none' }, (server) => {
      it('are named where the model can’t see them', async () => {
        const { id } = await upload(server.api, Buffer.from(IMAGES.png, 'base64'), 'a.png');
        const [sent] = await ask(server, [id]);
        expect(JSON.stringify(sent)).not.toContain(IMAGES.png);
        expect(sent.at(-1).content).toMatch(/\[File a\.png, [^]*can’t see images/);
      });
    });
    servers.run(WITH_KEYS, testUsers);
  });
}

function testReading(server: ServerUnderTest): void {
  it('are read by the model, in their order', async () => {
    const files = [
      await upload(server.api, 'Grüße', 'a.txt'),
      await upload(server.api, makePdf('In a PDF'), 'b.pdf'),
      await upload(server.api, makeDocx('In Word'), 'c.docx'),
      await upload(server.api, Buffer.from([0, 1, 2, 255]), 'd.bin'),
      await upload(server.api, Buffer.from(IMAGES.png, 'base64'), 'e.png'),
      await upload(server.api, '', 'f.txt'),
    ];
    const [a, b, c, d, e, f] = files.map(({ id }) => id);
    const [sent, interaction] = await ask(
      server,
      files.map(({ id }) => id),
    );
    const text = [
      'Look',
      `[File a.txt, text/plain, 7 bytes, ${a}]\nGrüße\n[End of a.txt]`,
      `[File b.pdf, application/pdf, ${size(files[1])}, ${b}]\nIn a PDF\n[End of b.pdf]`,
      `[File c.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, ${size(files[2])}, ${c}]\nIn Word\n[End of c.docx]`,
      `[File d.bin, application/octet-stream, 4 bytes, ${d}]`,
      `[File e.png, image/png, 73 bytes, ${e}: it is shown with this message; once it is not, file_read shows it again]`,
      `[File f.txt, text/plain, 0 bytes, ${f}: it is empty]`,
    ].join('\n\n');
    const [{ text: said }, image] = sent.at(-1).content;
    expect(said.slice(0, text.length)).toBe(text);
    expect(image.image_url.url).toBe(`data:image/png;base64,${IMAGES.png}`);
    expect(interaction.user_message).toBe('Look');
    expect(interaction.files[0]).toEqual({
      ...{ id: a, filename: 'a.txt', mime_type: 'text/plain', size_bytes: 7 },
    });
    const [message] = interaction.final_agent_state!.messages;
    expect(message!.content).toBe(said);
    expect(JSON.stringify(interaction)).not.toContain(IMAGES.png);
  });

  it('are scaled down if they are large photos, which are turned as they were taken', async () => {
    const photo = await makeJpeg({ width: 64, height: 32, orientation: 6, padding: 3_000_000 });
    const photos: string[] = [];
    for (let n = 0; n < 8; n++)
      photos.push((await upload(server.api, Buffer.from(photo), `${n}.jpg`)).id);
    const [sent, { chat_id }] = await ask(server, photos);
    const [{ text }, ...images] = sent.at(-1).content;
    expect(text).toMatch(
      /\[File 0\.jpg, image\/jpeg, 3,0\d\d,\d{3} bytes, file_[-\w]+: a smaller copy \(image\/jpeg, 32×64, [\d,]{3,5} bytes\) is shown with this message; /,
    );
    expect(images).toHaveLength(8);
    const [type, data] = images[0].image_url.url.split(',');
    expect(type).toBe('data:image/jpeg;base64');
    expect(await look(data)).toEqual({
      ...{ width: 32, height: 64, corners: ['blue', 'red', 'white', 'green'] },
    });
    expect(await readLog(server.api, chat_id)).not.toContain('files_left_out');
  });

  it('stay as they were read when they are deleted, also for an edit', async () => {
    const file = await upload(server.api, 'kept text', 'kept.txt');
    const other = await upload(server.api, 'other text', 'other.txt');
    const [, { chat_id, id }] = await ask(server, [file.id]);
    await server.api.delete(`/files/${file.id}`);
    server.fake.reply({ text: 'Again.' });
    await server.api.say(chat_id, 'And now?');
    expect(lastRequest(server)[0].content).toContain('kept text');
    const edit = async (body: object) => {
      server.fake.reply({ text: 'Edited.' });
      const path = `/chats/${chat_id}/interactions/${id}/edit?wait=true`;
      const reply = await server.api.post(path, { new_user_message: 'Edited', ...body });
      expect([reply.status, reply.body.status]).toEqual([200, 'COMPLETED']);
      return lastRequest(server)[0].content;
    };
    expect(await edit({})).toMatch(/^Edited\n\n\[File kept.txt[^]*kept text/);
    expect(await edit({ file_ids: [other.id] })).toMatch(/^Edited\n\n\[File other.txt[^]*other/);
    expect(await edit({ file_ids: [] })).toBe('Edited');
  });

  it('are redacted before they are saved', async () => {
    const { id } = await upload(server.api, 'The code is CODE-123.', 'secret.txt');
    const [sent, interaction] = await ask(server, [id]);
    expect(sent.at(-1).content).toContain('The code is [redacted: code].');
    const log = await readLog(server.api, interaction.chat_id);
    expect(log).toContain('Text of the files was redacted: code (1×).');
    expect(log).not.toContain('CODE-123');
  });

  it('are bounded', async () => {
    const long = await upload(server.api, 'é'.repeat(300_000), 'long.txt');
    const bomb = await upload(server.api, makePdfBomb(100_000_000), 'bomb.pdf');
    const more = await upload(server.api, 'more', 'more.txt');
    const [sent] = await ask(server, [bomb.id, long.id, more.id]);
    const { content } = sent.at(-1);
    expect(content).toMatch(/bomb.pdf, [^\]]*: its text can’t be read: it unpacks to too much\]/);
    expect(content).toContain(': only its beginning is here]\né');
    expect(content).toContain(`${more.id}: there was no more room for it in this message]`);
    expect(content.length).toBeLessThan(201_000);
  });

  it('are told to the person where the model does not get all of them', async () => {
    const png = Buffer.from(IMAGES.png, 'base64');
    const large = pngOf(2 ** 20 + 1, { width: 8_000, height: 8_000 });
    const photo = await upload(server.api, Buffer.from(large), 'photo.png');
    const shown = await upload(server.api, png, 'shown.png');
    const bomb = await upload(server.api, makePdfBomb(100_000_000), 'bomb.pdf');
    const long = await upload(server.api, 'x'.repeat(200_001), 'long.txt');
    const notices = async (file_ids: readonly string[]) => {
      const [, { chat_id }] = await ask(server, file_ids);
      const records = (await readLog(server.api, chat_id)).split('\n').filter(Boolean);
      const noticed = records.map((line) => JSON.parse(line)).map(({ body }) => body);
      return noticed.filter((body) => body?.type === 'NOTICE');
    };
    expect(await notices([shown.id])).toEqual([]);
    expect(await notices([photo.id, shown.id, bomb.id, long.id])).toEqual([
      {
        type: 'NOTICE',
        code: 'files_left_out',
        message:
          'The model does not get all of the files. photo.png: it has more pixels than the 25 million that can be scaled down. bomb.pdf: its text can’t be read: it unpacks to too much. long.txt: only its beginning is here.',
      },
    ]);
  });

  it('are in record 1 of every stream, live and replayed', async () => {
    const { chat_id: _, ...file } = await upload(server.api, 'x', 'shown.txt');
    const { id, filename, mime_type, size_bytes } = file;
    const chat = `attached-${++chats}`;
    const live = await server.api.say(chat, { user_message: 'Look', file_ids: [id] });
    await server.api.say(chat, 'No file');
    const of = { chat_id: chat, id: live.records[0]!.interaction_id };
    const watch = await LiveWatch.open(server.api, `/chats/${chat}/events`, '0');
    await watch.until('interaction_complete', undefined, 2);
    const replayed = (await server.api.follow(of)).records[0];
    const files = [{ id, filename, mime_type, size_bytes }];
    for (const record of [live.records[0], replayed, watch.of('interaction_started')[0]!.data])
      expect(record).toMatchObject({ type: 'INTERACTION_STARTED', user_message: 'Look', files });
    expect(watch.of('interaction_started')[1]!.data).not.toHaveProperty('files');
    await watch.close();
  });

  it('join the chat of their message, unless they are in one already', async () => {
    const chat_id = `attached-${++chats}`;
    const path = `/chats/${chat_id}/interactions?wait=true`;
    const listed = async () => (await server.api.get(`/files?chat_id=${chat_id}`)).body.items;
    const file = await upload(server.api, 'id,size\n1,2', 'a.csv');
    const [, { chat_id: other, files: of }] = await ask(server, [
      (await upload(server.api, 'x', 'elsewhere.txt')).id,
    ]);
    const calls = [{ name: 'file_list', arguments: {} }];
    const user_message = script({ calls }, { text: 'Seen.' });
    const body = { user_message, file_ids: [file.id, of[0].id], approval_mode: 'auto' };
    expect((await server.api.post(path, body)).body.status).toBe('COMPLETED');
    expect(lastRequest(server).at(-1).content).toContain(file.id);
    expect(await listed()).toEqual([{ ...file, chat_id }]);
    expect((await server.api.get(`/files/${of[0].id}`)).body.chat_id).toBe(other);
    const live = await LiveWatch.open(server.api, `/chats/${chat_id}/events`);
    await live.until('chat_state');
    const later = await upload(server.api, 'later', 'later.txt');
    const newer = await upload(server.api, 'newer', 'newer.txt', chat_id);
    await live.until('file_added', (event) => event.file.id === newer.id);
    await server.api.post(path, { user_message: 'Look', file_ids: [later.id] });
    const joined = await live.until('file_added', (event) => event.file.id === later.id);
    expect(joined['file']).toEqual({ ...later, chat_id });
    await live.close();
    const content = await server.api.fetch(`/files/${later.id}/content`);
    expect(await content.text()).toBe('later');
    await server.api.delete(`/chats/${chat_id}`);
    expect((await server.api.get(`/files/${later.id}`)).status).toBe(404);
  });

  it('are in the session log as they were read, under ids of their own', async () => {
    const file = await upload(server.api, 'logged text', 'logged.txt');
    const [, { chat_id }] = await ask(server, [file.id]);
    const options = { body: await readLog(server.api, chat_id), headers: NDJSON };
    const { status, body } = await server.api.send('POST', '/chats/import', options);
    expect(status).toBe(201);
    const { interactions } = (await server.api.get(`/chats/${body.id}`)).body;
    const [{ files, id }] = interactions;
    expect(files).toMatchObject([{ filename: 'logged.txt', size_bytes: 11 }]);
    expect(files[0].id).not.toBe(file.id);
    server.fake.reply({ text: 'Edited.' });
    const path = `/chats/${body.id}/interactions/${id}/edit?wait=true`;
    await server.api.post(path, { new_user_message: 'Edited' });
    expect(lastRequest(server)[0].content).toContain('logged text');
  });

  it('are unavailable, and not deleted, while their bytes are missing', async () => {
    const file = await upload(server.api, 'kept text', 'kept.txt');
    const path = join(server.files, 'default', file.id);
    const place = existsSync(path) ? path : `${path}_e`;
    await rename(place, `${server.files}.away`);
    const missing = {
      status: 503,
      body: {
        type: '/problems/files_unavailable',
        detail: expect.stringContaining(`the bytes of ${file.id} are missing`),
      },
    };
    expect(await start(server.api, [file.id])).toMatchObject(missing);
    expect(await server.api.get(`/files/${file.id}/content`)).toMatchObject(missing);
    expect(await server.api.get(`/files/${file.id}`)).toMatchObject({ status: 200 });
    await rename(`${server.files}.away`, place);
    const [sent] = await ask(server, [file.id]);
    expect(sent.at(-1).content).toContain('kept text');
  });

  it('fail an interaction that begins while their bytes are missing', async () => {
    const gate = new Gate();
    const chat = `attached-${++chats}`;
    server.fake.reply({ text: ['Wait', gate, '.'] });
    const first = await server.api.begin(chat, 'First');
    const file = await upload(server.api, 'kept text', 'kept.txt');
    const second = await server.api.begin(chat, {
      ...{ user_message: 'Look', file_ids: [file.id], on_conflict: 'enqueue' },
    });
    const path = join(server.files, 'default', file.id);
    await rm(existsSync(path) ? path : `${path}_e`);
    gate.open();
    await server.api.follow(first);
    await server.api.follow(second);
    expect(await server.api.interaction(second)).toMatchObject({
      status: 'FAILED',
      error: { code: 'files_unavailable', message: expect.stringContaining(file.id) },
    });
  });

  it('have to exist', async () => {
    const gone = await upload(server.api, 'x', 'gone.txt');
    await server.api.delete(`/files/${gone.id}`);
    for (const id of [gone.id, 'file_unknown', '../../etc/passwd', '']) {
      const reply = await start(server.api, [id]);
      expect(reply).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'file_ids', message: `There is no file ${id}.` }] },
      });
    }
    const { id } = await upload(server.api, 'x', 'a.txt');
    const wrong = [[id, id], 'x', [1], Array.from({ length: 21 }, (_, n) => `${n}`)];
    for (const file_ids of wrong) expect((await start(server.api, file_ids)).status).toBe(400);
  });
}

function testUsers(server: ServerUnderTest): void {
  it('have to be seen by the user', async () => {
    const tenant_id = `attached-${++chats}`;
    const as = async (user_id: string) => {
      const { key } = await makeKey(server.api, ['chat'], { user_id, tenant_id });
      return server.api.bearing(key);
    };
    const [ann, bob] = [await as('ann'), await as('bob')];
    const { id } = await upload(ann, 'mine', 'a.txt');
    const reply = await start(bob, [id]);
    const message = `There is no file ${id}.`;
    expect([reply.status, reply.body.errors]).toEqual([400, [{ field: 'file_ids', message }]]);
    server.fake.reply({ text: 'Seen.' });
    expect((await start(ann, [id])).status).toBe(200);
  });
}

function start(api: ApiClient, file_ids: unknown) {
  const path = `/chats/attached-${++chats}/interactions?wait=true`;
  return api.post(path, { user_message: 'Look', file_ids });
}

async function readLog(api: ApiClient, chatId: string): Promise<string> {
  return (await api.fetch(`/chats/${chatId}/log`)).text();
}

/** The messages that the model got, and the interaction. */
async function ask(server: ServerUnderTest, file_ids: readonly string[]) {
  server.fake.reply({ text: 'Seen.' });
  const { status, body } = await start(server.api, file_ids);
  expect([status, body.status]).toEqual([200, 'COMPLETED']);
  return [lastRequest(server), body] as const;
}

function lastRequest({ fake }: ServerUnderTest) {
  return fake.requests.at(-1)!.body.messages;
}

async function upload(
  api: ApiClient,
  content: string | Buffer<ArrayBuffer>,
  name: string,
  chat_id?: string,
): Promise<FileInfo> {
  const form = new FormData();
  if (chat_id !== undefined) form.set('chat_id', chat_id);
  form.set('file', new Blob([content]), name);
  const { status, body } = await api.send('POST', '/files', { form });
  expect(status).toBe(201);
  return body as FileInfo;
}

function size(file: FileInfo | undefined): string {
  return `${file?.size_bytes.toLocaleString('en-US')} bytes`;
}
