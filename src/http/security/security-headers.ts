import type { NextFunction, Request, Response } from 'express';

/** What a browser has to be told: types are not to be guessed, and no other page may frame `/docs`. */
export function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  next();
}
