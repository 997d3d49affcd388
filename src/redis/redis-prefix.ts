/** Prefix of every key in Redis. Interaction ids are unique, so servers may share one Redis. */
export const REDIS_PREFIX = 'parley';
