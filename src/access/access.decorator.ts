import { SetMetadata, applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Scope } from '../auth/principal.js';
import { ProblemDto } from '../http/errors/problem.dto.js';

export const ACCESS = 'access';
export const ALSO_NEEDS = 'also-needs';

/** `public`: no credential is needed. */
export type RequiredAccess = Scope | 'public';

/** A scope that some requests to a route need besides that of the route. */
export interface Condition {
  readonly scope: Scope;
  /** Of a request whose body is parsed, but not validated. */
  readonly applies: (request: Pick<Request, 'body' | 'query'>) => boolean;
}

/** Names the scope that a route, or each of a controller, needs. A route without it is denied. */
export function Access(required: RequiredAccess): ClassDecorator & MethodDecorator {
  if (required === 'public')
    return applyDecorators(SetMetadata(ACCESS, required), ApiExtension('x-access', required));
  return applyDecorators(
    SetMetadata(ACCESS, required),
    ApiExtension('x-access', required),
    ApiBearerAuth('bearer'),
    ApiSecurity('x-api-key'),
    ApiResponse({ status: 401, type: ProblemDto, description: 'No or no valid credential.' }),
    ApiResponse({
      status: 403,
      type: ProblemDto,
      description: `The credential lacks a scope, such as \`${required}\`.`,
    }),
  );
}

/** Requires another scope of some requests, before anything is looked up. */
export function AlsoNeeds(scope: Scope, applies: Condition['applies']): MethodDecorator {
  return SetMetadata(ALSO_NEEDS, { scope, applies } satisfies Condition);
}
