import { AppError } from '../../kernel/app-error.js';
import { ModelError, type ModelErrorCode } from '../model-error.js';
import { BadResponse, LineTooLong, StreamedError } from './answer-errors.js';
import { isObject } from '../../kernel/json/json.js';
import { BadCoding } from '../../net/decoded.js';
import { saidIn } from './said.js';
import { statedLimit } from './stated-limit.js';
import type { Scrubber } from './scrubber.js';
import type { Fault, Vendor } from './vendor.js';
import { cutText } from '../../kernel/text/cut-text.js';

const MAX_DETAIL = 500;
const NO_QUOTA = 'insufficient_quota';
const RETRYABLE = new Set([408, 409, 429]);
const TOO_MANY = 429;
/** A longer wait is named in the error. */
const LONG_WAIT_MS = 60_000;
const REFUSALS = new Set([400, 404, 422]);

export interface ErrorTranslatorOptions {
  readonly vendor: Vendor;
  /** Name of the endpoint in error messages. */
  readonly endpoint: string;
  readonly scrubber: Scrubber;
  /** Idle timeout in milliseconds. */
  readonly timeout_ms: number;
}

/**
 * Converts every error to a `ModelError`, whose message names the thing to check and never contains
 * the API key.
 */
export class ErrorTranslator {
  constructor(private readonly options: ErrorTranslatorOptions) {}

  /** The vendor's refusal of a request as it is; undefined for every other error. */
  refusalIn(error: unknown): Fault | undefined {
    const fault =
      error instanceof StreamedError ? this.streamedFault(error) : this.options.vendor.fault(error);
    if (fault === undefined || typeof fault === 'string') return undefined;
    const { status } = fault;
    const isRefusal = status === undefined || REFUSALS.has(status) || isOfTemplate(fault);
    return isRefusal && !isTooLong(fault, fault.status ?? 0) ? fault : undefined;
  }

  /** Returns an error that no server or network can cause unchanged. */
  translate(error: unknown): unknown {
    if (error instanceof AppError) return error;
    if (error instanceof StreamedError) return this.fromFault(this.streamedFault(error), error);
    if (error instanceof BadResponse) return this.badResponse(error);
    if (error instanceof LineTooLong) return this.unreadable(error);
    if (error instanceof BadCoding) return this.unreadable(error);
    const fault = this.options.vendor.fault(error);
    if (fault === undefined) return error;
    if (fault === 'timeout') return this.timeout();
    return fault === 'unreachable' ? this.unreachable(error) : this.fromFault(fault, error);
  }

  timeout(): ModelError {
    const message = `${this.name} sent nothing for ${this.options.timeout_ms / 1000} s. Check that it is up, and not busy with something else.`;
    return new ModelError('model_timeout', message, { retryable: true });
  }

  cutOff(error: unknown, { hasBegun }: { readonly hasBegun: boolean }): ModelError {
    const place = hasBegun ? 'in the middle of its answer' : 'without an answer';
    const message = `${this.name} closed the connection ${place}.`;
    return new ModelError('model_cut_off', message, {
      retryable: true,
      cause: error && this.options.scrubber.cause(error),
    });
  }

  private get name(): string {
    return `The model API at ${this.options.endpoint}`;
  }

  private fromFault(fault: Fault, error: unknown): ModelError {
    const { wait_ms, daily } = this.isRetryable(fault) ? statedLimit(fault.body) : {};
    const isDaily = daily !== undefined && (fault.status ?? TOO_MANY) === TOO_MANY;
    const { code, advice } = isDaily ? this.usedUp(daily) : this.verdictOf(fault);
    const status = fault.status === undefined ? '' : ` (${fault.status})`;
    const retry_after_ms = longest(retryAfter(fault.headers, Date.now()), wait_ms);
    const message = `${this.name} ${advice[0]}${status}: ${this.shown(fault.detail)}${advice[1]}${asking(retry_after_ms)}`;
    return new ModelError(code, message, {
      retryable: !isDaily && this.isRetryable(fault),
      ...(fault.status !== undefined && { status: fault.status }),
      ...(retry_after_ms !== undefined && { retry_after_ms }),
      cause: this.options.scrubber.cause(error),
    });
  }

  private badResponse({ what, sample }: BadResponse): ModelError {
    const text = cutText(this.options.scrubber.scrub(sample), 200);
    const quoted = text === '' ? '' : `: "${text}"`;
    const message = `${this.name} answered with ${what}${quoted}.${this.options.vendor.advice.bad_response}`;
    return new ModelError('model_bad_response', message, { retryable: false });
  }

  private unreadable({ message }: Error): ModelError {
    return new ModelError(
      'model_bad_response',
      `${this.name} sent what can’t be read: ${message}.`,
      { retryable: false },
    );
  }

  private unreachable(error: unknown): ModelError {
    const reason = this.shown(rootReason(error));
    const message = `${this.name} can't be reached: ${reason}${this.options.vendor.advice.url}`;
    return new ModelError('model_unreachable', message, {
      retryable: true,
      cause: this.options.scrubber.cause(error),
    });
  }

  /** Redacts and bounds external text, and makes it a sentence. */
  private shown(text: string): string {
    const line = cutText(this.options.scrubber.scrub(text).replace(/\s+/g, ' ').trim(), MAX_DETAIL);
    return /[.!?]$/.test(line) ? line : `${line}.`;
  }

  /** Servers send a text, or an object with a message and a number or a word as its code. */
  private streamedFault({ detail }: StreamedError): Fault {
    if (!isObject(detail))
      return { status: undefined, code: undefined, detail: String(detail), body: detail };
    const { code, type, param } = detail;
    const number = Number(code ?? detail.status);
    const word = [code, type].find(
      (value) => typeof value === 'string' && Number.isNaN(Number(value)),
    );
    return {
      status: number >= 400 && number < 600 ? number : undefined,
      code: word as string | undefined,
      detail: saidIn(detail) ?? '',
      body: detail,
      ...(typeof param === 'string' && { param }),
    };
  }

  /** The status of the HTTP response, or the status that corresponds to the vendor's error code. */
  private statusOf({ status, code }: Fault): number {
    return status ?? this.options.vendor.statuses.get(code ?? '') ?? 500;
  }

  private isRetryable(fault: Fault): boolean {
    const asked = fault.headers?.get('x-should-retry');
    if (asked === 'true' || asked === 'false') return asked === 'true';
    const status = this.statusOf(fault);
    if (fault.code === NO_QUOTA || isTooLong(fault, status)) return false;
    return status >= 500 || RETRYABLE.has(status);
  }

  private usedUp(quota: string): Verdict {
    const did = `has no quota of the day left (${this.options.scrubber.scrub(quota)})`;
    return verdict('model_rate_limited', did, ' Check the plan, or go on when the day is over.');
  }

  private verdictOf(fault: Fault): Verdict {
    if (fault.code === NO_QUOTA)
      return verdict('model_rate_limited', 'has no quota left', ' Check the plan and its billing.');
    const { advice } = this.options.vendor;
    const status = this.statusOf(fault);
    if (status === 401 || status === 403)
      return verdict('model_auth', 'refused the key', advice.key);
    if (status === 404) return verdict('model_not_found', 'found nothing there', advice.not_found);
    if (status === 429) return verdict('model_rate_limited', 'is limiting the rate');
    if (status >= 400 && isTooLong(fault, status)) return TOO_LONG;
    if (status === 408 || status === 504) return verdict('model_timeout', 'timed out');
    if (status === 409 || status >= 500) return verdict('model_overloaded', 'has a problem');
    if (status >= 400) return verdict('model_refused', 'refused the request');
    return verdict('model_bad_response', 'did not answer the request itself', advice.url);
  }
}

function verdict(code: ModelErrorCode, did: string, advice = ''): Verdict {
  return { code, advice: [did, advice] };
}

const TOO_LONG = verdict('model_context_exceeded', 'does not take so long a request');

interface Verdict {
  readonly code: ModelErrorCode;
  /** The fault of the server, and advice for the operator. */
  readonly advice: readonly [string, string];
}

/** The root cause: the socket's error instead of "request failed". */
function rootReason(error: unknown): string {
  let root = error;
  for (let depth = 0; depth < 8 && root instanceof Error && root.cause instanceof Error; depth++)
    root = root.cause;
  if (!(root instanceof Error)) return String(root);
  const { code } = root as NodeJS.ErrnoException;
  return root.message || code || root.name;
}

/** Phrases of vendors and of self-hosted servers. */
// regex: on MAX_SEARCHED characters
const WORDS = new RegExp(
  [
    'context[ _](?:length|window|size|limit)',
    '(?:prompt|input|request|message|messages) (?:is|are) too (?:long|large)',
    'too many (?:input |prompt |total )?tokens',
    'input (?:token count|length)[^.]{0,60}(?:exceed|should be|too)',
    'maximum (?:prompt|model|input|sequence|number of (?:input )?tokens)[ _](?:length|allowed)',
    'maximum number of (?:input )?tokens allowed',
    '(?:prompt|model|total|input)[ _]tokens? (?:limit|count)[^.]{0,40}exceed',
    'exceed(?:s|ed)?[^.]{0,40}(?:model )?token limit',
    'range of input length',
    'longer than the (?:maximum )?(?:model|context|sequence)',
    'reduce the length of',
    'max_tokens must be at least 1, got -',
    '(?:prompt|input|context) exceeds? (?:the )?max(?:imum)? (?:\\w{1,20} )?length',
    'token limit exceeded',
  ].join('|'),
  'i',
);
const CODE =
  /^(?:context_length_exceeded|context_window_exceeded|exceed_context_size_error|request_too_large)$/;
const PAYLOAD_TOO_LARGE = 413;
/** The reason stands at the beginning of an error; the request may be repeated behind it. */
const MAX_SEARCHED = 4_000;

/** True if a request was rejected because it has more tokens than the model accepts. */
export function isTooLong({ code = '', detail }: Fault, status: number): boolean {
  if (/^rate_limit|tokens per (?:min|day)|\bTPM\b/i.test(`${code} ${detail}`)) return false;
  return (
    status === PAYLOAD_TOO_LARGE || CODE.test(code) || WORDS.test(detail.slice(0, MAX_SEARCHED))
  );
}

const TEMPLATE = /jinja|chat template|roles must alternate/i;

/** Local servers say with a 500 that the template of a model does not take the messages. */
function isOfTemplate({ status, detail }: Fault): boolean {
  return status === 500 && TEMPLATE.test(detail.slice(0, MAX_SEARCHED));
}

/**
 * The vendor's requested delay in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as
 * a date. `now` is the wall clock in milliseconds. Undefined if the header is missing or
 * unreadable.
 */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = numberOf(headers?.get('retry-after-ms'));
  if (exact !== undefined) return Math.max(0, exact);
  const text = headers?.get('retry-after');
  const seconds = numberOf(text);
  if (seconds !== undefined) return Math.max(0, seconds * 1000);
  const date = Date.parse(text ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function asking(wait_ms = 0): string {
  return wait_ms > LONG_WAIT_MS ? ` It asks for a wait of ${Math.ceil(wait_ms / 1_000)} s.` : '';
}

function longest(...waits: readonly (number | undefined)[]): number | undefined {
  const stated = waits.filter((wait) => wait !== undefined);
  return stated.length > 0 ? Math.max(...stated) : undefined;
}

function numberOf(text: string | null | undefined): number | undefined {
  if (!text?.trim()) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
