import type { Request, Response } from 'express';
import type { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';
import { roleMiddleware } from './role.middleware.js';

/** The code of the refusal, or `passes`. */
function ask(role: Config['role'], path: string): string {
  let answer = 'no answer';
  roleMiddleware({ role })({ path } as Request, {} as Response, (error?: unknown) => {
    answer = error instanceof AppError ? error.code : 'passes';
  });
  return answer;
}

describe(roleMiddleware.name, () => {
  it.each(['/health/live', '/health/ready', '/health/ready/', '/metrics'])(
    'lets whoever looks after a worker ask for %s',
    (path) => expect(ask('worker', path)).toBe('passes'),
  );

  it.each(['/', '/chats', '/docs', '/health/live/../../chats', '/metrics/chats', '//metrics'])(
    'keeps clients that ask for %s from a worker',
    (path) => expect(ask('worker', path)).toBe('not_an_api'),
  );

  it.each(['api', 'all'] as const)('lets clients use a process with the role %s', (role) => {
    expect(ask(role, '/chats')).toBe('passes');
  });
});
