import type { EntitySchemaColumnOptions } from 'typeorm';

/** Ids are collated by byte, as in JavaScript. */
export const ID = { type: 'text', collation: 'C' } as const satisfies EntitySchemaColumnOptions;
export const UID = { type: 'uuid' } as const satisfies EntitySchemaColumnOptions;
export const TEXT = { type: 'text' } as const satisfies EntitySchemaColumnOptions;
export const INTEGER = { type: 'integer' } as const satisfies EntitySchemaColumnOptions;
/** The driver gives it as text; the values are safe integers. */
export const BIGINT = {
  type: 'bigint',
  transformer: { from: Number, to: (value: unknown) => value },
} as const satisfies EntitySchemaColumnOptions;
/** The same, or a number with a fraction; null is undefined outside of the database. */
export const OPTIONAL_BIGINT = optional('bigint');
export const OPTIONAL_DOUBLE = optional('double precision');
/** Never `jsonb`, which rejects U+0000 and lone surrogates and reorders keys. */
export const JSON_TEXT = { type: 'json' } as const satisfies EntitySchemaColumnOptions;

/** A time; outside the database it is ISO 8601 in UTC with milliseconds. */
export const TIME = {
  type: 'timestamptz',
  precision: 3,
  transformer: {
    from: (value: Date | null) => value?.toISOString() ?? null,
    to: (value: unknown) => value,
  },
} as const satisfies EntitySchemaColumnOptions;

function optional(type: 'bigint' | 'double precision') {
  const transformer = { from: toOptional, to: (value: unknown) => value };
  return { type, nullable: true, transformer } as const satisfies EntitySchemaColumnOptions;
}

function toOptional(value: string | number | null): number | undefined {
  return value === null ? undefined : Number(value);
}

export const nullable = <T extends EntitySchemaColumnOptions>(column: T) =>
  ({ ...column, nullable: true }) as const;
