import { ANY_TENANT } from '../../persistence/any-tenant.js';
import type { AnyViewer } from '../../persistence/viewer.js';

/** The parameters of `isSeen`. */
export const VIEWER = 'any_tenant, tenant_id, is_admin, user_id';

/**
 * The condition of `sees` for the chat of a table's row: true only if its chat is there. A value
 * that is missing matches nothing.
 */
export function inSeenChat(table: string, first?: number): string {
  return `EXISTS (SELECT FROM chats c WHERE c.uid = ${table}.chat_uid AND ${isSeen('c', first)})`;
}

/** The condition of `sees` for a table of chats. */
export function isSeen(chats: string, first?: number): string {
  const names = [':any_tenant', ':tenant_id', ':is_admin', ':user_id'];
  const [anyTenant, tenant, admin, user] = names.map((name, n) => (first ? `$${first + n}` : name));
  return `(${anyTenant}::boolean OR ${chats}.tenant_id = ${tenant}::text
    AND (${admin}::boolean OR ${chats}.owner = ${user}::text OR ${chats}.visibility = 'tenant'))`;
}

export function valuesOfViewer(viewer: AnyViewer) {
  if (viewer === ANY_TENANT)
    return { any_tenant: true, tenant_id: null, is_admin: false, user_id: null };
  return { any_tenant: false, ...viewer };
}

export function viewerValues(viewer: AnyViewer): unknown[] {
  if (viewer === ANY_TENANT) return [true, null, false, null];
  return [false, viewer.tenant_id, viewer.is_admin, viewer.user_id];
}
