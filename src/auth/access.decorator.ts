import { SetMetadata, applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Scope } from './principal.js';

export const ACCESS = 'access';
export const ALSO_NEEDS = 'also-needs';

/** Scopes of which a caller needs at least one; `public`: no credential is needed. */
export type RequiredAccess = readonly Scope[] | 'public';

/** A scope that some requests to a route need besides that of the route. */
export interface Condition {
  readonly scope: Scope;
  /** Decides for a request whose body is parsed, but not validated. */
  readonly applies: (request: Pick<Request, 'body' | 'query'>) => boolean;
}

/**
 * Names the scope that a route, or each of a controller, needs, or several of which one is enough.
 * A route without it is denied.
 */
export function Access(
  ...required: readonly ['public'] | readonly [Scope, ...Scope[]]
): ClassDecorator & MethodDecorator {
  const names = required.join(' or ');
  const extension = ApiExtension('x-access', names);
  if (isPublic(required)) return applyDecorators(SetMetadata(ACCESS, 'public'), extension);
  return applyDecorators(
    SetMetadata(ACCESS, required satisfies RequiredAccess),
    extension,
    ApiBearerAuth('bearer'),
    ApiSecurity('x-api-key'),
    ApiResponse({ status: 401, description: 'No or no valid credential.' }),
    ApiResponse({
      status: 403,
      description: `The credential lacks a scope, such as \`${required[0]}\`.`,
    }),
  );
}

function isPublic(
  required: readonly ['public'] | readonly [Scope, ...Scope[]],
): required is readonly ['public'] {
  return required[0] === 'public';
}

/** Requires another scope of some requests, before anything is looked up. */
export function AlsoNeeds(scope: Scope, applies: Condition['applies']): MethodDecorator {
  return SetMetadata(ALSO_NEEDS, { scope, applies } satisfies Condition);
}
