import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from './principal.js';

/** A request; `Authentication` adds its principal. */
export type Authenticated = IncomingMessage & { principal?: Principal | undefined };

/** The principal of the request. */
export const Caller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal => {
    const principal = principalOf(context);
    if (!principal) throw new AppError('internal', 'no_principal', 'The request has no principal.');
    return principal;
  },
);

/** The principal of a request to a public route, if it has one. */
export const PossibleCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal | undefined => principalOf(context),
);

export function principalOf(context: ExecutionContext): Principal | undefined {
  return context.switchToHttp().getRequest<Authenticated>().principal;
}
