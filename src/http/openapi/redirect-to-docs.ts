import type { NextFunction, Request, Response } from 'express';

const OTHER_NAMES = /^\/docs\/(index\.html)?$/;

/** The page's links are relative to `/docs`: under its other names they may lead nowhere. Relative itself, for a proxy that adds a prefix. */
export function redirectToDocs(request: Request, response: Response, next: NextFunction): void {
  if (OTHER_NAMES.test(request.path)) response.redirect(308, '../docs');
  else next();
}
