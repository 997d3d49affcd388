import { createHash } from 'node:crypto';
import { ModelProvider, type ModelEvent, type ModelRequest } from '../model-provider.js';
import { AdaptationMemory } from '../profile/adaptation.js';
import { profileOf } from '../profile/vendor-profile.js';
import { seesImages } from '../sees-images.js';
import { ErrorTranslator } from '../errors/error-translator.js';
import type { HttpProviderOptions } from './http-provider-options.js';
import type { ModelCall, ModelCallOptions } from './model-call.js';
import { Scrubber } from '../errors/scrubber.js';
import { tapped } from './wire-tap.js';
import { SocketFetch } from '../../net/socket-fetch.js';
import type { Vendor } from '../errors/vendor.js';
import type { Message } from '../../protocol/message.js';

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_TURN_CHARS = 2_000_000;
/** SDKs require a key; a server that needs none ignores this one. */
const NO_KEY = 'none';

/** Constructor settings of a vendor SDK's client. */
export interface ClientSettings {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly timeout: number;
  readonly fetch: SocketFetch['fetch'];
}

/**
 * A vendor over HTTP. Its SDK sends the request; the response bytes are parsed here, at a third of
 * the cost.
 */
export abstract class HttpProvider extends ModelProvider {
  protected readonly client: ClientSettings;
  protected readonly limits: ModelCallOptions;
  private readonly sockets: SocketFetch;
  private readonly sees: (model: string) => boolean;

  constructor(vendor: Vendor, options: HttpProviderOptions & { readonly baseUrl: string }) {
    super();
    const { apiKey, baseUrl, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const proxyUrl = options.proxyFor?.(baseUrl);
    this.sockets = new SocketFetch(proxyUrl === undefined ? {} : { proxyUrl });
    this.sees = options.sees ?? seesImages;
    const scrubber = new Scrubber(apiKey);
    this.client = {
      apiKey: apiKey || NO_KEY,
      baseURL: baseUrl,
      timeout: timeoutMs,
      fetch: tapped(this.sockets.fetch),
    };
    const endpoint = endpointName(baseUrl);
    this.limits = {
      prefix: `${vendor.name}/`,
      endpoint_id: createHash('sha256').update(endpoint).digest('hex').slice(0, 16),
      memory: new AdaptationMemory(profileOf(baseUrl)),
      errors: new ErrorTranslator({
        vendor,
        scrubber,
        endpoint,
        timeout_ms: timeoutMs,
      }),
      scrubber,
      timeout_ms: timeoutMs,
      max_turn_chars: options.maxTurnChars ?? DEFAULT_MAX_TURN_CHARS,
    };
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    return {
      [Symbol.asyncIterator]: () => {
        const call = this.call(this.visible(request), signal);
        void call.run();
        return call.events;
      },
    };
  }

  /** Closes idle connections. */
  close(): void {
    this.sockets.close();
  }

  private visible(request: ModelRequest): ModelRequest {
    if (this.sees(`${this.name}/${request.model}`)) return request;
    return { ...request, messages: withoutImages(request.messages) };
  }

  protected abstract call(request: ModelRequest, signal: AbortSignal): ModelCall;
}

/** An endpoint for error messages: without user, password and query. */
function endpointName(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const BLIND =
  '[The model in use can’t see images, so it is only named here. Ask the user what is on it, or examine it with tools.]';

/** For a model that does not accept images: replaces them by a note. */
function withoutImages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    if (!('images' in message) || !message.images) return message;
    const { images: _, ...rest } = message;
    return { ...rest, content: `${message.content}\n${BLIND}` };
  });
}
