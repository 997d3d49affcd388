import { ADMIN_KEY_ID, LOCAL_PRINCIPAL } from '../auth/principal.js';
import type { Principal } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import type { AnyViewer, Viewer } from '../persistence/viewer.js';
import { ALL_TENANTS, outsideTenants } from '../kernel/tenant-scope.js';

/** True for the holder of ADMIN_KEY, and for every caller of a server without authentication. */
export function isOperator(caller: Principal): boolean {
  return caller === LOCAL_PRINCIPAL || caller.key_id === ADMIN_KEY_ID;
}

/**
 * The tenant that a request is about.
 * @param named `*`: all of them
 * @throws AppError `foreign_tenant` (403)
 */
export function tenantFor(caller: Principal, named = caller.tenant_id): string {
  if (named === caller.tenant_id || isOperator(caller)) return named;
  const message = 'Only ADMIN_KEY may name another tenant. Leave tenant_id out for your own.';
  throw new AppError('forbidden', 'foreign_tenant', message);
}

/** Does something about the tenant that a request names. */
export function inTenant<T>(caller: Principal, tenantId: string, work: () => T): T {
  return tenantId === caller.tenant_id ? work() : outsideTenants(work);
}

/** Operators see every interaction of a tenant, but not what is said in it. `*`: of all tenants. */
export function operatorIn(caller: Principal, tenantId: string): AnyViewer {
  if (tenantId === ALL_TENANTS) return ANY_TENANT;
  return { tenant_id: tenantId, user_id: caller.user_id, is_admin: true };
}

export function isOfOneTenant(viewer: AnyViewer): viewer is Viewer {
  return viewer !== ANY_TENANT;
}

/** Undefined for all tenants. */
export function oneTenant(tenantId: string): string | undefined {
  return tenantId === ALL_TENANTS ? undefined : tenantId;
}
