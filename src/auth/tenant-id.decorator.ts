import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { TENANT_ID } from './principal.js';

const RULE =
  '$property must be 1 to 64 letters, digits, _, . or -, and begin with a letter or digit';

/** An optional `tenant_id`, in the query or in the body. */
export function NamesTenant(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description: 'Yours unless given; another only with ADMIN_KEY.' }),
    IsOptional(),
    Matches(TENANT_ID, { message: RULE }),
  );
}

const ONE_OR_ALL = /^(\*|[A-Za-z0-9][A-Za-z0-9_.-]{0,63})$/;

/** The same, or `*` for all tenants. */
export function NamesTenants(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: 'Yours unless given; with ADMIN_KEY another one, or `*` for all.',
    }),
    IsOptional(),
    Matches(ONE_OR_ALL, { message: `${RULE}; or * for all tenants` }),
  );
}
