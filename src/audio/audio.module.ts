import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { proxyFor } from '../config/proxy-for.js';
import { ModelRegistry } from '../models/model-registry.js';
import { ModelsModule } from '../models/models.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { audioEndpointOf } from './audio-endpoint.js';
import { AudioProvider } from './audio-provider.js';
import { AudioController } from './audio.controller.js';
import { AudioService } from './audio.service.js';
import { DemoAudioProvider } from './demo/demo-audio-provider.js';
import { MeteredAudioProvider } from './metered-audio-provider.js';
import { NoAudioProvider } from './no-audio-provider.js';

@Module({
  imports: [ModelsModule, StreamsModule],
  controllers: [AudioController],
  providers: [
    // After the models, which load the same package.
    { provide: AudioProvider, inject: [Config, Telemetry, ModelRegistry], useFactory: metered },
    AudioService,
  ],
  exports: [AudioService],
})
export class AudioModule {}

async function metered(config: Config, telemetry: Telemetry): Promise<AudioProvider> {
  const provider = await openAudio(config);
  return provider instanceof NoAudioProvider
    ? provider
    : new MeteredAudioProvider(provider, telemetry);
}

async function openAudio(config: Config): Promise<AudioProvider> {
  const endpoint = audioEndpointOf(config);
  if (endpoint === undefined) return new NoAudioProvider();
  if (endpoint === 'demo') return new DemoAudioProvider();
  const { OpenAiAudioProvider } = await import('./openai/openai-audio-provider.js');
  const { modelTimeoutMs: timeoutMs, transcribeModel, speechModel, speechVoice: voice } = config;
  const { baseUrl, apiKey } = endpoint;
  return new OpenAiAudioProvider({
    ...{ apiKey: apiKey?.reveal(), baseUrl, proxyUrl: proxyFor(config, baseUrl) },
    ...{ timeoutMs, transcribeModel, speechModel, voice },
  });
}
