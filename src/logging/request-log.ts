import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { withValuesOfCaller } from '../kernel/async/async-value.js';
import type { AppLogger } from './app-logger.js';

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Gives each request an id (its own `X-Request-Id`, if that is well-formed), returns it in the
 * response, and logs the response at `debug`.
 */
export function requestLog(logger: AppLogger): RequestHandler {
  const isLogged = logger.isLevelEnabled('debug');
  return (request, response, next) => {
    const id = request.get('X-Request-Id');
    const request_id = id && REQUEST_ID.test(id) ? id : randomUUID();
    response.setHeader('X-Request-Id', request_id);
    if (isLogged) {
      const start = performance.now();
      const { method, path } = request;
      const tell = (): void => {
        const duration_ms = Math.round(performance.now() - start);
        const { statusCode: status, writableFinished } = response;
        const message = `${method} ${path} ${status}${writableFinished ? '' : ' (aborted)'}`;
        logger.debug({ message, request_id, duration_ms }, 'Http');
      };
      response.once('close', withValuesOfCaller(tell)); // a run may end a stream
    }
    next();
  };
}
