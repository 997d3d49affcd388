import { isObject } from '../wire/is-object.js';

/** The text of `content`: a string, or a list of parts, of which those of type `thinking` nest theirs one level down. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content)
    .map((part) => asText(part.text))
    .join('');
}

/** The thoughts in a list of parts. */
export function thinkingOfContent(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return partsOf(content)
    .map((part) => (part.type === 'thinking' ? textOfContent(part.thinking) : ''))
    .join('');
}

function partsOf(content: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
