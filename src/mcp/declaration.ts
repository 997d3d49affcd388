import { ToolAnnotationsSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isObject } from '../kernel/json.js';

/** Maximum length, in characters of JSON. */
const MAX_SCHEMA = 100_000;
const MAX_FAULT = 200;

/** An optional member that is odd counts as absent. */
const text = z.string().optional().catch(undefined);

const declaration = z.object({
  name: z.string(),
  title: text,
  description: text,
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: ToolAnnotationsSchema.optional().catch(undefined),
});

/** The declaration of one tool by its server. */
export type Declaration = z.output<typeof declaration>;

/** @throws Error that says why the declaration can't be used */
export function readDeclaration(value: unknown): Declaration {
  const size = JSON.stringify(Object(value).inputSchema ?? null).length;
  if (size > MAX_SCHEMA)
    throw new Error(`its schema has ${size} characters, more than ${MAX_SCHEMA}`);
  const read = declaration.safeParse(cleaned(value));
  if (!read.success) throw new Error(describe(read.error));
  return read.data;
}

/** The name of a tool for messages. */
export function nameOf(value: unknown): string {
  const { name: said } = Object(value) as { name?: unknown };
  return typeof said === 'string' ? said.slice(0, 100) : 'a tool without a name';
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Arguments are an object whatever the server says: without a schema, any object. */
function inputSchemaOf(value: unknown): JsonSchema {
  return { ...(isObject(value) && (withoutNullKeywords(value) as JsonSchema)), type: 'object' };
}

/** Keywords whose value may be null, or has nulls that mean something. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

function withoutNullKeywords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNullKeywords);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([name, value]) => VALUES.has(name) || value !== null);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, VALUES.has(name) ? value : withoutNullKeywords(value)]),
  );
}

function cleaned(value: unknown): unknown {
  if (!isObject(value)) return value;
  return { ...value, inputSchema: inputSchemaOf(value['inputSchema']) };
}

function describe({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return `${path.map(String).join('.')}: ${message}`.slice(0, MAX_FAULT);
}
