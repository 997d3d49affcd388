import type { Sliced } from '../../kernel/async/sliced.js';
import { parseExact } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';
import { refusalOf } from './refused-answer.js';

/** In levels; what is nested deeper stays as it is. */
const MAX_DEPTH = 100;

/** Members whose nulls mean something, or are dropped by the readers of schemas. */
const DATA: ReadonlySet<string> = new Set(['structuredContent', 'inputSchema', 'outputSchema']);

/** Members whose numbers keep every digit. */
const EXACT = /"(?:structuredContent|inputSchema)"/;

/**
 * Parses a message of a server into the form that the protocol prescribes: many servers write each
 * member that they don't have as null, which counts as absent. Structured content and schemas of
 * input keep every digit of their numbers (`exactJson`). An answer that is too large becomes an
 * error.
 * @throws SyntaxError also for another message that is too large
 */
export function* parseIncoming(text: string): Sliced<unknown> {
  const bare = text.replace(/^\uFEFF/, '');
  const refusal = refusalOf(bare);
  if (refusal) return refusal;
  yield;
  const parsed: unknown = JSON.parse(bare);
  yield;
  const message = withoutNulls(parsed, 0);
  if (!isObject(message)) return message;
  yield;
  const exact = EXACT.test(bare) ? parseExact(bare) : undefined;
  yield;
  return completed(message, isObject(exact) ? exact['result'] : undefined);
}

/**
 * Like `parseIncoming`, with a text as the result: text that is not JSON, or that needs no change,
 * stays as it is.
 * @throws SyntaxError for a message that is too large and no answer
 */
export function* cleanIncoming(text: string): Sliced<string> {
  const refusal = refusalOf(text);
  if (refusal) return JSON.stringify(refusal);
  yield;
  if (!/null|"structuredContent"|"inputSchema"|^\uFEFF/.test(text)) return text;
  try {
    return JSON.stringify(yield* parseIncoming(text));
  } catch {
    return text;
  }
}

function withoutNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      DATA.has(name) ? member : withoutNulls(member, depth + 1),
    ]),
  );
}

type Members = Readonly<Record<string, unknown>>;

/** With the members that the protocol requires, where a server wrote null or nothing. */
function completed(message: Members, exact: unknown): Members {
  const { id, method, result, error } = message;
  if (isObject(error)) return { ...message, error: { message: '', ...error } };
  if (id === undefined || method !== undefined) return message;
  return { ...message, result: isObject(result ?? {}) ? completeResult(result, exact) : result };
}

function completeResult(result: unknown, exact: unknown): Members {
  const members = Object(result) as Members;
  if (isObject(exact) && 'structuredContent' in members)
    return { ...members, structuredContent: exact['structuredContent'] };
  if (isObject(exact) && Array.isArray(members['tools']))
    return { ...members, tools: withSchemas(members['tools'], exact['tools']) };
  if (!('protocolVersion' in members)) return members;
  const serverInfo = { name: '', version: '', ...Object(members['serverInfo']) };
  return { capabilities: {}, ...members, serverInfo };
}

function withSchemas(tools: readonly unknown[], exact: unknown): readonly unknown[] {
  const originals = Array.isArray(exact) ? (exact as unknown[]) : [];
  return tools.map((tool, at) => {
    const original = originals[at];
    const isDeclared = isObject(tool) && isObject(original) && 'inputSchema' in tool;
    return isDeclared ? { ...tool, inputSchema: original['inputSchema'] } : tool;
  });
}
