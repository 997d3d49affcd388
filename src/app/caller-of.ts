import {
  LOCAL_PRINCIPAL,
  SCOPES,
  TENANT_ID,
  USER_ID,
  isReserved,
  isScope,
  withIncluded,
} from '../auth/principal.js';
import type { Principal, Scope } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';

/** For whom a call is made. By default the user of a server without authentication. */
export interface OnBehalf {
  /** `default` unless given. */
  readonly tenant_id?: string;
  /** `local` unless given. Chats belong to their user: others do not see those that are private. */
  readonly user_id?: string;
  /** `chat`, `decide` and `operate` unless given. */
  readonly scopes?: readonly Scope[];
}

/** All that a user may do, but not what an admin of the tenant may: no chats of other users. */
const RIGHTS = SCOPES.filter((scope) => scope !== 'admin');

/**
 * Also a program in JavaScript can't pass values of other types: a list of one name would be taken
 * for the name.
 * @throws AppError `invalid_body` (400)
 */
export function callerOf({
  tenant_id = LOCAL_PRINCIPAL.tenant_id,
  user_id = LOCAL_PRINCIPAL.user_id,
  scopes = RIGHTS,
}: OnBehalf): Principal {
  if (typeof tenant_id !== 'string' || !TENANT_ID.test(tenant_id))
    throw invalid('tenant_id', 'must be 1 to 64 letters, digits, _, . or -');
  const isUser = typeof user_id === 'string' && USER_ID.test(user_id);
  if (!isUser || isReserved({ tenant_id, user_id }))
    throw invalid('user_id', 'must be 1 to 255 characters, and not the user of ADMIN_KEY');
  if (!Array.isArray(scopes) || !scopes.every(isScope))
    throw invalid('scopes', `must be of ${SCOPES.join(', ')}`);
  return { tenant_id, user_id, scopes: withIncluded(scopes) };
}

export function invalid(field: string, message: string): AppError {
  const errors = [{ field, message }];
  return new AppError('invalid', 'invalid_body', `${field} ${message}.`, { errors });
}
