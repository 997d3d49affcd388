import { once } from 'node:events';
import { eventually } from '../../support/eventually.js';
import { FakeAudio, json } from '../../support/model/fake-audio.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { wavHeader } from '../../../src/audio/wav.js';

/** PCM of 16 bits at 24 kHz. */
const BYTES_OF_SECOND = 48_000;

export function describeAudio(servers: Servers): void {
  describe('Audio of the demo', () => {
    servers.run(
      { MODEL: 'demo/script', AUDIO_MAX_BYTES: '200000', AUDIO_MAX_MS: '3000' },
      testDemo,
    );
  });
  describe('Audio without an endpoint', () => {
    const anthropic = { ANTHROPIC_API_KEY: 'sk-a', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    servers.run({ MODEL: 'anthropic/claude-sonnet-5', ...anthropic }, testNone);
  });
  describe('Audio of an OpenAI-compatible server', () => {
    let fake: FakeAudio;
    const env: Record<string, string> = { AUDIO_API_KEY: 'sk-audio', MODEL_TIMEOUT_MS: '5000' };
    beforeAll(async () => {
      fake = await FakeAudio.start();
      env['AUDIO_BASE_URL'] = fake.baseUrl;
    });
    afterAll(() => fake.stop());
    servers.run(
      env,
      (server) => {
        testOpenAi(server, () => fake);
        // Each process counts its own.
        if (!servers.store.isCluster) testLimit(server, () => fake);
      },
      { isOwn: true },
    );
  });
}

function testDemo(server: ServerUnderTest): void {
  it('hears the same in every recording', async () => {
    const reply = await transcribe(server, wav(2));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      text: expect.stringContaining('demo'),
      language: 'en',
      duration_ms: 2000,
    });
  });

  it.each([
    ['text', Buffer.from('Hello.'), 415, 'not_audio'],
    ['nothing', Buffer.alloc(0), 400, 'empty_audio'],
    ['0 seconds', wav(0), 400, 'empty_audio'],
    ['4 seconds', wav(4), 413, 'audio_too_long'],
    ['many bytes', wav(5), 413, 'file_too_large'],
    ['1 second whose header tells an hour', lying(), 200, undefined],
  ])('takes recordings, but for %s', async (_, recording, status, code) => {
    const reply = await transcribe(server, recording);
    expect([reply.status, reply.body.type]).toEqual([status, code && `/problems/${code}`]);
  });

  it('speaks a tone for each word', async () => {
    const reply = await speak(server, { text: 'One two three.' });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    const pcm = await speak(server, { text: 'One two three.', format: 'pcm' });
    expect(Buffer.from(await pcm.arrayBuffer())).toEqual(bytes.subarray(44));
  });

  it.each([
    [{ text: '' }, 'invalid_body'],
    [{ text: 'x'.repeat(5000) }, 'invalid_body'],
    [{ text: 'a', format: 'mp3' }, 'unknown_format'],
    [{ text: 'a', speed: 2 }, 'invalid_body'],
  ])('refuses to speak %j', async (body, code) => {
    const reply = await speak(server, body);
    expect(await reply.json()).toMatchObject({ status: 400, type: `/problems/${code}` });
  });
}

function testNone(server: ServerUnderTest): void {
  it('says which variable sets one', async () => {
    const { body } = await transcribe(server, wav(1));
    expect(body).toMatchObject({ status: 503, type: '/problems/audio_unavailable' });
    expect(body.detail).toContain('AUDIO_BASE_URL');
    expect((await speak(server, { text: 'a' })).status).toBe(503);
  });
}

function testOpenAi(server: ServerUnderTest, fakeOf: () => FakeAudio): void {
  it('transcribes with segments, over the wire of OpenAI', async () => {
    const fake = fakeOf();
    fake.reply(
      json({
        ...{ text: ' Good morning. ', language: 'english', duration: 1.5 },
        segments: [{ id: 0, start: 0, end: 1.48, text: ' Good morning.' }, { start: 'x' }],
      }),
    );
    const recording = wav(1);
    const reply = await transcribe(server, recording, { language: 'en' });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        ...{ text: 'Good morning.', language: 'english', duration_ms: 1500 },
        segments: [{ start_ms: 0, end_ms: 1480, text: 'Good morning.' }],
      },
    });
    const asked = fake.requests.at(-1)!;
    expect(asked).toMatchObject({
      ...{ path: '/v1/audio/transcriptions', authorization: 'Bearer sk-audio' },
      fields: { model: 'whisper-1', response_format: 'verbose_json', language: 'en' },
      file: { name: 'speech.wav', type: expect.stringMatching(/wav/) },
    });
    expect(asked.file!.bytes.equals(recording)).toBe(true);
  });

  it('tries again where the server is overloaded, and says what it answers else', async () => {
    const fake = fakeOf();
    fake.reply(json({ error: { message: 'Later.' } }, 503), json({ text: 'Now.' }));
    expect((await transcribe(server, wav(1))).body).toEqual({ text: 'Now.' });
    fake.reply(json({ error: { message: 'Wrong key sk-audio.' } }, 401));
    const { body } = await transcribe(server, wav(1));
    expect(body).toMatchObject({ status: 503, type: '/problems/model_auth' });
    expect(body.detail).toContain('Check AUDIO_API_KEY');
    expect(body.detail).not.toContain('sk-audio');
    fake.reply((_, response) => void response.end('<html>'));
    expect((await transcribe(server, wav(1))).body.type).toBe('/problems/model_bad_response');
  });

  it('sends speech on while it is made', async () => {
    const fake = fakeOf();
    let finish!: () => void;
    fake.reply(async (_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write('first');
      await new Promise<void>((resolve) => (finish = resolve));
      response.end('last');
    });
    const reply = await speak(server, { text: 'Hello there.', voice: 'nova' });
    expect(reply.headers.get('content-type')).toBe('audio/mpeg');
    const reader = reply.body!.getReader();
    expect(await readText(reader)).toBe('first');
    finish();
    expect(await readText(reader)).toBe('last');
    expect((await reader.read()).done).toBe(true);
    expect(fake.requests.at(-1)).toMatchObject({
      path: '/v1/audio/speech',
      fields: { ...{ model: 'gpt-4o-mini-tts', voice: 'nova' }, response_format: 'mp3' },
    });
  });

  it('closes the request to the audio server when its client leaves', async () => {
    const fake = fakeOf();
    const left = new Promise<void>((resolve) =>
      fake.reply(async (_, response) => {
        response.writeHead(200).write('first');
        await once(response, 'close');
        resolve();
      }),
    );
    const leaving = new AbortController();
    const reply = await speak(server, { text: 'Hello.' }, leaving.signal);
    await reply.body!.getReader().read();
    leaving.abort();
    await left;
  });

  it('breaks off where the audio server says nothing any more', async () => {
    fakeOf().reply((_, response) => void response.writeHead(200).write('first'));
    const reader = (await speak(server, { text: 'Hello.' })).body!.getReader();
    await reader.read();
    await expect(reader.read()).rejects.toThrow();
  });

  it('breaks off where the audio server does, so that its client notices', async () => {
    let breakOff!: () => void;
    fakeOf().reply((_, response) => {
      response.writeHead(200).write('first');
      breakOff = () => response.destroy();
    });
    const reader = (await speak(server, { text: 'Hello.' })).body!.getReader();
    await reader.read();
    breakOff();
    await expect(reader.read()).rejects.toThrow();
  });
}

function testLimit(server: ServerUnderTest, fakeOf: () => FakeAudio): void {
  it('works on eight recordings at once, and on others once one is done', async () => {
    const fake = fakeOf();
    const before = fake.requests.length;
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = async (...[request, response]: Parameters<ReturnType<typeof json>>) => {
      await finished;
      await json({ text: 'Late.' })(request, response);
    };
    fake.reply(...Array.from({ length: 8 }, () => slow));
    const all = Array.from({ length: 8 }, () => transcribe(server, wav(1)));
    await eventually(() => fake.requests.length === before + 8);
    const refused = await transcribe(server, wav(1));
    expect(refused.body).toMatchObject({ status: 503, type: '/problems/audio_busy' });
    finish();
    expect((await Promise.all(all)).map(({ body }) => body.text)).toEqual(
      Array.from({ length: 8 }, () => 'Late.'),
    );
    fake.reply(json({ text: 'Now.' }));
    expect((await transcribe(server, wav(1))).body).toEqual({ text: 'Now.' });
  });
}

function wav(seconds: number): Buffer {
  const pcm = Buffer.alloc(seconds * BYTES_OF_SECOND, 1);
  return Buffer.concat([wavHeader(pcm.length), pcm]);
}

function lying(): Buffer {
  return Buffer.concat([wavHeader(3600 * BYTES_OF_SECOND), Buffer.alloc(BYTES_OF_SECOND, 1)]);
}

async function transcribe(
  { api }: ServerUnderTest,
  recording: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Record<string, unknown> & { type?: string; detail?: string } }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([new Uint8Array(recording)]), 'speech.wav');
  const reply = await api.fetch('/audio/transcriptions', { method: 'POST', body: form });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

function speak({ api }: ServerUnderTest, body: object, signal?: AbortSignal): Promise<Response> {
  return api.fetch('/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function readText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return Buffer.from(value ?? []).toString();
}
