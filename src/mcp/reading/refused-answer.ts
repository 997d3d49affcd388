import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { MESSAGE_LIMITS, findExcess } from '../../kernel/json/bounded-json.js';

/**
 * Undefined for a message within the limits; otherwise an error in its place, so that the call that
 * it answers fails at once, and no other.
 * @throws SyntaxError for a message beyond the limits that answers nothing
 */
export function refusalOf(text: string): object | undefined {
  const excess = findExcess(text, MESSAGE_LIMITS);
  if (excess === undefined) return undefined;
  const id = answeredId(text);
  const message = `the server sent a message with ${excess}`;
  if (id === undefined) throw new SyntaxError(message);
  return { jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message } };
}

const ID = /"id"\s*:\s*(\d{1,15})\b/y;

/** The id of an answer, without parsing it; undefined for another message. */
function answeredId(text: string): number | undefined {
  let depth = 0;
  let id: number | undefined;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{' || text[at] === '[') depth++;
    else if (text[at] === '}' || text[at] === ']') depth--;
    else if (text[at] === '"') {
      if (depth === 1 && text.startsWith('"method"', at)) return undefined;
      ID.lastIndex = at;
      const found = depth === 1 ? ID.exec(text)?.[1] : undefined;
      if (found !== undefined) id = Number(found);
      at = lastOfText(text, at);
    }
  }
  return id;
}

/** The index of the quote that ends the text which begins there. */
function lastOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++)
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  return text.length;
}
