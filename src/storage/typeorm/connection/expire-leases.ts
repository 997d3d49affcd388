import type { Database } from './database.js';
import { IS_ACTIVE } from '../interactions/predicates.js';

/**
 * Lets every lease lapse. For a process that has just opened a database which no other process can use: whoever held them is dead, and what
 * they ran goes on at once instead of when their time is over.
 */
export async function expireLeases(database: Database): Promise<void> {
  const text = `UPDATE interactions SET lease_until = clock_timestamp() WHERE owner IS NOT NULL AND ${IS_ACTIVE}`;
  await database.query({ text }, []);
}
