import type { ModelRequest } from '../model-provider.js';
import { HttpProvider } from '../wire/http-provider.js';
import type { HttpProviderOptions } from '../wire/http-provider-options.js';
import { ChatClient } from './chat-client.js';
import { OpenAiCall } from './openai-call.js';
import { OPENAI } from './openai-vendor.js';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/** Any OpenAI-compatible endpoint, over Chat Completions. */
export class OpenAiProvider extends HttpProvider {
  readonly name = 'openai';
  private readonly chat: ChatClient;

  constructor(options: HttpProviderOptions = {}) {
    super(OPENAI, { baseUrl: DEFAULT_BASE_URL, ...options });
    this.chat = new ChatClient(this.client);
  }

  protected override call(request: ModelRequest, signal: AbortSignal): OpenAiCall {
    return new OpenAiCall({ ...this.limits, client: this.chat }, request, signal);
  }
}
