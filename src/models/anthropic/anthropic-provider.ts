import type { ModelRequest } from '../model-provider.js';
import { HttpProvider } from '../http/http-provider.js';
import type { HttpProviderOptions } from '../http/http-provider-options.js';
import { AnthropicCall } from './anthropic-call.js';
import { AnthropicClient } from './anthropic-client.js';
import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import type { Fault, Vendor } from '../errors/vendor.js';
import { saidIn } from '../errors/said.js';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';

/** Anthropic's Messages API, or a compatible endpoint. */
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

const ANTHROPIC: Vendor = {
  name: 'anthropic',
  fault: (error) => {
    if (error instanceof APIConnectionTimeoutError) return 'timeout';
    if (!(error instanceof APIError)) return undefined;
    return error.status === undefined ? 'unreachable' : httpFault(error);
  },
  statuses: new Map([
    ['invalid_request_error', 400],
    ['authentication_error', 401],
    ['billing_error', 402],
    ['permission_error', 403],
    ['not_found_error', 404],
    ['request_too_large', 413],
    ['rate_limit_error', 429],
    ['api_error', 500],
    ['timeout_error', 504],
    ['overloaded_error', 529],
  ]),
  advice: {
    key: ' Check ANTHROPIC_API_KEY.',
    not_found: " Check the model's name, and ANTHROPIC_BASE_URL.",
    url: ' Check ANTHROPIC_BASE_URL, and that the server runs.',
    bad_response: ' Check ANTHROPIC_BASE_URL: a path of /v1/messages is added to it.',
  },
};

function httpFault({ status = 0, error, message, headers, type }: APIError): Fault {
  const location = headers?.get('location');
  const said = saidIn(error) ?? message.replace(`${status} `, '');
  const detail = location ? `it redirects to ${location}` : said;
  return {
    status,
    code: type ?? undefined,
    detail,
    body: error ?? message,
    ...(headers && { headers }),
  };
}
