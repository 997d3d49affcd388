import type { Principal } from '../auth/principal.js';
import type { Viewer } from '../persistence/viewer.js';

export function viewerOf({ tenant_id, user_id, scopes }: Principal): Viewer {
  return { tenant_id, user_id, is_admin: scopes.has('admin') };
}
