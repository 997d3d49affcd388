import type { Scope } from '../../src/auth/principal.js';
import type { ApiClient } from '../support/client/api-client.js';

export const ADMIN_KEY = 'the-admin-key-of-tests-0123456789-abcdef';

/** Streams look for deleted keys at each heartbeat. */
export const WITH_KEYS = { AUTH: 'keys', ADMIN_KEY, HEARTBEAT_MS: '200' };

export interface MadeKey {
  readonly id: string;
  readonly key: string;
}

/** A new key, made with `ADMIN_KEY`. */
export async function makeKey(
  api: ApiClient,
  scopes: readonly Scope[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<MadeKey> {
  const body = { user_id: 'ann', scopes, ...more };
  const reply = await api.bearing(ADMIN_KEY).post('/keys', body);
  expect(reply.status).toBe(201);
  return reply.body as MadeKey;
}
