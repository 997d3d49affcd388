import type { Readable } from 'node:stream';
import { isObject } from '../../kernel/json/json.js';
import { BadResponse } from '../../models/errors/answer-errors.js';
import { ErrorTranslator } from '../../models/errors/error-translator.js';
import { Scrubber } from '../../models/errors/scrubber.js';
import type { Vendor } from '../../models/errors/vendor.js';
import { ModelError } from '../../models/model-error.js';
import { faultOf, OpenAiClient } from '../../models/openai/openai-client.js';
import { SocketFetch } from '../../net/socket-fetch.js';
import type { SocketResponse } from '../../net/socket-response.js';
import { AUDIO_FORMATS, AudioProvider } from '../audio-provider.js';
import type { Recording, SpeechRequest } from '../audio-provider.js';
import type { Transcript, TranscriptSegment } from '../transcript.js';

/** Maximum size of a transcript with its segments. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_SEGMENTS = 10_000;
const RETRIES = 2;
/** Types of answers that are no sound, whatever their status; many servers name none. */
const NO_AUDIO = /^(?:text\/|application\/json)/i;
/** SDKs require a key; a server that needs none ignores this one. */
const NO_KEY = 'none';

export interface OpenAiAudioOptions {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  /** URL of an HTTP proxy. */
  readonly proxyUrl: string | undefined;
  /** Maximum time without data from the server, in milliseconds. */
  readonly timeoutMs: number;
  readonly transcribeModel: string;
  readonly speechModel: string;
  readonly voice: string;
}

/** Any server with OpenAI's audio endpoints. */
export class OpenAiAudioProvider extends AudioProvider {
  readonly formats = AUDIO_FORMATS;
  private readonly client: OpenAiClient;
  private readonly errors: ErrorTranslator;

  constructor(private readonly options: OpenAiAudioOptions) {
    super();
    const { apiKey, baseUrl, proxyUrl, timeoutMs } = options;
    const { fetch } = new SocketFetch(proxyUrl === undefined ? {} : { proxyUrl });
    this.client = new OpenAiClient({
      ...{ apiKey: apiKey ?? NO_KEY, baseURL: baseUrl },
      ...{ timeout: timeoutMs, maxRetries: RETRIES, fetch },
    });
    const { origin, pathname } = new URL(baseUrl);
    this.errors = new ErrorTranslator({
      vendor: VENDOR,
      endpoint: `${origin}${pathname}`,
      scrubber: new Scrubber(apiKey),
      timeout_ms: timeoutMs,
    });
  }

  async transcribe(
    { content, filename, mime_type }: Recording,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<Transcript> {
    const { transcribeModel: model } = this.options;
    const file = new File([content], filename, { type: mime_type });
    const response_format = tellsSegments(model) ? 'verbose_json' : 'json';
    try {
      const asked = this.client.audio.transcriptions.create(
        { file, model, response_format, ...(language !== undefined && { language }) },
        { signal },
      );
      return readTranscript(
        await this.textOf((await asked.asResponse()) as SocketResponse, signal),
      );
    } catch (error) {
      throw this.errors.translate(error);
    }
  }

  async speak(
    { text, voice = this.options.voice, format }: SpeechRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { speechModel: model } = this.options;
    // The package leaves its listeners on the signal, which lasts for many sentences.
    const own = AbortSignal.any([signal]);
    try {
      const asked = this.client.audio.speech.create(
        { model, input: text, voice, response_format: format },
        { signal: own },
      );
      const { incoming, headers } = (await asked.asResponse()) as SocketResponse;
      const type = headers.get('content-type') ?? '';
      if (NO_AUDIO.test(type)) {
        incoming.destroy();
        throw new BadResponse(`${type} in place of audio`, '');
      }
      return this.soundOf(this.chunksOf(incoming, own));
    } catch (error) {
      throw this.errors.translate(error);
    }
  }

  private async *soundOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let isEmpty = true;
    for await (const chunk of chunks) {
      isEmpty &&= chunk.length === 0;
      yield chunk;
    }
    if (isEmpty) throw this.errors.translate(new BadResponse('no audio', ''));
  }

  private async textOf({ incoming }: SocketResponse, signal: AbortSignal): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.chunksOf(incoming, signal)) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new BadResponse('more than 4 MiB of transcript', '');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }

  /** Fails if nothing comes for too long while its reader waits for it. */
  private async *chunksOf(incoming: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const late = (): void => void incoming.destroy(this.errors.timeout());
    let timer = setTimeout(late, this.options.timeoutMs);
    try {
      for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
        clearTimeout(timer);
        yield chunk;
        timer = setTimeout(late, this.options.timeoutMs);
      }
    } catch (error) {
      if (signal.aborted || error instanceof ModelError) throw error;
      throw this.errors.cutOff(error, { hasBegun: true });
    } finally {
      clearTimeout(timer);
    }
  }
}

const VENDOR: Vendor = {
  name: 'audio',
  fault: faultOf,
  statuses: new Map(),
  advice: {
    key: ' Check AUDIO_API_KEY.',
    not_found:
      ' Check TRANSCRIBE_MODEL and SPEECH_MODEL, and that AUDIO_BASE_URL has audio and ends in /v1.',
    url: ' Check AUDIO_BASE_URL, and that the server runs.',
    bad_response: ' Check AUDIO_BASE_URL: it usually ends in /v1.',
  },
};

/** Other models than Whisper refuse the format that has them. */
function tellsSegments(model: string): boolean {
  return /whisper/i.test(model);
}

/** @throws BadResponse */
function readTranscript(json: string): Transcript {
  const answer = parsed(json);
  if (!isObject(answer) || typeof answer['text'] !== 'string')
    throw new BadResponse('no transcript', json.slice(0, 200));
  const { text, language, duration, segments } = answer;
  return {
    text: text.trim(),
    ...(typeof language === 'string' && { language }),
    ...(isSeconds(duration) && { duration_ms: toMs(duration) }),
    ...(Array.isArray(segments) && {
      segments: segments.slice(0, MAX_SEGMENTS).flatMap(readSegment),
    }),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function readSegment(segment: unknown): readonly TranscriptSegment[] {
  if (!isObject(segment)) return [];
  const { start, end, text } = segment;
  if (!isSeconds(start) || !isSeconds(end) || typeof text !== 'string') return [];
  return [{ start_ms: toMs(start), end_ms: toMs(end), text: text.trim() }];
}

/** Some servers write numbers as texts. */
function isSeconds(value: unknown): value is number | string {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && value !== '');
  return isNumber && Number(value) >= 0 && Number.isFinite(Number(value));
}

function toMs(seconds: number | string): number {
  return Math.round(Number(seconds) * 1000);
}
