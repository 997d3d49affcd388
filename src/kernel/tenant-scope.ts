import { AsyncValue } from './async/async-value.js';

const current = new AsyncValue<string>();

/** Work without a tenant, which sees no tenant's rows. */
export const NO_TENANT = '';
/** Work of the server itself sees all tenants; no tenant has this name. */
export const ALL_TENANTS = '*';

/** Does something that answers a request of the tenant, and all that follows from it. */
export function withinTenant<T>(tenant: string, work: () => T): T {
  return current.run(tenant, work);
}

/** Does something for the server itself, though a request may have caused it. */
export function outsideTenants<T>(work: () => T): T {
  return current.run(ALL_TENANTS, work);
}

/** `ALL_TENANTS` outside of requests. */
export function currentTenant(): string {
  return current.get() ?? ALL_TENANTS;
}
