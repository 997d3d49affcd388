import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { LogHead } from './log-reader.js';

interface Beginning {
  readonly parent_id: string | null;
  readonly epoch: number;
  readonly at: string;
}

/** INTERACTION_STARTED, by the root agent. */
export function recordOne(
  { start, user_message }: LogHead,
  { parent_id, epoch, at }: Beginning,
): LogRecord {
  const { id, chat_id, agent, agent_id, model, edited_from } = start;
  const edit = edited_from === null ? {} : { edited_from };
  return {
    ...{ interaction_id: id, seq: 1, epoch, agent_id, at, key: null },
    body: {
      type: 'INTERACTION_STARTED',
      ...{ chat_id, user_message, agent, model, parent_id },
      ...edit,
    },
    hidden: null,
  };
}
