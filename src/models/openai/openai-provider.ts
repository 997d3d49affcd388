import type { ModelRequest } from '../model-provider.js';
import { wellFormed } from '../http/well-formed.js';
import { HttpProvider } from '../http/http-provider.js';
import type { HttpProviderOptions } from '../http/http-provider-options.js';
import type { Vendor } from '../errors/vendor.js';
import { ModelCall } from '../http/model-call.js';
import type { AdaptedRequest, ModelCallOptions } from '../http/model-call.js';
import { chatRequest, type ChatParams } from './chat-request.js';
import { ChatTurn } from './chat-turn.js';
import { faultOf, OpenAiClient } from './openai-client.js';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/** Any OpenAI-compatible endpoint, through Chat Completions. */
export class OpenAiProvider extends HttpProvider {
  readonly name = 'openai';
  private readonly chat: OpenAiClient;

  constructor(options: HttpProviderOptions = {}) {
    super(OPENAI, { baseUrl: DEFAULT_BASE_URL, ...options });
    this.chat = new OpenAiClient(this.client);
  }

  protected override call(request: ModelRequest, signal: AbortSignal): OpenAiCall {
    return new OpenAiCall({ ...this.limits, client: this.chat }, request, signal);
  }
}

const REFUSED = 400;
const URL_HINT = 'ends in /v1.';

const OPENAI: Vendor = {
  name: 'openai',
  fault: faultOf,
  statuses: new Map(
    ['invalid_request_error', 'context_length_exceeded', 'invalid_api_key', 'model_not_found'].map(
      (word) => [word, REFUSED],
    ),
  ),
  advice: {
    key: ' Check OPENAI_API_KEY.',
    not_found: ` Check the model's name, and that OPENAI_BASE_URL ${URL_HINT}`,
    url: ' Check OPENAI_BASE_URL, and that the server runs.',
    bad_response: ` Check OPENAI_BASE_URL: it usually ${URL_HINT}`,
  },
};

interface OpenAiCallOptions extends ModelCallOptions {
  readonly client: OpenAiClient;
}

class OpenAiCall extends ModelCall {
  constructor(
    private readonly options: OpenAiCallOptions,
    request: ModelRequest,
    signal: AbortSignal,
  ) {
    super(options, request, signal);
  }

  protected override body({ wire, adaptation }: AdaptedRequest): ChatParams {
    return chatRequest(wire.request, { adaptation, endpoint: this.options.endpoint_id });
  }

  protected override async answer(request: AdaptedRequest, stopped: AbortSignal): Promise<void> {
    const { client, scrubber, max_turn_chars, endpoint_id: endpoint } = this.options;
    const body = wellFormed(this.body(request));
    const response = client.chat.completions.create(body, { signal: stopped });
    const turn = new ChatTurn({
      author: { model: body.model, endpoint },
      emit: (event) => this.emit(request.wire, event),
      scrub: scrubber.scrub,
      max_chars: max_turn_chars,
    });
    await this.read(await response.asResponse(), turn);
  }
}
