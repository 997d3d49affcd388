import type { RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';

/** What the ones who look after a process ask it. */
const OPERATIONS = /^\/(health\/(live|ready)|metrics)\/?$/;

/** A worker holds no clients: they would wait for it when it is stopped, and it has nothing that an API process doesn't have. */
export function roleMiddleware({ role }: Pick<Config, 'role'>): RequestHandler {
  return (request, _response, next) => {
    if (role !== 'worker' || OPERATIONS.test(request.path)) next();
    else next(new AppError('misdirected', 'not_an_api', DETAIL));
  };
}

const DETAIL =
  'This process only runs agents (ROLE=worker) and answers /health/live, /health/ready and /metrics. Ask one with ROLE=api or ROLE=all.';
