import { APIConnectionTimeoutError, APIError } from 'openai';
import { AppError } from '../../kernel/app-error.js';
import { ModelError, type ModelErrorCode } from '../model-error.js';
import { LineTooLong } from '../wire/line-too-long.js';
import { BadResponse } from './bad-response.js';
import { isObject } from './chat-chunk.js';
import { retryAfter } from './retry-after.js';
import type { Scrubber } from './scrubber.js';
import { StreamedError } from './streamed-error.js';

const MAX_DETAIL = 500;
/** Faults reported within a stream, without a status, that trying again doesn't mend. */
const LASTING = new Set([
  'invalid_request_error',
  'context_length_exceeded',
  'invalid_api_key',
  'model_not_found',
]);
const NO_QUOTA = 'insufficient_quota';
const RETRYABLE = new Set([408, 409, 429]);

interface Fault {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly detail: string;
  readonly headers?: Headers;
}

/** Makes one `ModelError` of whatever went wrong, which says what to check and never shows the key. */
export class ErrorTranslator {
  constructor(
    /** Names the endpoint in messages. */
    private readonly endpoint: string,
    private readonly scrubber: Scrubber,
    private readonly timeoutMs: number,
  ) {}

  /** An error that no server or network can cause is answered as it is. */
  translate(error: unknown): unknown {
    if (error instanceof AppError) return error;
    if (error instanceof StreamedError) return this.fromFault(streamedFault(error.detail), error);
    if (error instanceof BadResponse) return this.badResponse(error);
    if (error instanceof APIConnectionTimeoutError) return this.timeout();
    if (error instanceof LineTooLong) return this.tooLong(error);
    if (!(error instanceof APIError)) return error;
    return error.status === undefined
      ? this.unreachable(error)
      : this.fromFault(httpFault(error), error);
  }

  timeout(): ModelError {
    const message = `${this.name} sent nothing for ${this.timeoutMs / 1000} s. Check that it is up, and not busy with something else.`;
    return new ModelError('model_timeout', message, { retryable: true });
  }

  cutOff(error?: unknown): ModelError {
    const message = `${this.name} closed the connection in the middle of its answer.`;
    return new ModelError('model_cut_off', message, {
      retryable: true,
      cause: error && this.scrubber.cause(error),
    });
  }

  private get name(): string {
    return `The model API at ${this.endpoint}`;
  }

  private fromFault(fault: Fault, error: unknown): ModelError {
    const { code, advice } = verdictOf(fault);
    const status = fault.status === undefined ? '' : ` (${fault.status})`;
    const message = `${this.name} ${advice[0]}${status}: ${this.shown(fault.detail)}${advice[1]}`;
    const retry_after_ms = retryAfter(fault.headers, Date.now());
    return new ModelError(code, message, {
      retryable: isRetryable(fault),
      ...(fault.status !== undefined && { status: fault.status }),
      ...(retry_after_ms !== undefined && { retry_after_ms }),
      cause: this.scrubber.cause(error),
    });
  }

  private badResponse({ what, sample }: BadResponse): ModelError {
    const text = this.scrubber.scrub(sample).slice(0, 200);
    const quoted = text === '' ? '' : `: "${text}"`;
    const message = `${this.name} answered with ${what}${quoted}. Check OPENAI_BASE_URL: it usually ends in /v1.`;
    return new ModelError('model_bad_response', message, { retryable: false });
  }

  private tooLong({ message }: LineTooLong): ModelError {
    return new ModelError('model_bad_response', `${this.name} sent too much at once: ${message}.`, {
      retryable: false,
    });
  }

  private unreachable(error: unknown): ModelError {
    const reason = this.shown(rootReason(error));
    const message = `${this.name} can't be reached: ${reason} Check OPENAI_BASE_URL, and that the server runs.`;
    return new ModelError('model_unreachable', message, {
      retryable: true,
      cause: this.scrubber.cause(error),
    });
  }

  /** Somebody else's words as a sentence of ours. */
  private shown(text: string): string {
    const line = this.scrubber.scrub(text).replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL);
    return /[.!?]$/.test(line) ? line : `${line}.`;
  }
}

interface Verdict {
  readonly code: ModelErrorCode;
  /** What the server did, and what to do about it. */
  readonly advice: readonly [string, string];
}

function verdictOf({ status, code }: Pick<Fault, 'status' | 'code'>): Verdict {
  if (code === NO_QUOTA)
    return {
      code: 'model_rate_limited',
      advice: ['has no quota left', ' Check the plan and its billing.'],
    };
  if (status === undefined)
    return verdictOf({ status: isLasting(code) ? 400 : 500, code: undefined });
  if (status === 401 || status === 403)
    return { code: 'model_auth', advice: ['refused the key', ' Check OPENAI_API_KEY.'] };
  if (status === 404) {
    return {
      code: 'model_not_found',
      advice: [
        'found nothing there',
        " Check the model's name, and that OPENAI_BASE_URL ends in /v1.",
      ],
    };
  }
  if (status === 429) return { code: 'model_rate_limited', advice: ['is limiting the rate', ''] };
  if (status === 408 || status === 504) return { code: 'model_timeout', advice: ['timed out', ''] };
  if (status === 409 || status >= 500)
    return { code: 'model_overloaded', advice: ['has a problem', ''] };
  if (status >= 400) return { code: 'model_refused', advice: ['refused the request', ''] };
  return {
    code: 'model_bad_response',
    advice: ['did not answer the request itself', ' Check OPENAI_BASE_URL.'],
  };
}

function isRetryable({ status, code, headers }: Fault): boolean {
  const asked = headers?.get('x-should-retry');
  if (asked === 'true' || asked === 'false') return asked === 'true';
  if (code === NO_QUOTA) return false;
  return status === undefined ? !isLasting(code) : status >= 500 || RETRYABLE.has(status);
}

function isLasting(code: string | undefined): boolean {
  return code !== undefined && LASTING.has(code);
}

function httpFault(error: APIError): Fault {
  const { status, code, type, message } = error as APIError & { status: number };
  const detail = message.replace(`${status} `, '');
  const location = error.headers?.get('location');
  const redirected = location ? `it redirects to ${location}` : detail;
  return {
    status,
    code: code ?? type ?? undefined,
    detail: status < 400 ? redirected : detail,
    headers: error.headers,
  };
}

/** Servers put a text, or an object with a message, and a number or a word as its code. */
function streamedFault(detail: unknown): Fault {
  if (!isObject(detail)) return { status: undefined, code: undefined, detail: String(detail) };
  const { message, code, type } = detail;
  const number = Number(code ?? detail.status);
  const word = [code, type].find(
    (value) => typeof value === 'string' && Number.isNaN(Number(value)),
  );
  return {
    status: number >= 400 && number < 600 ? number : undefined,
    code: word as string | undefined,
    detail: typeof message === 'string' ? message : JSON.stringify(detail),
  };
}

/** The innermost reason: what the socket said, not that a request failed. */
function rootReason(error: unknown): string {
  let root = error;
  for (let depth = 0; depth < 8 && root instanceof Error && root.cause instanceof Error; depth++)
    root = root.cause;
  if (!(root instanceof Error)) return String(root);
  const { code } = root as NodeJS.ErrnoException;
  return root.message || code || root.name;
}
