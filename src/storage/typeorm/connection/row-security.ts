import type { Database } from './database.js';

/** True if the policies of the tables do not bind the user of the connection. */
export async function bypassesRowSecurity(database: Database): Promise<boolean> {
  const text = 'SELECT rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user';
  const [role] = await database.query<{ free: boolean }>({ text }, []);
  return role?.free ?? false;
}
