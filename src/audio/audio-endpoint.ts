import type { Config } from '../config/config.js';
import type { Secret } from '../config/secrets/secret.js';

const OPENAI_URL = 'https://api.openai.com/v1';

/** Where audio is made: an endpoint of OpenAI's kind, or the demo, which needs none. */
export type AudioEndpoint =
  'demo' | { readonly baseUrl: string; readonly apiKey: Secret | undefined };

/** Undefined: there is none. */
export function audioEndpointOf(config: Config): AudioEndpoint | undefined {
  const { audioApiKey, audioBaseUrl, openaiApiKey, openaiBaseUrl } = config;
  if (audioApiKey || audioBaseUrl)
    return { baseUrl: audioBaseUrl ?? OPENAI_URL, apiKey: audioApiKey };
  if (openaiApiKey && !openaiBaseUrl) return { baseUrl: OPENAI_URL, apiKey: openaiApiKey };
  return config.model === 'demo/script' ? 'demo' : undefined;
}
