import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';

/**
 * The official client, with its environment variables, OpenTelemetry tracing, retries and log
 * output disabled.
 */
export class AnthropicClient extends Anthropic {
  constructor(options: ClientOptions) {
    super({
      ...options,
      webhookKey: null,
      openTelemetry: false,
      maxRetries: 0,
      logLevel: 'off',
    });
  }
}
