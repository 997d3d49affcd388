import type { QueryRunner } from 'typeorm';

/** The names of columns, which are not generated, and their types. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly types: readonly string[];
  /** The tables that it refers to. */
  readonly needs: readonly string[];
}

const LIST = `
  SELECT c.relname::text AS name,
    array_agg(a.attname::text ORDER BY a.attnum) AS columns,
    array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum) AS types,
    (SELECT coalesce(array_agg(r.relname::text), '{}') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
      WHERE k.conrelid = c.oid AND k.contype = 'f') AS needs
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
  GROUP BY c.oid, c.relname ORDER BY c.relname`;

/** All tables, each after those that it refers to. */
export async function listTables(runner: QueryRunner): Promise<Table[]> {
  const left = new Map<string, Table>();
  for (const table of (await runner.query(LIST, [])) as Table[]) left.set(table.name, table);
  const sorted: Table[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(({ needs }) => !needs.some((name) => left.has(name)));
    if (free.length === 0)
      throw new Error(`These tables refer to each other: ${[...left.keys()].join(', ')}`);
    for (const table of free) left.delete(table.name);
    sorted.push(...free);
  }
  return sorted;
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
