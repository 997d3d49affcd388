import OpenAI, { APIConnectionTimeoutError, APIError, type ClientOptions } from 'openai';
import { isObject } from '../../kernel/json/json.js';
import { saidIn } from '../errors/said.js';
import type { Fault } from '../errors/vendor.js';

/** The fault in an error of the client; undefined if the error is not the client's. */
export function faultOf(error: unknown): Fault | 'timeout' | 'unreachable' | undefined {
  if (error instanceof APIConnectionTimeoutError) return 'timeout';
  if (!(error instanceof APIError)) return undefined;
  return error.status === undefined ? 'unreachable' : httpFault(error);
}

function httpFault(error: APIError): Fault {
  const { status, code, type, param, message } = error as APIError & { status: number };
  const { body } = Object(error.error) as { readonly body?: unknown };
  const detail = message.replace(`${status} `, '');
  const location = error.headers?.get('location');
  const redirected = location ? `it redirects to ${location}` : detail;
  return {
    status,
    code: code ?? type ?? undefined,
    detail: status < 400 ? redirected : detail,
    ...(param && { param }),
    headers: error.headers,
    body,
  };
}

/**
 * The official client, with further environment variables and log output disabled, and without
 * retries unless given. It also supports servers whose error bodies differ from OpenAI's.
 */
export class OpenAiClient extends OpenAI {
  constructor(options: ClientOptions) {
    super({ maxRetries: 0, ...options, adminAPIKey: null, logLevel: 'off' });
  }

  protected override makeStatusError(
    status: number,
    body: object | undefined,
    text: string | undefined,
    headers: Headers,
  ): APIError {
    const { error } = Object(body) as { readonly error?: unknown };
    const fields = isObject(error) ? error : {};
    return super.makeStatusError(
      status,
      { error: { ...fields, message: saidIn(body) ?? text, body: body ?? text } },
      text,
      headers,
    );
  }
}
