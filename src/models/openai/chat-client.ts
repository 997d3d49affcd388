import OpenAI, { type APIError, type ClientOptions } from 'openai';
import { isObject } from '../../kernel/json.js';

/**
 * The official client, with further environment variables, retries and log output disabled. It
 * also supports servers whose error bodies differ from OpenAI's.
 */
export class ChatClient extends OpenAI {
  constructor(options: ClientOptions) {
    super({ ...options, adminAPIKey: null, maxRetries: 0, logLevel: 'off' });
  }

  protected override makeStatusError(
    status: number,
    body: object | undefined,
    text: string | undefined,
    headers: Headers,
  ): APIError {
    const usual = isObject(body) && isObject(body.error) ? body : undefined;
    return super.makeStatusError(
      status,
      usual ?? { error: { message: messageOf(body) ?? text } },
      text,
      headers,
    );
  }
}

function messageOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const message = body.error ?? body.message ?? body.detail ?? body;
  return typeof message === 'string' ? message : JSON.stringify(message);
}
