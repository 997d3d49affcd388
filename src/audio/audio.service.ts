import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { HEAD_BYTES, sniffType } from '../files/upload/sniff-type.js';
import { AppError } from '../kernel/app-error.js';
import { AudioProvider } from './audio-provider.js';
import type { AudioFormat, SpeechRequest } from './audio-provider.js';
import { RecordingSlots } from './recording-slots.js';
import { JOINABLE_FORMATS, joinSpeech } from './speech/joined-speech.js';
import type { JoinableFormat } from './speech/joined-speech.js';
import { wavDuration } from './wav.js';
import type { Transcript } from './transcript.js';

/** Containers of recordings whose types don't begin with `audio/`. */
const CONTAINERS = new Set(['application/ogg', 'video/mp4', 'video/ogg', 'video/webm']);
const MIME_TYPES: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm;rate=24000',
};

export function isRecording(mime_type: string): boolean {
  return mime_type.startsWith('audio/') || CONTAINERS.has(mime_type);
}

/** Speech that is being spoken. */
export interface Speech {
  readonly mime_type: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Speech to text and back, with the bounds of the configuration. */
@Injectable()
export class AudioService {
  readonly slots = new RecordingSlots();

  constructor(
    private readonly provider: AudioProvider,
    private readonly config: Config,
  ) {}

  /**
   * @throws AppError `not_audio` (415), `empty_audio` (400), `audio_too_long` (413),
   * `audio_unavailable` (503), and ModelError of the provider
   */
  async transcribe(
    { content, filename }: { readonly content: Uint8Array; readonly filename: string },
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<Transcript> {
    const mime_type = await sniffType(content.subarray(0, HEAD_BYTES), filename);
    if (content.length === 0) throw empty();
    if (!isRecording(mime_type)) throw notAudio(mime_type);
    const duration = wavDuration(content);
    if (duration === 0) throw empty();
    if (duration !== undefined && duration > this.config.audioMaxMs)
      throw tooLong(this.config.audioMaxMs);
    return this.provider.transcribe({ content, filename, mime_type }, language, signal);
  }

  /** @throws AppError `unknown_format` (400), `audio_unavailable` (503), ModelError */
  async speak(
    {
      format = this.provider.formats[0],
      ...request
    }: Omit<SpeechRequest, 'format'> & {
      readonly format?: AudioFormat;
    },
    signal: AbortSignal,
  ): Promise<Speech> {
    const { formats } = this.provider;
    if (!formats.includes(format)) throw unknownFormat(formats);
    const chunks = await this.provider.speak({ ...request, format }, signal);
    return { mime_type: MIME_TYPES[format], chunks };
  }

  /**
   * Speaks sentences while they come. The chunks fail with `audio_unavailable` or a ModelError.
   * @throws AppError `unknown_format` (400)
   */
  speakSentences(
    sentences: AsyncIterable<string>,
    { voice, format: asked }: { readonly voice?: string; readonly format?: JoinableFormat },
    signal: AbortSignal,
  ): Speech {
    const { formats } = this.provider;
    const joinable = JOINABLE_FORMATS.filter((each) => formats.includes(each));
    const format = asked ?? joinable.find((each) => each === formats[0]) ?? joinable[0];
    if (!format || !joinable.includes(format)) throw unknownFormat(joinable);
    const request = { format, ...(voice !== undefined && { voice }) };
    const chunks = joinSpeech(this.provider, sentences, request, signal);
    return { mime_type: MIME_TYPES[format], chunks };
  }
}

function empty(): AppError {
  return new AppError('invalid', 'empty_audio', 'The recording has no sound in it: 0 seconds.');
}

function notAudio(type: string): AppError {
  const message = `The file is ${type}. Send a recording as WAV, MP3, M4A, OGG, FLAC or WebM.`;
  return new AppError('unsupported', 'not_audio', message);
}

function tooLong(limit: number): AppError {
  const message = `The recording is longer than ${limit} ms. AUDIO_MAX_MS sets the limit.`;
  return new AppError('too_large', 'audio_too_long', message, { extra: { limit } });
}

function unknownFormat(formats: readonly AudioFormat[]): AppError {
  const message = `This server speaks ${formats.join(', ')}.`;
  return new AppError(
    'invalid',
    'unknown_format',
    `Invalid body: format is not one of them. ${message}`,
    {
      errors: [{ field: 'format', message }],
    },
  );
}
