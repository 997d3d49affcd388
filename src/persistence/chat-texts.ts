/// <reference lib="es2024.string" />
import { isSealed } from '../encryption/sealed-text.js';
import type { Message } from '../protocol/message.js';

/** The texts of a chat in lists, after a start. */
export interface ChatTexts {
  /** For a chat without a title. */
  readonly title: string | null;
  readonly preview: string | null;
}

const TITLE_LENGTH = 80;
const PREVIEW_LENGTH = 200;
/** Characters of a text that are looked at for each one that is shown. */
const SLACK = 4;

/** The title of a chat without one: the beginning of its first message. */
export function titleOf(user_message: string): string | null {
  return beginningOf(user_message, TITLE_LENGTH);
}

export function textsOf(user_message: string): ChatTexts {
  return { title: titleOf(user_message), preview: previewOf(user_message) };
}

/** The preview of a chat in lists: the beginning of the last text on its active branch. */
export function previewOf(text: string): string | null {
  return beginningOf(text, PREVIEW_LENGTH);
}

/**
 * After an end; null if the agent said nothing. A sealed message has a sealed preview. It is known
 * by its property `enc`, which no model writes: an answer may look like a sealed text.
 */
export function previewOfEnd(added: readonly Message[]): string | null {
  const last = added.findLast(
    ({ role, content }) => role === 'assistant' && typeof content === 'string' && content !== '',
  );
  if (typeof last?.content !== 'string') return null;
  return 'enc' in last && isSealed(last.enc) ? last.content : previewOf(last.content);
}

/** On one line, storable, without half a character at its end. */
function beginningOf(text: string, length: number): string | null {
  const start = text.trimStart().slice(0, length * SLACK);
  const line = start
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= length) return line || null;
  const characters = Array.from(line.slice(0, 2 * length + 1)); // one has at most two units
  if (characters.length <= length) return line;
  return `${characters
    .slice(0, length - 1)
    .join('')
    .trimEnd()}…`;
}
