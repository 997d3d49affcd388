import { exactJson, ExactNumber } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';

type Part = Readonly<Record<string, unknown>>;

/**
 * The text of `content`: a string or a number, a part, or a list of these. Parts of type `thinking`
 * nest their parts one level deeper.
 */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (typeof content === 'number' || content instanceof ExactNumber) return String(content);
  if (Array.isArray(content)) return content.map(textOfItem).join('');
  return textOfItem(content);
}

/** The thinking in a part, or in a list of parts. */
export function thinkingOfContent(content: unknown): string {
  return partsOf(content)
    .map((part) => (part.type === 'thinking' ? textOfContent(part.thinking) : ''))
    .join('');
}

/** Parts of which neither text nor thinking is read, such as images. */
export function unreadParts(content: unknown): readonly Part[] {
  return partsOf(content).filter(
    ({ type, text }) => type !== 'thinking' && typeof text !== 'string',
  );
}

/** Some servers send the arguments as an object instead of a string. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : exactJson(value);
}

function textOfItem(item: unknown): string {
  if (typeof item === 'string') return item;
  return isObject(item) && typeof item.text === 'string' ? item.text : '';
}

function partsOf(content: unknown): readonly Part[] {
  if (Array.isArray(content)) return content.filter(isObject);
  return isObject(content) ? [content] : [];
}
