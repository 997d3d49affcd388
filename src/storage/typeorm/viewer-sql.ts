import { ANY_TENANT } from '../../persistence/any-tenant.js';
import type { AnyViewer } from '../../persistence/viewer.js';

/** The parameters of `isSeen`. */
export const VIEWER = 'any_tenant, tenant_id, is_admin, user_id';

/**
 * The condition of `sees` for the chat of a table's row: true only if its chat is there. A value
 * that is missing matches nothing.
 */
export function inSeenChat(table: string): string {
  return `EXISTS (SELECT FROM chats c WHERE c.uid = ${table}.chat_uid AND ${isSeen('c')})`;
}

/** The condition of `sees` for a table of chats. */
export function isSeen(chats: string): string {
  return `(:any_tenant::boolean OR ${chats}.tenant_id = :tenant_id::text
    AND (:is_admin::boolean OR ${chats}.owner = :user_id::text OR ${chats}.visibility = 'tenant'))`;
}

export function viewerValues(viewer: AnyViewer) {
  if (viewer === ANY_TENANT)
    return { any_tenant: true, tenant_id: null, is_admin: false, user_id: null };
  return { any_tenant: false, ...viewer };
}
