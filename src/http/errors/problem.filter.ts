import { Catch, Logger, MethodNotAllowedException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppError } from '../../kernel/app-error.js';
import { clientPauseInSeconds } from '../../kernel/client-pause.js';
import { allowedMethods } from './allowed-methods.js';
import { answerEarly, isArriving } from './answer-early.js';
import { rulesOf } from '../path-rules.js';
import { rememberProblem } from './problem-of.js';
import { isUnknownRoute, STATUS_OF_KIND, toProblem } from './to-problem.js';
import type { ProblemOrigin } from './to-problem.js';
import type { Problem } from '../../protocol/wire/problem.js';

/**
 * Answers every exception as `application/problem+json`, or in the shape of the path's protocol. A
 * response that has begun is only ended.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const origin = originOf(request, response);
    const allowed = isUnknownRoute(exception) ? allowedMethods(request.app, request.path) : [];
    const isKnown = allowed.length > 0;
    if (isKnown) response.set('Allow', allowed.join(', '));
    if (isKnown && request.method === 'OPTIONS') return void response.status(204).end();
    const problem = toProblem(isKnown ? notAllowed(request, allowed) : exception, origin);
    this.report(problem.status, { message: 'Request failed', ...origin, err: exception });
    if (response.headersSent) response.end();
    else answer(problem, response, retryAfter(exception, problem));
  }

  /** Outages (503) are logged at `debug`: `StoreHealth` reports them once. */
  private report(status: number, entry: object): void {
    if (status === 503) this.logger.debug(entry);
    else if (status >= 500) this.logger.error(entry);
  }
}

/** Answers a request with an error of which nothing is logged. */
export function sendProblem(error: AppError, request: Request, response: Response): Response {
  const problem = toProblem(error, originOf(request, response));
  return answer(problem, response, retryAfter(error, problem));
}

function originOf(request: Request, response: Response): ProblemOrigin {
  return {
    method: request.method,
    path: request.originalUrl.split('?', 1)[0] ?? '',
    base: request.baseUrl,
    request_id: response.get('X-Request-Id') ?? 'none',
    paths: rulesOf(response).paths,
  };
}

function answer(problem: Problem, response: Response, retry_after_s?: number): Response {
  rememberProblem(response, problem);
  if (retry_after_s !== undefined) response.setHeader('Retry-After', retry_after_s);
  if (problem.status === 401) response.setHeader('WWW-Authenticate', challengeOf(problem));
  const { errorType, formatError } = rulesOf(response);
  response.status(problem.status).type(errorType);
  const text = formatError(problem);
  // A body that has fallen silent is not waited for.
  if (problem.status === STATUS_OF_KIND.timed_out || !isArriving(response.req))
    return response.send(text);
  setImmediate(() => {
    // a body that came with the headers has been read by now
    if (isArriving(response.req)) answerEarly(response.req, response, text);
    else response.send(text);
  });
  return response;
}

/** Challenge for a client without a valid credential, as RFC 6750 defines it. */
function challengeOf({ type }: Problem): string {
  const isRefused = type === '/problems/invalid_credential';
  return `Bearer realm="parley"${isRefused ? ', error="invalid_token"' : ''}`;
}

/** In seconds. Most outages are over by then, and refusing an early retry is cheap. */
function retryAfter(exception: unknown, { status }: Problem): number | undefined {
  const known = exception instanceof AppError ? exception.retry_after_s : undefined;
  return known ?? (status === 503 ? clientPauseInSeconds() : undefined);
}

function notAllowed({ method, path }: Request, allowed: readonly string[]): HttpException {
  return new MethodNotAllowedException(
    `${method} is not allowed on ${path}; use ${allowed.join(', ')}.`,
  );
}
