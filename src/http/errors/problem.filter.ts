import { Catch, Logger, MethodNotAllowedException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Problem } from '../../protocol/problem.js';
import { allowedMethods } from './allowed-methods.js';
import { isUnknownRoute, toProblem } from './to-problem.js';

/** What is away for a moment is back by then; a client that comes too early is sent away at no cost. */
const RETRY_AFTER_S = 2;

/** Answers whatever was thrown as `application/problem+json`. Once a response has begun, it can only end it. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const origin = {
      method: request.method,
      path: request.originalUrl.split('?', 1)[0] ?? '',
      request_id: response.get('X-Request-Id') ?? 'none',
    };
    const allowed = isUnknownRoute(exception) ? allowedMethods(request.app, request.path) : [];
    const isKnown = allowed.length > 0;
    if (isKnown) response.set('Allow', allowed.join(', '));
    if (isKnown && request.method === 'OPTIONS') return void response.status(204).end();
    const problem = toProblem(isKnown ? notAllowed(request, allowed) : exception, origin);
    this.report(problem.status, { message: 'A request failed', ...origin, err: exception });
    if (response.headersSent) response.end();
    else this.answer(response, problem);
  }

  /** What is away is reported by whoever watches it, once. */
  private report(status: number, what: object): void {
    if (status === 503) this.logger.debug(what);
    else if (status >= 500) this.logger.error(what);
  }

  private answer(response: Response, problem: Problem): void {
    if (problem.status === 503) response.setHeader('Retry-After', RETRY_AFTER_S);
    response.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
  }
}

function notAllowed({ method, path }: Request, allowed: readonly string[]): HttpException {
  return new MethodNotAllowedException(
    `${method} is not possible on ${path}; ${allowed.join(', ')} are.`,
  );
}
