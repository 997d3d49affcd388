import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Maximum length, in characters of JSON. */
const MAX_SCHEMA = 100_000;
const MAX_FAULT = 200;

const { name, title, description, inputSchema, annotations } = ToolSchema.shape;
const declaration = z.object({ name, title, description, inputSchema, annotations });

/** The declaration of one tool by its server. */
export type Declaration = z.output<typeof declaration>;

/** @throws Error that says why the declaration can't be used */
export function readDeclaration(value: unknown): Declaration {
  const size = JSON.stringify(Object(value).inputSchema ?? null).length;
  if (size > MAX_SCHEMA)
    throw new Error(`its schema has ${size} characters, more than ${MAX_SCHEMA}`);
  const read = declaration.safeParse(value);
  if (!read.success) throw new Error(describe(read.error));
  return read.data;
}

/** The name of a tool for messages. */
export function nameOf(value: unknown): string {
  const { name: said } = Object(value) as { name?: unknown };
  return typeof said === 'string' ? said.slice(0, 100) : 'a tool without a name';
}

function describe({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return `${path.map(String).join('.')}: ${message}`.slice(0, MAX_FAULT);
}
