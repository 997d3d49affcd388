import { MESSAGE_LIMITS, findExcess, parseBounded } from '../kernel/bounded-json.js';
import { parseExact } from '../kernel/exact-json.js';
import { isObject } from '../kernel/json.js';

/** In levels; what is nested deeper stays as it is. */
const MAX_DEPTH = 100;

/** Members whose nulls mean something, or are dropped by the readers of schemas. */
const DATA: ReadonlySet<string> = new Set(['structuredContent', 'inputSchema', 'outputSchema']);

/**
 * Parses a message of a server into the form that the protocol prescribes: many servers write each
 * member that they don't have as null, which counts as absent. Structured content keeps every digit
 * of its numbers (`exactJson`).
 * @throws SyntaxError also for a message that is too large
 */
export function parseIncoming(text: string): unknown {
  const bare = text.replace(/^\uFEFF/, '');
  const message = withoutNulls(parseBounded(bare, MESSAGE_LIMITS), 0);
  if (!isObject(message)) return message;
  const exact = bare.includes('"structuredContent"') ? parseExact(bare) : undefined;
  return completed(message, isObject(exact) ? exact['result'] : undefined);
}

/**
 * As `parseIncoming`, as text. What is not JSON, and what needs no change, stays as it is.
 * @throws Error for a message that is too large
 */
export function cleanIncoming(text: string): string {
  const excess = findExcess(text, MESSAGE_LIMITS);
  if (excess !== undefined) throw new Error(`it sent a message with ${excess}`);
  if (!/null|"structuredContent"|^\uFEFF/.test(text)) return text;
  try {
    return JSON.stringify(parseIncoming(text));
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
  if (!('protocolVersion' in members)) return members;
  const serverInfo = { name: '', version: '', ...Object(members['serverInfo']) };
  return { capabilities: {}, ...members, serverInfo };
}
