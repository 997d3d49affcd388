import { Module } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { warnOfUndecorated } from '../kernel/warn-of-undecorated.js';
import { ConfigError } from '../config/config-error.js';
import { Config } from '../config/config.js';
import { proxyFor } from '../config/proxy-for.js';
import type { Secret } from '../config/secrets/secret.js';
import { messageOf } from '../kernel/app-error.js';
import { DemoProvider } from './demo/demo-provider.js';
import { ModelProvider, ModelVendor } from './model-provider.js';
import { ModelRegistry } from './model-registry.js';
import { seesImages } from './sees-images.js';
import type { HttpProviderOptions } from './http/http-provider-options.js';

const MODELS = { base: ModelProvider, decorator: ModelVendor, written: '@ModelVendor()' };

@Module({
  imports: [DiscoveryModule],
  providers: [{ provide: ModelRegistry, inject: [Config], useFactory: openModels }],
  exports: [ModelRegistry],
})
export class ModelsModule implements OnModuleInit {
  constructor(
    private readonly registry: ModelRegistry,
    private readonly discovery: DiscoveryService,
  ) {}

  /** @throws ConfigError when no provider serves the default */
  onModuleInit(): void {
    const found = this.discovery.getProviders({ metadataKey: ModelVendor.KEY });
    for (const { instance, name } of found) this.registry.add(requireVendor(instance, name));
    warnOfUndecorated(this.discovery, MODELS);
    try {
      this.registry.resolve();
    } catch (cause) {
      throw new ConfigError([{ variable: 'MODEL', problem: messageOf(cause) }], { cause });
    }
  }
}

function requireVendor(instance: unknown, name: unknown): ModelProvider {
  if (instance instanceof ModelProvider) return instance;
  throw new Error(`@ModelVendor() is on ${String(name)}, which does not extend ModelProvider.`);
}

async function openModels(config: Config): Promise<ModelRegistry> {
  const { modelMaxOutputTokens: max_output_tokens, modelThinking: thinking } = config;
  return new ModelRegistry(await openProviders(config), config.model, {
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(thinking !== undefined && { thinking }),
  });
}

/**
 * Opens each vendor that has an API key or an endpoint, and the demo. A vendor's SDK is loaded only
 * if the vendor is used.
 */
async function openProviders(config: Config): Promise<ModelProvider[]> {
  const { openaiApiKey, openaiBaseUrl, anthropicApiKey, anthropicBaseUrl } = config;
  const providers: ModelProvider[] = [new DemoProvider()];
  if (openaiApiKey || openaiBaseUrl) {
    const { OpenAiProvider } = await import('./openai/openai-provider.js');
    providers.unshift(new OpenAiProvider(optionsOf(config, openaiApiKey, openaiBaseUrl)));
  }
  if (anthropicApiKey || anthropicBaseUrl) {
    const { AnthropicProvider } = await import('./anthropic/anthropic-provider.js');
    const options = optionsOf(config, anthropicApiKey, anthropicBaseUrl);
    providers.splice(-1, 0, new AnthropicProvider(options));
  }
  return providers;
}

function optionsOf(
  config: Config,
  apiKey: Secret | undefined,
  baseUrl: string | undefined,
): HttpProviderOptions {
  const { modelTimeoutMs: timeoutMs, modelImages } = config;
  const sees = (model: string): boolean => seesImages(model, modelImages);
  return {
    timeoutMs,
    sees,
    proxyFor: (url) => proxyFor(config, url),
    ...(apiKey && { apiKey: apiKey.reveal() }),
    ...(baseUrl && { baseUrl }),
  };
}
