import express from 'express';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../../kernel/app-error.js';
import { isDeeperThan } from '../../kernel/is-deeper-than.js';
import { cleanJson, MAX_DEPTH, tooDeep } from './clean-json.js';

/** Bytes, after decompression. */
const BODY_LIMIT = 1024 * 1024;
/** Its body is longer than memory should hold: whoever serves it reads it as it arrives. */
const STREAMED = /^\/chats\/import\/?$/i;
const JSON_TYPES = ['application/json', 'application/*+json'];

/** Reads bodies: a JSON object of up to 1 MiB, cleaned; anything else is refused. No body at all is fine here. */
export function jsonBody(): RequestHandler {
  const reading = { limit: BODY_LIMIT, strict: false, type: JSON_TYPES };
  const parse = express.json({ ...reading, verify: (_request, _response, body) => check(body) });
  return (request, response, next) => {
    if (!hasBody(request) || STREAMED.test(request.path)) next();
    else if (!request.is(JSON_TYPES)) next(notJson(request));
    else parse(request, response, (error) => next(error ? toAppError(error) : clean(request)));
  };
}

function hasBody({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function notJson({ headers }: Request): AppError {
  const type = headers['content-type'];
  const found = type ? `not ${type.slice(0, 100)}` : 'and this one has no Content-Type';
  const message = `The body has to be application/json, ${found}.`;
  return new AppError('unsupported', 'unsupported_media_type', message);
}

/** Before it is parsed. */
function check(body: Buffer): void {
  if (isDeeperThan(MAX_DEPTH, body)) throw tooDeep();
}

function clean(request: Request): AppError | undefined {
  const body: unknown = request.body;
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
      return tooDeep();
    case 'entity.parse.failed':
      return new AppError('invalid', 'malformed_json', `The body is not JSON: ${error.message}`);
    case 'entity.too.large':
      return new AppError('too_large', 'body_too_large', 'The body is larger than 1 MiB.', {
        extra: { limit: BODY_LIMIT },
      });
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
