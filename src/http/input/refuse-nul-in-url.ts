import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../../kernel/app-error.js';

/** U+0000 in a path or a query: no id and no cursor has one, and no database takes it. */
export function refuseNulInUrl(request: Request, _response: Response, next: NextFunction): void {
  if (!request.url.includes('%00')) return next();
  next(new AppError('invalid', 'invalid_text', 'The URL must not contain the character U+0000.'));
}
