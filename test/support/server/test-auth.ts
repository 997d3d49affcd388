import { newKey } from '../../../src/auth/keys/new-key.js';
import { DEFAULT_TENANT, LOCAL_PRINCIPAL, SCOPES } from '../../../src/auth/principal.js';
import type { Environment } from '../../../src/config/load-config.js';
import type { AllStores } from '../../../src/storage/stores.js';
import { WITH_AUTH } from '../thoroughness.js';

/**
 * With `TEST_AUTH=keys`, servers take keys unless their tests say otherwise. The exceptions: shared
 * folders are those of a tenant then.
 */
export function takesKeys(env: Environment): boolean {
  return WITH_AUTH && !env['AUTH'] && env['WORKSPACE_MODE'] !== 'shared' && !env['WORKSPACE_ROOTS'];
}

/** A key of the user that everybody is without authentication, with all scopes. */
export async function addLocalKey({ keys }: Pick<AllStores, 'keys'>): Promise<string> {
  const { user_id } = LOCAL_PRINCIPAL;
  const wanted = { tenant_id: DEFAULT_TENANT, user_id, scopes: SCOPES, expires_at: null };
  const { key, text } = newKey(wanted, { now: new Date(), created_by: 'the tests' });
  await keys.add(key, 1_000_000);
  return text;
}
