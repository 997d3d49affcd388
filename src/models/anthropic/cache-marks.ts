import type {
  ContentBlockParam,
  TextBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import type { Turn } from './message-params.js';

/** What the vendor may keep from one turn to the next: it takes four marks, and looks for what it has before each. */
const MARK = { cache_control: { type: 'ephemeral' } } as const;
const MARKED_TURNS = 2;
const UNMARKABLE = new Set(['thinking', 'redacted_thinking']);

/** Marks the last of tools, or of a system prompt's texts. */
export function markLast<T extends ToolUnion | TextBlockParam>(items: readonly T[]): T[] {
  return items.map((item, i) => (i === items.length - 1 ? { ...item, ...MARK } : item));
}

/** Marks where the user's last turns end: the newest for the next request, the one before because this request finds it. */
export function markTurns(turns: readonly Turn[]): Turn[] {
  const marked = new Set(turns.filter(({ role }) => role === 'user').slice(-MARKED_TURNS));
  return turns.map((turn) =>
    marked.has(turn) ? { ...turn, content: markEnd(turn.content) } : turn,
  );
}

function markEnd(content: readonly ContentBlockParam[]): ContentBlockParam[] {
  const last = content.findLastIndex(({ type }) => !UNMARKABLE.has(type));
  return content.map((block, i) => (i === last ? { ...block, ...MARK } : block));
}
