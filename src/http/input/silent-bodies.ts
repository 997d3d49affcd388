import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { isArriving } from '../errors/answer-early.js';
import { sendProblem } from '../errors/problem.filter.js';

/** How often a body on its way is looked at. */
const SILENCE_MS = 60_000;

/**
 * Ends requests whose body has fallen silent, after one to two minutes. A body may take any time
 * while bytes arrive, and the server may take any time to read them.
 */
export function silentBodies(clock: Clock): RequestHandler {
  return (request, response, next) => {
    if (isArriving(request)) watch(request, response, clock);
    next();
  };
}

function watch(request: Request, response: Response, clock: Clock): void {
  const { bytesRead } = request.socket;
  const callOff = clock.after(SILENCE_MS, () => {
    request.off('close', callOff);
    if (!isArriving(request) || request.destroyed) return;
    const isAwaited = request.readableLength < request.readableHighWaterMark;
    if (isAwaited && request.socket.bytesRead === bytesRead) end(request, response);
    else watch(request, response, clock);
  });
  request.once('close', callOff);
}

function end(request: Request, response: Response): void {
  if (response.headersSent) return void request.destroy();
  // Node forgets a request that is answered: what reads the body would wait for ever.
  response.once('close', () => request.destroy());
  sendProblem(silent(), request, response.set('Connection', 'close'));
}

function silent(): AppError {
  const message = `No byte of the body has arrived for ${SILENCE_MS / 1000} s. Send it again.`;
  return new AppError('timed_out', 'request_timeout', message);
}
