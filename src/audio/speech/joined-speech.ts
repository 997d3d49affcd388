import type { AudioFormat, AudioProvider, SpeechRequest } from '../audio-provider.js';
import { endlessWavHeader } from '../wav.js';

/** Formats in which the speech of one sentence can follow that of another. */
export const JOINABLE_FORMATS = ['mp3', 'aac', 'wav', 'pcm'] as const satisfies AudioFormat[];
export type JoinableFormat = (typeof JOINABLE_FORMATS)[number];

const SAMPLE_BYTES = 2;

/**
 * Speaks one sentence after the other, and asks for the next once the one before was taken. WAV is
 * made of PCM, with one header that tells no length.
 * @throws ModelError, and what `sentences` throws
 */
export async function* joinSpeech(
  provider: AudioProvider,
  sentences: AsyncIterable<string>,
  { voice, format }: Omit<SpeechRequest, 'text' | 'format'> & { readonly format: JoinableFormat },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const isPcm = format === 'wav' || format === 'pcm';
  const request = {
    format: isPcm ? 'pcm' : format,
    ...(voice !== undefined && { voice }),
  } as const;
  let total = 0;
  for await (const text of sentences) {
    for await (const chunk of await provider.speak({ ...request, text }, signal)) {
      if (total === 0 && format === 'wav') yield endlessWavHeader();
      total += chunk.length;
      yield chunk;
    }
    // A sample that was cut off would shift all that follow.
    const rest = isPcm ? total % SAMPLE_BYTES : 0;
    total += rest;
    if (rest > 0) yield new Uint8Array(rest);
  }
}
