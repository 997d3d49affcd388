import { SCOPES, LOCAL_PRINCIPAL, TENANT_ID, USER_ID, isReserved } from '../auth/principal.js';
import type { Principal } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';

/** For whom a call is made. By default the user of a server without authentication. */
export interface OnBehalf {
  /** `default` unless given. */
  readonly tenant_id?: string;
  /** `local` unless given. Chats belong to their user: others do not see those that are private. */
  readonly user_id?: string;
}

/** All that a user may do, but not what an admin of the tenant may: no chats of other users. */
const RIGHTS = new Set(SCOPES.filter((scope) => scope !== 'admin'));

/** @throws AppError `invalid_body` (400) */
export function callerOf({
  tenant_id = LOCAL_PRINCIPAL.tenant_id,
  user_id = LOCAL_PRINCIPAL.user_id,
}: OnBehalf): Principal {
  if (!TENANT_ID.test(tenant_id))
    throw invalid('tenant_id', 'must be 1 to 64 letters, digits, _, . or -');
  if (!USER_ID.test(user_id) || isReserved({ tenant_id, user_id }))
    throw invalid('user_id', 'must be 1 to 255 characters, and not the user of ADMIN_KEY');
  return { tenant_id, user_id, scopes: RIGHTS };
}

function invalid(field: string, message: string): AppError {
  const errors = [{ field, message }];
  return new AppError('invalid', 'invalid_body', `${field} ${message}.`, { errors });
}
