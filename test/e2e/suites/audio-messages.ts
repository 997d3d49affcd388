import { wavHeader } from '../../../src/audio/wav.js';
import { FakeAudio, json } from '../../support/model/fake-audio.js';
import type { ApiClient } from '../../support/client/api-client.js';
import type { Servers, ServerUnderTest } from '../servers.js';

const BYTES_OF_SECOND = 48_000;
const NDJSON = { 'content-type': 'application/x-ndjson' };
type Message = Readonly<Record<string, unknown>>;
let chats = 0;

export function describeAudioMessages(servers: Servers): void {
  describe('Recordings in messages', () => {
    let fake: FakeAudio;
    const env: Record<string, string> = { AUDIO_MAX_BYTES: '200000', AUDIO_MAX_MS: '3000' };
    beforeAll(async () => {
      fake = await FakeAudio.start();
      env['AUDIO_BASE_URL'] = fake.baseUrl;
    });
    afterAll(() => fake.stop());
    servers.run(env, (server) => testMessages(server, () => fake), { isOwn: true });
  });
  describe('Recordings without an endpoint', () => {
    servers.run({}, (server) => {
      it('are named to the model', async () => {
        const { id } = await upload(server.api, wav(1));
        const [content] = await ask(server, { user_message: '', file_ids: [id] });
        expect(content).toContain(`${id}: this server has no endpoint that transcribes it]`);
      });
    });
  });
}

function testMessages(server: ServerUnderTest, fakeOf: () => FakeAudio): void {
  it('are the message, or follow its text, in their order', async () => {
    const fake = fakeOf();
    const [first, second] = [await upload(server.api, wav(1)), await upload(server.api, wav(2))];
    fake.reply(json({ text: 'What is it?', language: 'english', duration: 1 }));
    const [alone, interaction] = await ask(server, { user_message: '', file_ids: [first.id] });
    expect(alone).toBe('What is it?');
    expect(interaction).toMatchObject({ user_message: '', files: [{ id: first.id }] });
    expect(interaction.final_agent_state!.messages[0]!.content).toBe('What is it?');
    fake.reply(json({ text: 'One.' }), json({ text: 'Two.' }));
    const file_ids = [first.id, second.id];
    const [both] = await ask(server, { user_message: 'Read:', file_ids });
    expect(both).toBe('Read:\n\nOne.\n\nTwo.');
    const lengths = fake.requests.slice(-2).map(({ file }) => file!.bytes.length);
    expect(lengths).toEqual([wav(1).length, wav(2).length]);
  });

  it('tell readers what was said, live, replayed and in the session log', async () => {
    fakeOf().reply(json({ text: 'Hello there.', language: 'english', duration: 1.5 }));
    const { id } = await upload(server.api, wav(1));
    const chat = `recordings-${++chats}`;
    server.fake.reply({ text: 'Hi.' });
    const live = await server.api.say(chat, { user_message: '', file_ids: [id] });
    const transcript = { text: 'Hello there.', language: 'english', duration_ms: 1500 };
    const transcripts = [{ file_id: id, ...transcript }];
    const steps = live.list('STEP_COMPLETED');
    expect(steps).toMatchObject([{ name: 'files', transcripts }]);
    const of = { chat_id: chat, id: live.records[0]!.interaction_id };
    expect((await server.api.follow(of)).list('STEP_COMPLETED')).toEqual(steps);
    const log = await (await server.api.fetch(`/chats/${chat}/log`)).text();
    const { body } = await server.api.send('POST', '/chats/import', { body: log, headers: NDJSON });
    const [imported] = (await server.api.get(`/chats/${body.id}`)).body.interactions;
    const copied = await server.api.follow({ chat_id: body.id, id: imported.id });
    const [step] = copied.list('STEP_COMPLETED');
    expect(step).toMatchObject({ transcripts: [transcript] });
    expect(step!.transcripts![0]!.file_id).toBe(imported.files[0].id);
  });

  it('are not transcribed again for an edit that keeps them, nor for later messages', async () => {
    const fake = fakeOf();
    fake.reply(json({ text: 'Kept.' }));
    const { id } = await upload(server.api, wav(1));
    const [, interaction] = await ask(server, { user_message: '', file_ids: [id] });
    const before = fake.requests.length;
    const path = `/chats/${interaction.chat_id}/interactions`;
    const edit = async (body: Message) => {
      server.fake.reply({ text: 'Edited.' });
      return server.api.post(`${path}/${interaction.id}/edit?wait=true`, body);
    };
    expect((await edit({ new_user_message: '' })).body.status).toBe('COMPLETED');
    expect(contentOf(server)).toBe('Kept.');
    await edit({ new_user_message: 'And:' });
    expect(contentOf(server)).toBe('And:\n\nKept.');
    const refused = await edit({ new_user_message: ' ', file_ids: [] });
    const field = 'new_user_message';
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    expect(fake.requests.length).toBe(before);
  });

  it('that can’t be transcribed are named to the model with the reason', async () => {
    const fake = fakeOf();
    const before = fake.requests.length;
    const long = await upload(server.api, wav(4));
    const large = await upload(server.api, wav(5));
    const empty = await upload(server.api, wav(0));
    const file_ids = [long.id, large.id, empty.id];
    const [content] = await ask(server, { user_message: '', file_ids });
    expect(content).toContain(`${long.id}: it is too long to be transcribed]`);
    expect(content).toContain(`${large.id}: it is too large to be transcribed]`);
    expect(content).toContain(`${empty.id}: it has no sound]`);
    expect(fake.requests.length).toBe(before);
    fake.reply(json({ text: ' ' }));
    const silent = await upload(server.api, wav(1));
    const [nothing] = await ask(server, { user_message: '', file_ids: [silent.id] });
    expect(nothing).toContain(`${silent.id}: nothing is said in it]`);
  });

  it('are counted, and their seconds', async () => {
    const of = (text: string, name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.split(' ')[1],
      );
    const metrics = async () => (await server.api.fetch('/metrics')).text();
    const ok = 'parley_audio_requests_total{kind="transcription",outcome="ok"}';
    const seconds = 'parley_audio_transcribed_seconds_total';
    const before = await metrics();
    fakeOf().reply(json({ text: 'Hello.', duration: 2.5 }));
    const { id } = await upload(server.api, wav(1));
    await ask(server, { user_message: '', file_ids: [id] });
    const after = await metrics();
    expect(of(after, ok) - of(before, ok)).toBe(1);
    expect(of(after, seconds) - of(before, seconds)).toBe(2.5);
  });

  it('fail the interaction where their provider does, with its code', async () => {
    fakeOf().reply(json({ error: { message: 'Wrong key.' } }, 401));
    const { id } = await upload(server.api, wav(1));
    const before = server.fake.requests.length;
    const { body } = await start(server.api, { user_message: 'Read:', file_ids: [id] });
    expect(body).toMatchObject({ status: 'FAILED', error: { code: 'model_auth' } });
    expect(body.error.message).toContain('AUDIO_API_KEY');
    expect(server.fake.requests.length).toBe(before);
  });

  it('alone make an empty message valid', async () => {
    const text = await upload(server.api, Buffer.from('text'), 'a.txt');
    for (const file_ids of [[], [text.id]])
      expect(await start(server.api, { user_message: ' ', file_ids })).toMatchObject({
        status: 400,
        body: { type: '/problems/invalid_body', errors: [{ field: 'user_message' }] },
      });
  });
}

function wav(seconds: number): Buffer<ArrayBuffer> {
  const pcm = Buffer.alloc(seconds * BYTES_OF_SECOND, 1);
  return Buffer.concat([wavHeader(pcm.length), pcm]);
}

function start(api: ApiClient, body: Message) {
  return api.post(`/chats/recordings-${++chats}/interactions?wait=true`, body);
}

/** The text that the model got, and the interaction. */
async function ask(server: ServerUnderTest, message: Message) {
  server.fake.reply({ text: 'Seen.' });
  const { status, body } = await start(server.api, message);
  expect([status, body.status]).toEqual([200, 'COMPLETED']);
  return [contentOf(server), body] as const;
}

/** The first message of the last request to the model. */
function contentOf({ fake }: ServerUnderTest): unknown {
  return fake.requests.at(-1)!.body.messages[0].content;
}

async function upload(api: ApiClient, content: Buffer<ArrayBuffer>, name = 'speech.wav') {
  const form = new FormData();
  form.set('file', new Blob([content]), name);
  const { status, body } = await api.send('POST', '/files', { form });
  expect(status).toBe(201);
  return body as { readonly id: string };
}
