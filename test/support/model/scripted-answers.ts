import type { ChatBody } from './fake-model.js';
import type { FakeTurn } from './fake-openai-turn.js';

const PREFIX = 'Play ';
const CLOSING: FakeTurn = { text: 'Done.' };

/** A user message that tells the fake model its turns; after them it says "Done.". */
export function script(...turns: readonly FakeTurn[]): string {
  return `${PREFIX}${JSON.stringify(turns)}`;
}

/**
 * Plays the script of the last user message, however many conversations there are at once. Any
 * other message gets "Done.".
 */
export const playScript = (body: ChatBody): FakeTurn => {
  const messages = body['messages'] as readonly ChatBody[];
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && !isNote(content));
  const text = String(messages[at]?.['content']);
  if (!text.startsWith(PREFIX)) return CLOSING;
  const turns = JSON.parse(text.slice(PREFIX.length)) as readonly FakeTurn[];
  const played = messages.slice(at).filter(({ role }) => role === 'assistant').length;
  return turns[played] ?? CLOSING;
};

/** What an agent is told of a call that it went on without. */
function isNote(content: unknown): boolean {
  return String(content).includes('which waited for approval, is settled');
}
