import type { AudioProvider } from '../../src/audio/audio-provider.js';
import { wavHeader } from '../../src/audio/wav.js';
import { tone } from '../support/model/pcm.js';

/** Longer than any provider speaks before the test has heard enough. */
const LONG = 'word '.repeat(800);

/** Every provider: `open` gives one whose endpoint answers. */
export function describeAudioProvider(name: string, open: () => Promise<AudioProvider>): void {
  describe(`An audio provider: ${name}`, () => {
    let provider: AudioProvider;
    const never = new AbortController().signal;
    const said = tone(1_000);
    const recording = {
      content: Buffer.concat([wavHeader(said.length), said]),
      ...{ filename: 'said.wav', mime_type: 'audio/wav' },
    };

    beforeAll(async () => {
      provider = await open();
    });

    it('turns a recording into text', async () => {
      const { text, segments = [] } = await provider.transcribe(recording, 'en', never);
      expect(text).toMatch(/^\S.*\S$/);
      for (const { start_ms, end_ms } of segments) expect(end_ms).toBeGreaterThanOrEqual(start_ms);
    });

    it('gives up a transcription that is aborted', async () => {
      const transcribed = provider.transcribe(recording, undefined, AbortSignal.abort());
      await expect(transcribed).rejects.toThrow();
    });

    it('speaks its formats, and PCM in whole samples', async () => {
      for (const format of new Set([provider.formats[0], 'pcm' as const])) {
        const chunks = await provider.speak({ text: 'It is sunny.', format }, never);
        let bytes = 0;
        for await (const chunk of chunks) bytes += chunk.length;
        expect(bytes).toBeGreaterThan(0);
        if (format === 'pcm') expect(bytes % 2).toBe(0);
      }
    });

    it('ends a speech that is aborted', async () => {
      const abort = new AbortController();
      const chunks = await provider.speak({ text: LONG, format: 'pcm' }, abort.signal);
      const heard = (async () => {
        for await (const _ of chunks) abort.abort();
      })();
      await expect(heard).rejects.toThrow();
    });

    it('does not begin a speech that is aborted', async () => {
      const request = { text: 'It is sunny.', format: 'pcm' } as const;
      await expect(provider.speak(request, AbortSignal.abort())).rejects.toThrow();
    });
  });
}
