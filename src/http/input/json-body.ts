/// <reference lib="es2024.string" />
import express from 'express';
import type { NextFunction, Request, RequestHandler } from 'express';
import { isSealed } from '../../encryption/sealed-text.js';
import { AppError } from '../../kernel/app-error.js';
import { findInexact } from '../../kernel/exact-json.js';
import { measureJson } from '../../kernel/json.js';

/** Bytes, after decompression. */
const BODY_LIMIT = 1024 * 1024;
/** Levels of nesting. */
const MAX_DEPTH = 64;
/** Values in a body: what walks them holds up everybody. */
const MAX_VALUES = 20_000;
/** Fields of one object in a body. */
const MAX_FIELDS = 1_000;
/** Session logs and files are too long for memory: the controller streams them. */
const STREAMED = /^\/(chats\/import|files)\/?$/i;
const JSON_TYPES = ['application/json', 'application/*+json'];

/**
 * Parses bodies, which have to be JSON objects of up to 1 MiB, and cleans them. No body is fine
 * here.
 */
export function jsonBody(): RequestHandler {
  const reading = { limit: BODY_LIMIT, strict: false, type: JSON_TYPES };
  const parse = express.json({
    ...reading,
    verify: (_request, _response, body, charset) => {
      checkSize(body);
      checkNumbers(new TextDecoder(charset).decode(body));
    },
  });
  return (request, response, next) => {
    if (!hasBody(request) || STREAMED.test(request.path)) next();
    else if (!request.is(JSON_TYPES)) next(notJson(request));
    else if (isTooLong(request)) next(bodyTooLarge());
    else {
      const done = untilTooLong(request, next);
      parse(request, response, (error) => done(error ? toAppError(error) : clean(request)));
    }
  };
}

/**
 * Refuses a body as soon as it is too long on its way, compressed or not: the parser tells of its
 * errors when all of it has arrived.
 * @returns what to call instead of `next`
 */
function untilTooLong(request: Request, next: NextFunction): NextFunction {
  let received = 0;
  const done = (error?: unknown): void => {
    request.off('data', count);
    if (received <= BODY_LIMIT) next(error);
  };
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    if (received <= BODY_LIMIT) return;
    request.off('data', count);
    next(bodyTooLarge());
  };
  request.on('data', count);
  return done;
}

/**
 * The copy of a body that did not come over HTTP, with the same limits.
 * @throws AppError `body_too_large`, `too_deep`, `invalid_body`, `invalid_text`
 */
export function copyBody(body: object): object {
  const bytes = Buffer.from(JSON.stringify(body));
  if (bytes.length > BODY_LIMIT) throw bodyTooLarge();
  checkSize(bytes);
  const copy = JSON.parse(bytes.toString()) as object;
  const fault = clean({ body: copy });
  if (fault) throw fault;
  return copy;
}

function hasBody({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The parser would read all of it before it refuses. */
function isTooLong({ headers }: Request): boolean {
  const isPlain = headers['content-encoding'] === undefined;
  return isPlain && Number(headers['content-length'] ?? 0) > BODY_LIMIT;
}

function notJson({ headers }: Request): AppError {
  const type = headers['content-type'];
  const found = type ? `not ${type.slice(0, 100)}` : 'and the Content-Type is missing';
  const message = `The body has to be application/json, ${found}.`;
  return new AppError('unsupported', 'unsupported_media_type', message);
}

/** Before parsing: the parser would recurse. */
function checkSize(body: Buffer): void {
  const { depth, values, fields } = measureJson(body, MAX_DEPTH);
  if (depth > MAX_DEPTH) throw tooDeep();
  if (values > MAX_VALUES) throw tooMany(`more than ${MAX_VALUES} values`);
  if (fields > MAX_FIELDS) throw tooMany(`an object with more than ${MAX_FIELDS} fields`);
}

function tooMany(found: string): AppError {
  const message = `The body has ${found}. Send less, or the rest in another request.`;
  return new AppError('invalid', 'invalid_body', message);
}

/** A number must arrive as it was sent: an approval of other digits would be for another call. */
function checkNumbers(json: string): void {
  const number = findInexact(json);
  if (number === undefined) return;
  const message = `The body has the number ${number.slice(0, 100)}, which would be changed: send it as a string.`;
  throw new AppError('invalid', 'inexact_number', message);
}

function clean({ body }: { readonly body?: unknown }): AppError | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return new AppError('invalid', 'invalid_body', 'The body has to be a JSON object: {…}');
  try {
    cleanJson(body);
  } catch (error) {
    return error as AppError;
  }
  return undefined;
}

interface ParserError extends Error {
  readonly type: string;
}

function toAppError(error: ParserError): AppError {
  switch (error.type) {
    case 'entity.verify.failed':
      return refusalOf(error);
    case 'entity.parse.failed':
      return new AppError('invalid', 'malformed_json', `The body is not JSON: ${error.message}`);
    case 'entity.too.large':
      return bodyTooLarge();
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new AppError(
        'unsupported',
        'unsupported_media_type',
        `The body can't be read: ${error.message}. Send UTF-8, plain or with gzip, deflate or br.`,
      );
    default:
      return new AppError('invalid', 'invalid_body', `The body can't be read: ${error.message}`, {
        cause: error,
      });
  }
}

/** A new error: the parser has given its own status to the one of `verify`. */
function refusalOf(error: Error): AppError {
  if (!(error instanceof AppError)) return tooDeep();
  return new AppError(error.kind, error.code, error.message);
}

function bodyTooLarge(): AppError {
  return new AppError('too_large', 'body_too_large', 'The body is larger than 1 MiB.', {
    extra: { limit: BODY_LIMIT },
  });
}

/**
 * Makes parsed JSON storable, in place: replaces lone surrogates by U+FFFD and drops `__proto__`
 * keys.
 * @throws AppError `invalid_text` for U+0000, which databases refuse, and for text that begins like
 * encrypted text; `too_deep` for more than 64 levels
 */
function cleanJson(value: object): void {
  cleanMembers(value, []);
}

function tooDeep(): AppError {
  const message = `The body is nested deeper than ${MAX_DEPTH} levels.`;
  return new AppError('invalid', 'too_deep', message);
}

function cleanMembers(holder: object, path: string[]): void {
  if (path.length >= MAX_DEPTH) throw tooDeep();
  const members = holder as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    path.push(key);
    cleanMember(members, key, path);
    path.pop();
  }
}

function cleanMember(members: Record<string, unknown>, key: string, path: string[]): void {
  if (key === '__proto__') {
    delete members[key];
    return;
  }
  const value = members[key];
  const name = cleanText(key, path);
  const cleaned = typeof value === 'string' ? cleanText(value, path) : value;
  if (name !== key) delete members[key];
  if (name !== key || cleaned !== value) members[name] = cleaned;
  if (typeof cleaned === 'object' && cleaned !== null) cleanMembers(cleaned, path);
}

function cleanText(text: string, path: readonly string[]): string {
  if (!text.includes('\0') && !isSealed(text))
    return text.isWellFormed() ? text : text.toWellFormed();
  const field = path.join('.').replaceAll('\0', '\\u0000').slice(0, 200);
  const message = isSealed(text)
    ? 'must not begin like encrypted text, with U+0001'
    : 'must not contain the character U+0000';
  throw new AppError('invalid', 'invalid_text', `${field} ${message}`, {
    errors: [{ field, message }],
  });
}
