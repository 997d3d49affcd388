import type { ZodType } from 'zod';
import { parseBounded } from '../../../kernel/json/bounded-json.js';
import { behindThoughts } from '../../../models/answer/tagged-thoughts.js';

export type ReadAnswer<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

const MAX_FAULTS = 5;

/**
 * The JSON object in a model's output, which may have other text around it, but not in the thoughts
 * before it. One beyond the limits of a document counts as none.
 */
export function readAnswer<T>(schema: ZodType<T>, text: string): ReadAnswer<T> {
  const answer = behindThoughts(text);
  const candidates = [text, fenced(answer), braced(answer)].filter((part) => part !== undefined);
  let fault = 'it is not a JSON object';
  for (const candidate of candidates) {
    const value = parse(candidate);
    if (value === undefined) continue;
    const { data, error, success } = schema.safeParse(value);
    if (success) return { ok: true, value: data };
    fault = error.issues.slice(0, MAX_FAULTS).map(describe).join('; ');
  }
  return { ok: false, fault };
}

const OPENING_FENCE = /```(?:json)?[^\S\n]*\n/;
const CLOSING_FENCE = /\n[^\S\n]*```/;

function fenced(text: string): string | undefined {
  const opening = OPENING_FENCE.exec(text);
  if (!opening) return undefined;
  const content = text.slice(opening.index + opening[0].length);
  const closing = CLOSING_FENCE.exec(content);
  return closing ? content.slice(0, closing.index) : undefined;
}

function braced(text: string): string | undefined {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  return start !== -1 && end > start ? text.slice(start, end + 1) : undefined;
}

/** undefined: it is not an object. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = parseBounded(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function describe({ path, message }: { path: readonly PropertyKey[]; message: string }): string {
  return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
}
