import { z } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import type { ClientTool } from '../../persistence/rows/interaction-row.js';
import { unsupported } from './parameters.js';

const MAX_TOOLS = 64; // as the API has it
const MAX_SCHEMA = 32_768;

/** JSON null counts as left out. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value): z.output<T> | undefined => (value === null ? undefined : value));

export const clientTool = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  description: z.string().max(4000).nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

export const metadata = optional(z.record(z.string(), z.unknown()));
export const tools = optional(z.array(z.looseObject({ type: z.string() })).max(MAX_TOOLS));

/** @throws AppError `invalid_body` (400) with the first faults */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const { data, error } = schema.safeParse(body ?? {});
  if (!error) return data;
  const errors = error.issues.slice(0, 20).map(({ path, message }) => {
    const field = path.join('.') || 'body';
    return { field, message: `${field}: ${message}` };
  });
  const message = errors[0]?.message ?? 'The body is invalid.';
  throw new AppError('invalid', 'invalid_body', message, { errors });
}

/** A tool that the client runs. */
export function toClientTool(
  { name, description, parameters }: z.output<typeof clientTool>,
  field: string,
): ClientTool {
  const input_schema = parameters ?? { type: 'object', properties: {} };
  if (JSON.stringify(input_schema).length > MAX_SCHEMA)
    throw unsupported(field, `has a schema of more than ${MAX_SCHEMA} characters`);
  return { name, description: description ?? '', input_schema };
}
