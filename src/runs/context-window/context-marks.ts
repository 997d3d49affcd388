import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Hidden } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import { reachOf } from './context-mark.js';
import type { ContextMark } from './context-mark.js';
import { digestMessages } from './digest-messages.js';

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

/** What is kept of them: each that is looked at costs a hash of the conversation. */
export function newestMarks(marks: readonly ContextMark[]): readonly ContextMark[] {
  return marks.slice(-MAX_MARKS);
}

/** The newest that holds for this conversation. One that was imported may begin with results whose calls it leaves out: none does so (I8). */
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
