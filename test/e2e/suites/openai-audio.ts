import OpenAI, { toFile } from 'openai';
import { wavHeader } from '../../../src/audio/wav.js';
import { OpenAI7 } from '../../clients/openai-7.js';
import { FakeAudio, json } from '../../support/model/fake-audio.js';
import type { Servers } from '../servers.js';

const CLIENTS = [
  ['openai 6', OpenAI],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI],
] as const;
const SEGMENTS = [
  { start: 0, end: 1.5, text: ' Hello.' },
  { start: 3661.25, end: 3662, text: ' Bye\n\nnow.' },
];
const SRT =
  '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n01:01:01,250 --> 01:01:02,000\nBye now.\n\n';
const VTT =
  'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n01:01:01.250 --> 01:01:02.000\nBye now.\n\n';

export function describeOpenAiAudio(servers: Servers): void {
  describe.each(CLIENTS)('Audio of %s', (_, Client) => {
    let fake: FakeAudio;
    const env: Record<string, string> = {};
    beforeAll(async () => {
      fake = await FakeAudio.start();
      env['AUDIO_BASE_URL'] = fake.baseUrl;
    });
    afterAll(() => fake.stop());
    servers.run(
      env,
      (server) => {
        const audio = () =>
          new Client({ baseURL: `${server.api.url}/v1`, apiKey: 'none', maxRetries: 0 }).audio;
        const recording = () =>
          toFile(Buffer.concat([wavHeader(48_000), Buffer.alloc(48_000, 1)]), 'a.wav');
        const transcribe = async (more: object = {}) =>
          audio().transcriptions.create({ file: await recording(), model: 'whisper-1', ...more });
        const whole = () =>
          json({ text: 'Hello. Bye.', language: 'en', duration: 3662, segments: SEGMENTS });

        it.each([
          [undefined, { text: 'Hello. Bye.' }],
          ['json', { text: 'Hello. Bye.' }],
          ['text', 'Hello. Bye.\n'],
          ['srt', SRT],
          ['vtt', VTT],
        ])('gives a transcript as %s', async (response_format, expected) => {
          fake.reply(whole());
          const asked = { language: 'en', ...(response_format && { response_format }) };
          expect(await transcribe(asked)).toEqual(expected);
          expect(fake.requests.at(-1)!.fields['language']).toBe('en');
        });

        it('gives segments with their times', async () => {
          fake.reply(whole());
          const more = { response_format: 'verbose_json', timestamp_granularities: ['segment'] };
          expect(await transcribe(more)).toMatchObject({
            ...{ task: 'transcribe', language: 'en', duration: 3662, text: 'Hello. Bye.' },
            segments: [{ id: 0, start: 0, end: 1.5, text: 'Hello.' }, { id: 1 }],
          });
        });

        it.each([
          [{ stream: true }, 'stream'],
          [{ prompt: 'Names.' }, 'prompt'],
          [{ response_format: 'diarized_json' }, 'response_format'],
          [{ model: '' }, 'model'],
        ])('refuses %j', async (more, param) => {
          const before = fake.requests.length;
          await expect(transcribe(more)).rejects.toMatchObject({ status: 400, param });
          expect(fake.requests.length).toBe(before);
        });

        it('refuses subtitles where the endpoint tells no times', async () => {
          fake.reply(json({ text: 'Hello.' }));
          const refused = { status: 400, code: 'unsupported_parameter', param: 'response_format' };
          await expect(transcribe({ response_format: 'srt' })).rejects.toMatchObject(refused);
        });

        it('speaks in the format that is asked for', async () => {
          fake.reply((_, response) => void response.writeHead(200).end('sound'));
          const spoken = await audio().speech.create({
            ...{ model: 'tts-1', voice: 'nova', input: 'Hello.', response_format: 'opus' },
          });
          expect(spoken.headers.get('content-type')).toBe('audio/ogg');
          expect(await spoken.text()).toBe('sound');
          expect(fake.requests.at(-1)!.fields).toMatchObject({
            ...{ input: 'Hello.', voice: 'nova', response_format: 'opus' },
          });
        });

        it.each([
          [{ speed: 2 }, 'speed'],
          [{ instructions: 'Whisper.' }, 'instructions'],
          [{ input: '' }, 'input'],
          [{ stream_format: 'sse' }, 'stream_format'],
        ])('refuses to speak with %j', async (more, param) => {
          const body = { model: 'tts-1', voice: 'nova', input: 'Hello.', ...more } as never;
          await expect(audio().speech.create(body)).rejects.toMatchObject({ status: 400, param });
        });

        it('tells errors of the endpoint in the API’s shape', async () => {
          fake.reply(json({ error: { message: 'No.' } }, 401));
          const refused = { status: 503, type: 'server_error', code: 'model_auth' };
          await expect(transcribe()).rejects.toMatchObject(refused);
        });
      },
      { isOwn: true },
    );
  });
}
