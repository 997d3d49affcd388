import type { QueryRunner } from 'typeorm';
import { SEQUENCES } from '../../table-rows.js';
import type { TableRows, TextRow } from '../../table-rows.js';
import { listTables, quote } from './list-tables.js';
import type { Table } from './list-tables.js';

/** Rows in memory at once: few, as records may be large. */
const SLICE = 100;

const LAST_VALUES = `
  SELECT sequencename::text AS name, last_value::text AS value FROM pg_sequences
  WHERE schemaname = current_schema() AND sequencename NOT LIKE 'migrations%' AND last_value IS NOT NULL`;

/** All rows, as of one snapshot of the database. */
export async function* readTables(runner: QueryRunner): AsyncGenerator<TableRows> {
  await runner.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', []);
  try {
    for (const table of await listTables(runner)) yield* readTable(runner, table);
    yield { ...SEQUENCES, rows: toRows(await runner.query(LAST_VALUES, []), SEQUENCES.columns) };
  } finally {
    await runner.query('ROLLBACK', []);
  }
}

async function* readTable(
  runner: QueryRunner,
  { name, columns }: Table,
): AsyncGenerator<TableRows> {
  const texts = columns.map((column) => `${quote(column)}::text`);
  await runner.query(
    `DECLARE saved NO SCROLL CURSOR FOR SELECT ${texts.join()} FROM ${quote(name)}`,
    [],
  );
  for (;;) {
    const rows = toRows(await runner.query(`FETCH ${SLICE} FROM saved`, []), columns);
    if (rows.length > 0) yield { table: name, columns, rows };
    if (rows.length < SLICE) break;
  }
  await runner.query('CLOSE saved', []);
}

function toRows(rows: unknown, columns: readonly string[]): TextRow[] {
  const found = rows as Readonly<Record<string, string | null>>[];
  return found.map((row) => columns.map((column) => row[column] ?? null));
}
