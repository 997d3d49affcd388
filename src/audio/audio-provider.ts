import type { Transcript } from './transcript.js';
/** Speech as it was sent, with a header: WAV, MP3, WebM and the like. */
export interface Recording {
  readonly content: Uint8Array;
  readonly filename: string;
  readonly mime_type: string;
}

export const AUDIO_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
/** `pcm` is 16 bits, mono, 24 kHz, little-endian, without a header. */
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

export interface SpeechRequest {
  readonly text: string;
  /** Default: the provider's own. */
  readonly voice?: string;
  readonly format: AudioFormat;
}

/** Port: turns speech into text, and text into speech. */
export abstract class AudioProvider {
  /** The first is the default. */
  abstract readonly formats: readonly [AudioFormat, ...AudioFormat[]];

  /**
   * @param language ISO 639-1, if it is known
   * @throws ModelError for every error of the provider or the network
   */
  abstract transcribe(
    recording: Recording,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<Transcript>;

  /**
   * Resolves once the provider has begun to answer. Aborting `signal` closes the request at once.
   * @throws ModelError, before or during the stream
   */
  abstract speak(request: SpeechRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}
