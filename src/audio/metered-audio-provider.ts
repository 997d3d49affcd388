import type { Telemetry } from '../telemetry/telemetry.js';
import { AudioProvider } from './audio-provider.js';
import type { Recording, SpeechRequest } from './audio-provider.js';
import { wavDuration } from './wav.js';
import type { Transcript } from './transcript.js';

type Kind = 'transcription' | 'speech';

/** Counts the requests; not those that their client gave up. */
export class MeteredAudioProvider extends AudioProvider {
  constructor(
    private readonly provider: AudioProvider,
    private readonly telemetry: Telemetry,
  ) {
    super();
  }

  get formats(): AudioProvider['formats'] {
    return this.provider.formats;
  }

  async transcribe(
    recording: Recording,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<Transcript> {
    try {
      const transcript = await this.provider.transcribe(recording, language, signal);
      const audio_ms = transcript.duration_ms ?? wavDuration(recording.content);
      this.telemetry.emit('audio_asked', {
        ...{ kind: 'transcription', has_failed: false },
        ...(audio_ms !== undefined && { audio_ms }),
      });
      return transcript;
    } catch (error) {
      throw this.failed('transcription', error, signal);
    }
  }

  async speak(request: SpeechRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    try {
      return this.counted(await this.provider.speak(request, signal), signal);
    } catch (error) {
      throw this.failed('speech', error, signal);
    }
  }

  private async *counted(
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
      this.telemetry.emit('audio_asked', { kind: 'speech', has_failed: false });
    } catch (error) {
      throw this.failed('speech', error, signal);
    }
  }

  private failed(kind: Kind, error: unknown, signal: AbortSignal): unknown {
    if (!signal.aborted) this.telemetry.emit('audio_asked', { kind, has_failed: true });
    return error;
  }
}
