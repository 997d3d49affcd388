/// <reference lib="es2024.string" />
import type { ServerResponse } from 'node:http';
import express from 'express';
import type { Request, RequestHandler } from 'express';
import { isSealed } from '../../encryption/sealed-text.js';
import { AppError } from '../../kernel/app-error.js';
import { findInexact } from '../../kernel/json/exact-json.js';
import { measureJson } from '../../kernel/json/json.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { rulesOf } from '../path-rules.js';
import type { PathRules } from '../path-rules.js';
import { ArrivingBodies, bodyTooLarge } from './arriving-bodies.js';

const MIB = 1024 * 1024;
/** Bytes of a body that did not come over HTTP. */
const BODY_LIMIT = MIB;
/** Levels of nesting. */
const MAX_DEPTH = 64;
/** Values in a body that did not come over HTTP. */
const MAX_VALUES = 20_000;
/** Fields of one object in a body. */
const MAX_FIELDS = 1_000;
/** Session logs, files and recordings are too long for memory: the controller streams them. */
const STREAMED = /^\/(chats\/import|files|(?:v1\/)?audio\/transcriptions)\/?$/i;
const JSON_TYPES = ['application/json', 'application/*+json'];

/**
 * Parses bodies, which have to be JSON objects within the limit of their path, and cleans them. No
 * body is fine here.
 * @param ownerOf the user of a request
 */
export function jsonBody(
  ownerOf: (response: ServerResponse) => string | undefined,
): RequestHandler {
  const parsers = new Map<PathRules, RequestHandler>();
  const arriving = new ArrivingBodies(ownerOf);
  return (request, response, next) => {
    const rules = rulesOf(response);
    const { bodyLimit: limit } = rules;
    if (!hasBody(request) || STREAMED.test(request.path)) next();
    else if (!request.is(JSON_TYPES)) next(notJson(request));
    else if (isTooLong(request, limit)) next(bodyTooLarge(limit));
    else {
      const parse = parsers.get(rules) ?? parserOf(rules);
      parsers.set(rules, parse);
      const done = arriving.watch(request, response, limit, next);
      parse(request, response, (error) => done(error ? toAppError(error, limit) : clean(request)));
    }
  };
}

function parserOf({ bodyLimit: limit, bodyValues }: PathRules): RequestHandler {
  return express.json({
    ...{ limit, strict: false, type: JSON_TYPES },
    verify: (_request, _response, body, charset) => {
      checkSize(body, bodyValues);
      checkNumbers(new TextDecoder(charset).decode(body));
    },
  });
}

/**
 * The copy of a body that did not come over HTTP, with the same limits.
 * @throws AppError `body_too_large`, `too_deep`, `invalid_body`, `invalid_text`, `inexact_number`
 */
export function copyBody(body: object): object {
  const bytes = Buffer.from(jsonOf(body));
  if (bytes.length > BODY_LIMIT) throw bodyTooLarge(BODY_LIMIT);
  checkSize(bytes);
  const copy = JSON.parse(bytes.toString()) as object;
  const fault = clean({ body: copy });
  if (fault) throw fault;
  return copy;
}

function jsonOf(body: object): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(body, (_, value: unknown) => requireFinite(value));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = `The body can't be JSON: ${(error as Error).message}`;
    throw new AppError('invalid', 'invalid_body', message, { cause: error });
  }
  return json ?? 'null'; // no object, which `clean` refuses
}

/** JSON has `null` for these numbers. */
function requireFinite(value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new AppError('invalid', 'inexact_number', `The body has the number ${value}.`);
}

function hasBody({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The parser would read all of it before it refuses. */
function isTooLong({ headers }: Request, limit: number): boolean {
  const isPlain = headers['content-encoding'] === undefined;
  return isPlain && Number(headers['content-length'] ?? 0) > limit;
}

function notJson({ headers }: Request): AppError {
  const type = headers['content-type'];
  const found = type ? `not ${cutText(type, 100)}` : 'and the Content-Type is missing';
  const message = `The body has to be application/json, ${found}.`;
  return new AppError('unsupported', 'unsupported_media_type', message);
}

/** Before parsing: the parser would recurse. */
function checkSize(body: Buffer, most = MAX_VALUES): void {
  const { depth, values, fields } = measureJson(body, MAX_DEPTH);
  if (depth > MAX_DEPTH) throw tooDeep();
  if (values > most) throw tooMany(`more than ${most} values`);
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

function toAppError(error: ParserError, limit: number): AppError {
  switch (error.type) {
    case 'entity.verify.failed':
      return refusalOf(error);
    case 'entity.parse.failed':
      return new AppError('invalid', 'malformed_json', `The body is not JSON: ${error.message}`);
    case 'entity.too.large':
      return bodyTooLarge(limit);
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
  const field = cutText(path.join('.').replaceAll('\0', '\\u0000'), 200);
  const message = isSealed(text)
    ? 'must not begin like encrypted text, with U+0001'
    : 'must not contain the character U+0000';
  throw new AppError('invalid', 'invalid_text', `${field} ${message}`, {
    errors: [{ field, message }],
  });
}
