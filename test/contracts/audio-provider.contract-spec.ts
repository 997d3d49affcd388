import { DemoAudioProvider } from '../../src/audio/demo/demo-audio-provider.js';
import { MeteredAudioProvider } from '../../src/audio/metered-audio-provider.js';
import { OpenAiAudioProvider } from '../../src/audio/openai/openai-audio-provider.js';
import { Telemetry } from '../../src/telemetry/telemetry.js';
import { FakeAudio } from '../support/model/fake-audio.js';
import type { AudioRequest } from '../support/model/fake-audio.js';
import { tone } from '../support/model/pcm.js';
import { describeAudioProvider } from './audio-provider.contract.js';

const TRANSCRIPT = {
  ...{ text: ' It is sunny. ', language: 'english', duration: 1 },
  segments: [{ start: 0, end: 1, text: ' It is sunny.' }],
};

describeAudioProvider('the demo', async () => new DemoAudioProvider());

describe('With an endpoint', () => {
  let endpoint: FakeAudio;

  beforeAll(async () => {
    endpoint = await FakeAudio.start();
    endpoint.otherwise((request, response) => {
      if (request.path.endsWith('/transcriptions')) return void response.end(json(TRANSCRIPT));
      const again = setInterval(() => response.write(tone(100)), 10);
      response.on('close', () => clearInterval(again));
      response.write(tone(100));
      if (isShort(request)) {
        clearInterval(again);
        response.end();
      }
    });
  });
  afterAll(() => endpoint.stop());

  const openAi = async (): Promise<OpenAiAudioProvider> =>
    new OpenAiAudioProvider({
      ...{ apiKey: 'sk-test', baseUrl: endpoint.baseUrl, proxyUrl: undefined, timeoutMs: 60_000 },
      ...{ transcribeModel: 'whisper-1', speechModel: 'tts-1', voice: 'alloy' },
    });
  describeAudioProvider("OpenAI's wire", openAi);
  describeAudioProvider(
    'one that is metered',
    async () => new MeteredAudioProvider(await openAi(), new Telemetry()),
  );
});

function isShort({ fields }: AudioRequest): boolean {
  return String(fields['input']).length < 100;
}

function json(body: object): string {
  return JSON.stringify(body);
}
