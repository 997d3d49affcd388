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

/** A new key: what is saved, and the text for its user. */
export function newKey(
  wanted: WantedKey,
  { now, created_by }: { readonly now: Date; readonly created_by: string },
): { readonly key: ApiKey; readonly text: string } {
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
