/// <reference lib="es2024.string" />
import { z } from 'zod';

const MAX_COUNT = 2 ** 31 - 2;
const MAX_METADATA = 16_384;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Text that stores keep as text: without what a database refuses. */
export function column(max = Infinity) {
  return z
    .string()
    .refine((text) => text.length <= max, `has more than ${max} characters`)
    .refine(
      (text) => !text.includes('\0') && text.isWellFormed(),
      'has U+0000 or a lone surrogate in it',
    );
}

/** A number that stores keep as an integer. */
export const count = z.int().min(0).max(MAX_COUNT);

/** ISO 8601 in UTC, with milliseconds, as the server writes them. */
export const time = z.string().refine(isTime, 'is no time such as 2026-01-15T10:00:00.000Z');

/** A string that a log calls something by. */
export const id = column(200);

export const json = z.record(z.string(), z.unknown());

export const metadata = json.refine(
  (value) => JSON.stringify(value).length <= MAX_METADATA,
  `has more than ${MAX_METADATA} characters of JSON`,
);

export const errorFields = z.object({ code: z.string(), message: z.string() });

export const usage = z.object({ input_tokens: count, output_tokens: count });

function isTime(text: string): boolean {
  if (!ISO_TIME.test(text)) return false;
  const at = Date.parse(text);
  return at >= 0 && new Date(at).toISOString() === text;
}
