import type { Problem } from './types.js';

export interface ClientOptions {
  /**
   * Address of the server, with the path under which it is mounted, if it is. In a page it may be
   * relative, such as `/`.
   */
  readonly url: string;
  /** An API key or a token; a function is called for each request, to renew it. */
  readonly key?: string | (() => string | Promise<string>) | undefined;
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface SentRequest {
  readonly query?: object | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** JSON unless it is text, a form, a file or a stream. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that refuses a request, or the reason why there is none. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';

  constructor(
    /** Status of the answer; 0 without one. */
    readonly status: number,
    /** Stable, for programs: docs/problems.md; `unreachable` without an answer. */
    readonly code: string,
    /** For people: the reason, and how to fix it. */
    readonly detail: string,
    /** The whole document, with the members that only some problems have. */
    readonly problem?: Problem & Readonly<Record<string, unknown>>,
    /** When to try again, in milliseconds, if the server says so. */
    readonly retry_after_ms?: number,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }

  /** Faults of the request, one for each field that is wrong. */
  get errors(): NonNullable<Problem['errors']> {
    return this.problem?.errors ?? [];
  }

  /** True if the same request may succeed later. */
  get isTemporary(): boolean {
    const { status } = this;
    return status === 0 || status === 408 || status === 429 || status >= 500;
  }
}

/** Requests to one server with one credential. */
export class Http {
  /** Without a slash at its end. */
  readonly url: string;
  private readonly key: ClientOptions['key'];
  /** Undefined: the global one. */
  readonly ownFetch: typeof globalThis.fetch | undefined;

  /** @throws TypeError if the address is not one */
  constructor({ url, key, fetch }: ClientOptions) {
    const { location } = globalThis as { readonly location?: { readonly href: string } };
    this.url = new URL(url, location?.href).href.replace(/\/$/, '');
    this.key = key;
    this.ownFetch = fetch;
  }

  /**
   * The answer, whose body is left to the caller.
   * @throws ParleyError if it is a refusal, or there is none
   * @throws the reason of the signal, if that is aborted
   */
  async send(method: string, path: string, request: SentRequest = {}): Promise<Response> {
    const { query, headers, body, signal } = request;
    const init = {
      method,
      headers: { ...(await this.credential()), ...typeOf(body), ...without(headers) },
      ...(body !== undefined && { body: encode(body) }),
      ...(signal && { signal }),
      ...(isStream(body) && { duplex: 'half' as const }),
      // The API has none, and another server must not get the body.
      redirect: 'manual' as const,
    };
    const response = await this.answer(this.address(path, query), init);
    if (isRedirect(response)) throw redirected(this.url, response);
    if (response.status < 400) return response;
    throw await toError(response);
  }

  address(path: string, query: object = {}): string {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) fields.append(name, String(value));
    const text = fields.toString();
    return `${this.url}${path}${text && `?${text}`}`;
  }

  /** @throws TypeError if no header can hold the key */
  async credential(): Promise<Record<string, string>> {
    const key = typeof this.key === 'function' ? await this.key() : this.key;
    if (key === undefined) return {};
    if (/[^\x20-\x7e]/.test(key))
      throw new TypeError('The key has a character that no header can hold: copy it again.');
    return { authorization: `Bearer ${key}` };
  }

  private async answer(address: string, init: RequestInit): Promise<Response> {
    try {
      return await (this.ownFetch ?? globalThis.fetch)(address, init);
    } catch (error) {
      init.signal?.throwIfAborted();
      throw unreachable(this.url, error);
    }
  }
}

/** Characters of one answer or event, which are read at once: no server of ours sends more. */
export const MAX_TEXT = 64 * 1024 * 1024;
const MAX_PROBLEM = 1024 * 1024;

/** The body as text. @throws ParleyError `too_large`, after which nothing more is read */
export async function readText(response: Response, most = MAX_TEXT): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (let length = 0; ;) {
    const { value, done } = await reader.read();
    const part = decoder.decode(value, { stream: !done });
    parts.push(part);
    length += part.length;
    if (done) return parts.join('');
    if (length <= most) continue;
    await reader.cancel().catch(() => undefined);
    throw tooLarge(response.status);
  }
}

export function tooLarge(status: number): ParleyError {
  const detail = `The server sent more than ${MAX_TEXT} characters at once. Is this the address of a Parley server?`;
  return new ParleyError(status, 'too_large', detail);
}

/** The answer is of something else than a Parley server. */
export function noAnswerOfParley(response: Response, expected: string): ParleyError {
  const type = response.headers.get('content-type') ?? 'nothing';
  const detail = `${response.url} answered ${type} where ${expected} was expected. Is this the address of a Parley server?`;
  return new ParleyError(response.status, 'not_parley', detail);
}

/** Browsers keep the status to themselves. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

function redirected(url: string, { status, headers }: Response): ParleyError {
  const target = headers.get('location') ?? 'another address';
  const detail = `${url} redirects to ${target}, and the client follows no redirect. Use the address of the server itself.`;
  return new ParleyError(status || 302, 'redirected', detail);
}

/** There is no answer, or it broke off. */
export function unreachable(url: string, cause: unknown): ParleyError {
  const { message, cause: reason } = cause as { message?: string; cause?: { message?: string } };
  const detail = `No answer from ${url}: ${reason?.message ?? message}. Is the server running?`;
  return new ParleyError(0, 'unreachable', detail, undefined, undefined, { cause });
}

/** The error that an answer holds; of a proxy, say, it is no problem document. */
export async function toError(response: Response): Promise<ParleyError> {
  const { status, statusText, headers } = response;
  const retryAfter = headers.get('retry-after');
  const text = await readText(response, MAX_PROBLEM).catch(() => '');
  const problem = readProblem(text);
  return new ParleyError(
    status,
    problem?.type.split('/').at(-1) ?? `http_${status}`,
    problem?.detail ?? `The server answered ${status} ${statusText}.`,
    problem,
    retryAfter === null ? undefined : delayOf(retryAfter),
  );
}

/** Seconds or a date, in milliseconds from now. */
function delayOf(retryAfter: string): number | undefined {
  const seconds = Number(retryAfter);
  const ms = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

function readProblem(text: string): ParleyError['problem'] {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    return typeof value?.type === 'string' ? (value as ParleyError['problem']) : undefined;
  } catch {
    return undefined;
  }
}

function encode(body: unknown): NonNullable<RequestInit['body']> {
  return isRaw(body) ? body : JSON.stringify(body);
}

function isRaw(body: unknown): body is string | Blob | FormData | ReadableStream<Uint8Array> {
  return (
    typeof body === 'string' || body instanceof Blob || body instanceof FormData || isStream(body)
  );
}

function isStream(body: unknown): body is ReadableStream<Uint8Array> {
  return body instanceof ReadableStream;
}

function typeOf(body: unknown): Record<string, string> {
  return body === undefined || isRaw(body) ? {} : { 'content-type': 'application/json' };
}

function without(headers: SentRequest['headers'] = {}): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}
