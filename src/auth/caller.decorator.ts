import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { LOCAL_PRINCIPAL } from './principal.js';
import type { Principal } from './principal.js';

/** The principal of the request. */
export const Caller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal =>
    context.switchToHttp().getRequest<Request & { principal?: Principal }>().principal ??
    LOCAL_PRINCIPAL,
);
