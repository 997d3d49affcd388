import { ALL } from '../thoroughness.js';
import { findPostgresFault, openTestPglite, openTestPostgres } from './databases.js';
import type { TestDatabase } from './databases.js';

export interface DatabaseKind {
  readonly name: string;
  /** Why it can't be tested here. */
  readonly fault?: string | undefined;
  /** An empty one. */
  readonly open: () => Promise<TestDatabase>;
}

export const PGLITE: DatabaseKind = { name: 'PGlite', open: openTestPglite };

export const POSTGRES: DatabaseKind = {
  name: 'Postgres',
  fault: await findPostgresFault(),
  open: openTestPostgres,
};

/** PGlite runs the same SQL for more CPU: where Postgres answers, only with `TEST_ALL=1`. */
export const DATABASES = ALL || POSTGRES.fault ? [PGLITE, POSTGRES] : [POSTGRES];
