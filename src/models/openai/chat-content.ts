import { isObject } from '../../kernel/json.js';

/**
 * The text of `content`: a string, or a list of parts. Parts of type `thinking` nest their parts
 * one level deeper.
 */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('');
}

/** The thinking in a list of parts. */
export function thinkingOfContent(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return partsOf(content)
    .map((part) => (part.type === 'thinking' ? textOfContent(part.thinking) : ''))
    .join('');
}

/** Some servers send the arguments as an object instead of a string. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function partsOf(content: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}
