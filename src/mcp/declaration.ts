import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Characters of JSON. */
const MAX_SCHEMA = 100_000;
const MAX_FAULT = 200;

const { name, title, description, inputSchema, annotations } = ToolSchema.shape;
const declaration = z.object({ name, title, description, inputSchema, annotations });

/** What a server says of one of its tools. */
export type Declaration = z.output<typeof declaration>;

/** @throws Error if it can't be used, with what is wrong */
export function readDeclaration(value: unknown): Declaration {
  const size = JSON.stringify(Object(value).inputSchema ?? null).length;
  if (size > MAX_SCHEMA)
    throw new Error(`its schema has ${size} characters, more than ${MAX_SCHEMA}`);
  const read = declaration.safeParse(value);
  if (!read.success) throw new Error(describe(read.error));
  return read.data;
}

/** For messages. */
export function nameOf(value: unknown): string {
  const { name: said } = Object(value) as { name?: unknown };
  return typeof said === 'string' ? said.slice(0, 100) : 'a tool without a name';
}

function describe({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return `${path.map(String).join('.')}: ${message}`.slice(0, MAX_FAULT);
}
