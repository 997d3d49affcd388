/** How long a server holds what it does not renew, in milliseconds. */
export const LEASE_MS = 1_500;
