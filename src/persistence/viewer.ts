import { ANY_TENANT } from './any-tenant.js';
import type { ChatRow } from './rows/store-rows.js';

/** A user, who sees their own chats and those that are visible to all of the tenant. */
export interface Viewer {
  readonly tenant_id: string;
  readonly user_id: string;
  /** True if the user sees every chat of the tenant. */
  readonly is_admin: boolean;
}

/** A required argument of what a client's id leads to: what it does not see is not there. */
export type AnyViewer = Viewer | typeof ANY_TENANT;

/** The same condition is in `storage/typeorm/viewer-sql.ts`. */
export function sees(
  viewer: AnyViewer,
  { tenant_id, owner, visibility }: Pick<ChatRow, 'tenant_id' | 'owner' | 'visibility'>,
): boolean {
  if (viewer === ANY_TENANT) return true;
  if (tenant_id !== viewer.tenant_id) return false;
  return viewer.is_admin || owner === viewer.user_id || visibility === 'tenant';
}
