import { AppError } from '../kernel/app-error.js';
import { AudioProvider } from './audio-provider.js';

/** Where no endpoint for audio is configured. */
export class NoAudioProvider extends AudioProvider {
  get formats(): never {
    throw noAudio();
  }

  async transcribe(): Promise<never> {
    throw noAudio();
  }

  async speak(): Promise<never> {
    throw noAudio();
  }
}

function noAudio(): AppError {
  const message =
    'This server has no endpoint for audio. AUDIO_BASE_URL or AUDIO_API_KEY sets one.';
  return new AppError('unavailable', 'audio_unavailable', message);
}
