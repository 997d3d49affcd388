import { ToolAnnotationsSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { exactJson, parseExact } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';
import { cutText } from '../../kernel/text/cut-text.js';

/** Maximum length, in characters of JSON. */
const MAX_SCHEMA = 100_000;
const MAX_FAULT = 200;
/** In characters: people see it whole, before each call that they approve. */
const MAX_NAME = 200;

/** An optional member that is odd counts as absent. */
const text = z.string().optional().catch(undefined);

const declaration = z.object({
  name: z.string().min(1).max(MAX_NAME),
  title: text,
  description: text,
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: ToolAnnotationsSchema.optional().catch(undefined),
});

/** The declaration of one tool by its server. */
export type Declaration = z.output<typeof declaration>;

/**
 * The numbers of its schema keep every digit (`exactJson`).
 * @throws Error that says why the declaration can't be used
 */
export function readDeclaration(value: unknown): Declaration {
  const json = exactJson(Object(value).inputSchema ?? null);
  if (json.length > MAX_SCHEMA)
    throw new Error(`its schema has ${json.length} characters, more than ${MAX_SCHEMA}`);
  const schema = inputSchemaOf(parseExact(json));
  const read = declaration.safeParse(isObject(value) ? { ...value, inputSchema: schema } : value);
  if (!read.success) throw new Error(describe(read.error));
  return read.data;
}

/** The name of a tool for messages. */
export function nameOf(value: unknown): string {
  const { name: said } = Object(value) as { name?: unknown };
  return typeof said === 'string' ? cutText(said, 100) : 'a tool without a name';
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

function describe({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!;
  return cutText(`${path.map(String).join('.')}: ${message}`, MAX_FAULT);
}
