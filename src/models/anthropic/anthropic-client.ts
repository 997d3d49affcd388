import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';

/** The official client, without what it would read from the environment, tell others of its calls, or print. */
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
