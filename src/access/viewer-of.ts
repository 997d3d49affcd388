import type { Principal } from '../auth/principal.js';
import type { Viewer } from '../persistence/viewer.js';

/** Operators see every interaction of their tenant, but not what is said in it. */
export function operatorOf({ tenant_id, user_id }: Principal): Viewer {
  return { tenant_id, user_id, is_admin: true };
}

export function viewerOf({ tenant_id, user_id, scopes }: Principal): Viewer {
  return { tenant_id, user_id, is_admin: scopes.has('admin') };
}
