/**
 * Sees the chats of all tenants. For runs and other work without a caller: what answers a client
 * must not import it.
 */
export const ANY_TENANT: unique symbol = Symbol('any tenant');
