/** How long a server holds what it does not renew, in milliseconds. */
export const LEASE_MS = 1_500;
/**
 * The same where there is nobody to take it over: a database inside the server keeps it from
 * renewing for longer on a busy machine.
 */
export const LONE_LEASE_MS = 10_000;
