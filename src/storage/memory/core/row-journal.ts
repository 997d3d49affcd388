/** Keeps each row where a restarted process finds it. */
export interface RowJournal<Row> {
  save(row: Row): Promise<void>;
  erase(id: string): Promise<void>;
  /** Also of one that could not be read. */
  has(id: string): boolean;
}

/** For a process without persistence. */
export const NO_JOURNAL: RowJournal<unknown> = {
  save: async () => {},
  erase: async () => {},
  has: () => false,
};
