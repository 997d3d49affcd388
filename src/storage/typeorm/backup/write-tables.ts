import type { QueryRunner } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { SEQUENCES } from '../../table-rows.js';
import type { TableRows } from '../../table-rows.js';
import { listTables, quote } from './list-tables.js';
import type { Table } from './list-tables.js';

/** Fills empty tables, in one transaction. */
export class TableWriter {
  private constructor(
    private readonly runner: QueryRunner,
    private readonly tables: ReadonlyMap<string, Table>,
  ) {}

  /** @throws AppError `restore_not_empty` */
  static async begin(runner: QueryRunner): Promise<TableWriter> {
    const tables = await listTables(runner);
    await runner.query('BEGIN', []);
    for (const { name } of tables) {
      const [row] = (await runner.query(`SELECT 1 FROM ${quote(name)} LIMIT 1`, [])) as unknown[];
      if (row !== undefined) throw notEmpty(name);
    }
    return new TableWriter(runner, new Map(tables.map((table) => [table.name, table])));
  }

  async add({ table, columns, rows }: TableRows): Promise<void> {
    if (rows.length === 0) return;
    if (table === SEQUENCES.table) return this.setSequences(rows);
    const known = this.tables.get(table);
    const types = columns.map((column) => known?.types[known.columns.indexOf(column)]);
    if (!known || types.includes(undefined))
      throw new Error(
        `The database has no table "${table}" with the columns ${columns.join(', ')}.`,
      );
    const casts = types.map((type, index) => `r.c${index}::${type}`);
    const arrays = columns.map((_, index) => `$${index + 1}::text[]`);
    const names = columns.map((_, index) => `c${index}`);
    await this.runner.query(
      `INSERT INTO ${quote(table)} (${columns.map(quote).join()})
        SELECT ${casts.join()} FROM unnest(${arrays.join()}) AS r (${names.join()})`,
      columns.map((_, index) => rows.map((row) => row[index] ?? null)),
    );
  }

  async commit(): Promise<void> {
    await this.runner.query('COMMIT', []);
  }

  private async setSequences(rows: TableRows['rows']): Promise<void> {
    for (const row of rows)
      await this.runner.query('SELECT setval($1::regclass, $2::bigint)', [...row]);
  }
}

function notEmpty(table: string): AppError {
  return new AppError(
    'conflict',
    'restore_not_empty',
    `The database is not empty: its table "${table}" has rows. Name an empty one, for example made with createdb.`,
  );
}
