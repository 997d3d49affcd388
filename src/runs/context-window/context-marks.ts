import type { Hidden, HiddenOf } from '../../protocol/events.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Message } from '../../protocol/message.js';
import { createHash } from 'node:crypto';

/**
 * The cut of a conversation that has grown too long, from some turn on. It is logged, so that a
 * retried turn sends the same.
 *
 * `from`: index of the first message that is sent; `summary` replaces those before it, null: they
 * are only left out. Large tool outputs in messages before `references_before` are sent as
 * references. `digest`: of the messages that the mark is about; it holds for conversations that
 * begin with them.
 */
export type ContextMark = Extract<HiddenOf<'NOTICE'>, { readonly context: unknown }>['context'];

/** A mark before it is known which messages it is about. */
export type ContextCut = Omit<ContextMark, 'digest'>;

/** Everything is sent as it is. */
export const WHOLE: ContextCut = { from: 0, summary: null, references_before: 0 };

/** How many messages of the conversation a mark is about. */
export function reachOf({ from, references_before }: ContextCut): number {
  return Math.max(from, references_before);
}

/** Of one agent; older ones are forgotten. */
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

/** The mark that a record hides, if it does. */
export function markOf(hidden: Hidden | null): ContextMark | undefined {
  return hidden && 'context' in hidden ? hidden.context : undefined;
}

/** Bounds the marks of one agent: comparing one costs a hash of the conversation. */
export function newestMarks(marks: readonly ContextMark[]): readonly ContextMark[] {
  return marks.slice(-MAX_MARKS);
}

/**
 * The newest that holds for this conversation. One that was imported may begin with results whose
 * calls it leaves out: none does so (I8).
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

/** Tells beginnings of conversations apart, by what a model would read of them. */
export function digestMessages(messages: readonly Message[]): string {
  const hash = createHash('sha256');
  for (const message of messages) hash.update(`${JSON.stringify(essence(message))}\n`);
  return hash.digest('base64url');
}

/** In an order of its own: what was saved and read again may name its fields in another. */
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
