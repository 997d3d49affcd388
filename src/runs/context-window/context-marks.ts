import type { Hidden, HiddenOf } from '../../protocol/events.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Message } from '../../protocol/message.js';
import { createHash } from 'node:crypto';
import { rememberPerObject } from '../../kernel/remember-per-object.js';

/**
 * The cut of a conversation that is too long, in force from some turn on. It is logged, so that a
 * retried turn sends the same messages.
 *
 * `from`: index of the first message that is sent. `summary` replaces the messages before it; null:
 * they are only omitted. Large tool outputs in messages before `references_before` are sent as
 * references. `digest`: digest of the messages that the mark covers; the mark is valid for
 * conversations that begin with them. `added_from`: index of the first message that the
 * interaction added, in a mark of its root agent. `unread`: number of messages that were not loaded
 * and that indices don't count.
 */
export type ContextMark = Extract<HiddenOf<'NOTICE'>, { readonly context: unknown }>['context'];

/** A mark without the conditions under which it is valid. */
export type ContextCut = Pick<ContextMark, 'from' | 'summary' | 'references_before'>;

/** Everything is sent unchanged. */
export const WHOLE: ContextCut = { from: 0, summary: null, references_before: 0 };

/** Number of messages of the conversation that a mark covers. */
export function reachOf({ from, references_before }: ContextCut): number {
  return Math.max(from, references_before);
}

/** Marks kept for one agent; older ones are dropped. */
const MAX_MARKS = 16;

/** The marks of an interaction's agents: a fold over its log. */
export class ContextMarks {
  private readonly byAgent = new Map<string, readonly ContextMark[]>();

  apply({ agent_id, body, hidden }: Pick<LogRecord, 'agent_id' | 'body' | 'hidden'>): void {
    if (body.type === 'AGENT_COMPLETED') return void this.byAgent.delete(agent_id);
    const mark = body.type === 'NOTICE' ? markOf(hidden) : undefined;
    if (mark) this.byAgent.set(agent_id, newestMarks([...this.of(agent_id), mark]));
  }

  of(agentId: string): readonly ContextMark[] {
    return this.byAgent.get(agentId) ?? [];
  }
}

/** The mark in the hidden part of a record, if there is one. */
export function markOf(hidden: Hidden | null): ContextMark | undefined {
  return hidden && 'context' in hidden ? hidden.context : undefined;
}

/** Limits the marks of one agent: comparing one costs a hash of the conversation. */
export function newestMarks(marks: readonly ContextMark[]): readonly ContextMark[] {
  return marks.slice(-MAX_MARKS);
}

/**
 * The newest mark that is valid for this conversation. An imported one may begin with results whose
 * calls it omits: such a mark is not used (I8).
 */
export function findMark(
  marks: readonly ContextMark[],
  messages: readonly Message[],
): ContextMark | undefined {
  return marks.findLast((mark) => {
    const reach = reachOf(mark);
    if (reach > messages.length || messages[mark.from]?.role === 'tool') return false;
    return digestMessages(messages.slice(0, reach)) === mark.digest;
  });
}

/** Identifies the beginning of a conversation, by the content that a model would read. */
export function digestMessages(messages: readonly Message[]): string {
  const hash = createHash('sha256');
  for (const message of messages) hash.update(digestMessage(message));
  return hash.digest('base64url');
}

const digestMessage = rememberPerObject((message: Message): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(essence(message)))
    .digest(),
);

/** Fields in a fixed order: a message that was saved and read again may have them in another. */
function essence(message: Message): unknown[] {
  const { role, content } = message;
  switch (message.role) {
    case 'tool':
      return [role, content, message.tool_call_id];
    case 'assistant': {
      const calls = message.tool_calls ?? [];
      return [role, content, ...calls.map(({ id, function: fn }) => [id, fn.name, fn.arguments])];
    }
    case 'system':
    case 'user':
      return [role, content];
  }
}
