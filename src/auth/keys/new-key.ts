import { AppError } from '../../kernel/app-error.js';
import { isReserved } from '../principal.js';
import type { Scope } from '../principal.js';
import type { ApiKey } from './key-store.js';
import { hashSecret, makeKey } from './key-text.js';

/** Keys of one tenant. */
export const MAX_KEYS = 10_000;

export interface WantedKey {
  readonly tenant_id: string;
  readonly user_id: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly expires_at: string | null;
}

/**
 * A new key: what is saved, and the text for its user.
 * @throws AppError `invalid_body` (400) for the user of `ADMIN_KEY`
 */
export function newKey(
  wanted: WantedKey,
  { now, created_by }: { readonly now: Date; readonly created_by: string },
): { readonly key: ApiKey; readonly text: string } {
  if (isReserved(wanted)) throw reserved();
  const { id, secret, text } = makeKey();
  const { tenant_id, user_id, scopes } = wanted;
  const expires_at = wanted.expires_at === null ? null : new Date(wanted.expires_at).toISOString();
  const created_at = now.toISOString();
  const secret_hash = hashSecret(secret);
  return {
    key: { id, tenant_id, user_id, scopes, secret_hash, created_at, expires_at, created_by },
    text,
  };
}

function reserved(): AppError {
  const message =
    'is reserved in the tenant default: "admin" there is the holder of ADMIN_KEY. Name another user';
  return new AppError('invalid', 'invalid_body', `user_id ${message}.`, {
    errors: [{ field: 'user_id', message }],
  });
}
