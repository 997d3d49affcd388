import { wavHeader } from '../../src/audio/wav.js';
import type { ApiClient } from '../support/client/api-client.js';
import { FakeAudio, json } from '../support/model/fake-audio.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { tone } from '../support/model/pcm.js';
import { onOneStore, PGLITE, POSTGRES } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('A recording in a message, when the server is killed after its transcript', () => {
  let server: ServerProcess | undefined;

  afterEach(() => server?.kill('SIGKILL'));

  for (const { name, fault, create } of onOneStore(PGLITE, POSTGRES))
    (fault ? it.skip : it)(`is not transcribed again, on ${name}`, async () => {
      const data = await create();
      const [model, audio] = [await FakeOpenAi.start(), await FakeAudio.start()];
      const start = async (): Promise<ApiClient> => {
        const endpoints = { OPENAI_BASE_URL: model.baseUrl, AUDIO_BASE_URL: audio.baseUrl };
        const env = { ...data.env, ...endpoints, MODEL: 'openai/fake' };
        server = await ServerProcess.start({ ...env, LEASE_TTL_MS: '4000' });
        return server.api();
      };
      audio.reply(json({ text: 'Which colour?' }));
      model.reply({ hang: true }, { text: 'Red.' });
      let api = await start();
      const { id } = await upload(api);
      const of = await api.begin('spoken', { user_message: '', file_ids: [id] });
      const before = (await model.request(1)).body;
      await server!.kill('SIGKILL');
      api = await start();
      const reader = await api.follow(of);
      expect(reader.find('ANSWER')).toMatchObject({ content: 'Red.' });
      expect(reader.list('RESUMED')).toHaveLength(1);
      expect(model.requests.map(({ body }) => body)).toEqual([before, before]);
      expect(JSON.stringify(before)).toContain('Which colour?');
      expect(audio.requests).toHaveLength(1);
      await Promise.all([model.stop(), audio.stop(), server!.kill('SIGKILL')]);
      await data.remove();
    });
});

async function upload(api: ApiClient): Promise<{ readonly id: string }> {
  const pcm = tone(1_000);
  const form = new FormData();
  form.append('file', new Blob([wavHeader(pcm.length), pcm]), 'question.wav');
  return (await api.send('POST', '/files', { form })).body;
}
