import { AudioProvider } from '../audio-provider.js';
import type { AudioFormat, Recording, SpeechRequest } from '../audio-provider.js';
import { SAMPLE_RATE, wavDuration, wavHeader } from '../wav.js';
import type { Transcript } from '../transcript.js';

const WORD_MS = 120;
const PAUSE_MS = 40;
const LOWEST_HZ = 220;
const VOLUME = 0.3 * 32_767;
const TEXT = 'This is what the demo hears, whatever is said.';

/** Needs no key: hears the same in every recording, and speaks a tone for each word. */
export class DemoAudioProvider extends AudioProvider {
  readonly formats: readonly [AudioFormat, ...AudioFormat[]] = ['wav', 'pcm'];

  async transcribe(
    { content }: Recording,
    _language: string | undefined,
    signal: AbortSignal,
  ): Promise<Transcript> {
    signal.throwIfAborted();
    const duration_ms = wavDuration(content);
    return { text: TEXT, language: 'en', ...(duration_ms !== undefined && { duration_ms }) };
  }

  async speak(
    { text, format }: SpeechRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    signal.throwIfAborted();
    return tones(text.split(/\s+/).filter(Boolean), format, signal);
  }
}

async function* tones(
  words: readonly string[],
  format: AudioFormat,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const word = samplesOf(WORD_MS) + samplesOf(PAUSE_MS);
  if (format === 'wav') yield wavHeader(words.length * word * 2);
  for (const each of words) {
    signal.throwIfAborted();
    const pcm = Buffer.alloc(word * 2);
    const step = (2 * Math.PI * pitchOf(each)) / SAMPLE_RATE;
    for (let at = 0; at < samplesOf(WORD_MS); at++)
      pcm.writeInt16LE(Math.round(Math.sin(at * step) * VOLUME), at * 2);
    yield pcm;
  }
}

function samplesOf(ms: number): number {
  return (SAMPLE_RATE * ms) / 1000;
}

/** In Hz: the same for the same word. */
function pitchOf(word: string): number {
  return LOWEST_HZ * 2 ** ((word.codePointAt(0)! % 24) / 12);
}
