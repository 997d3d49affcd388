import type { RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';

/** The routes for operators and orchestrators. */
const OPERATIONS = /^\/(health\/(live|ready)|metrics)\/?$/;

/** A worker answers operations only: clients would lose their streams whenever it is replaced. */
export function roleMiddleware({ role }: Pick<Config, 'role'>): RequestHandler {
  return (request, _response, next) => {
    if (role !== 'worker' || OPERATIONS.test(request.path)) next();
    else next(new AppError('misdirected', 'not_an_api', DETAIL));
  };
}

const DETAIL =
  'This process only runs agents (ROLE=worker) and answers /health/live, /health/ready and /metrics. Use a process with ROLE=api or ROLE=all.';
