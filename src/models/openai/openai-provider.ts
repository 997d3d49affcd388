import { ModelProvider, type ModelEvent, type ModelRequest } from '../model-provider.js';
import { SocketFetch } from '../wire/socket-fetch.js';
import { ChatClient } from './chat-client.js';
import { chatRequest } from './chat-request.js';
import { ErrorTranslator } from './error-translator.js';
import { OpenAiCall, type OpenAiCallOptions } from './openai-call.js';
import type { OpenAiOptions } from './openai-options.js';
import { Scrubber } from './scrubber.js';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_TURN_CHARS = 2_000_000;
/** The SDK insists on a key; a server that needs none ignores this one. */
const NO_KEY = 'none';

/** Any OpenAI-compatible endpoint, over Chat Completions. The SDK asks; the answer's bytes we read ourselves, which costs a third. */
export class OpenAiProvider extends ModelProvider {
  readonly name = 'openai';
  private readonly call: OpenAiCallOptions;
  private readonly sockets: SocketFetch;

  constructor(options: OpenAiOptions = {}) {
    super();
    const {
      apiKey,
      baseUrl = DEFAULT_BASE_URL,
      proxyUrl,
      timeoutMs = DEFAULT_TIMEOUT_MS,
    } = options;
    this.sockets = new SocketFetch(proxyUrl === undefined ? {} : { proxyUrl });
    const scrubber = new Scrubber(apiKey);
    this.call = {
      client: new ChatClient({
        apiKey: apiKey || NO_KEY,
        baseURL: baseUrl,
        timeout: timeoutMs,
        fetch: this.sockets.fetch,
      }),
      errors: new ErrorTranslator(nameOf(baseUrl), scrubber, timeoutMs),
      scrubber,
      timeout_ms: timeoutMs,
      max_turn_chars: options.maxTurnChars ?? DEFAULT_MAX_TURN_CHARS,
    };
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    return {
      [Symbol.asyncIterator]: () => {
        const call = new OpenAiCall(this.call, signal);
        void call.run(chatRequest(request));
        return call.events;
      },
    };
  }

  /** Closes idle connections. */
  close(): void {
    this.sockets.close();
  }
}

/** An endpoint as messages show it: without user, password and query. */
function nameOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
