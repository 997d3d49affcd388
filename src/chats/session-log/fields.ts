/// <reference lib="es2024.string" />
import { z } from 'zod';
import { json } from '../../protocol/records/fields.js';

const MAX_METADATA = 16_384;

/** Text that stores keep as text: without characters that a database refuses. */
export function column(max = Infinity) {
  return z
    .string()
    .refine((text) => text.length <= max, `has more than ${max} characters`)
    .refine(
      (text) => !text.includes('\0') && text.isWellFormed(),
      'has U+0000 or a lone surrogate in it',
    );
}

/** A string that a log calls something by. */
export const id = column(200);

export const metadata = json.refine(
  (value) => JSON.stringify(value).length <= MAX_METADATA,
  `has more than ${MAX_METADATA} characters of JSON`,
);
