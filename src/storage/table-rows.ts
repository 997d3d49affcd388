/** Values in the order of the columns, as Postgres writes them as text. */
export type TextRow = readonly (string | null)[];

/** Some rows of one table. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly TextRow[];
}

/** In the place of a table: the last values of sequences. */
export const SEQUENCES = { table: 'sequences', columns: ['name', 'value'] } as const;

/** All saved rows of a store, as they were at one point in time. */
export interface SavedTables {
  /** The migrations of these tables, oldest first. */
  readonly migrations: readonly string[];
  /** A row comes after those that it refers to. */
  read(): AsyncIterable<TableRows>;
  close(): Promise<void>;
}
