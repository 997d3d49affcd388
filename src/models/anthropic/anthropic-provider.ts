import type { ModelRequest } from '../model-provider.js';
import { HttpProvider } from '../wire/http-provider.js';
import type { HttpProviderOptions } from '../wire/http-provider-options.js';
import { AnthropicCall } from './anthropic-call.js';
import { AnthropicClient } from './anthropic-client.js';
import { ANTHROPIC } from './anthropic-vendor.js';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';

/** Anthropic's Messages API, or an endpoint that is compatible with it. */
export class AnthropicProvider extends HttpProvider {
  readonly name = 'anthropic';
  private readonly messages: AnthropicClient;

  constructor(options: HttpProviderOptions = {}) {
    const { baseUrl = DEFAULT_BASE_URL } = options;
    super(ANTHROPIC, { ...options, baseUrl: baseUrl.replace(/\/(v1\/?)?$/, '') });
    this.messages = new AnthropicClient(this.client);
  }

  protected override call(request: ModelRequest, signal: AbortSignal): AnthropicCall {
    return new AnthropicCall({ ...this.limits, client: this.messages }, request, signal);
  }
}
