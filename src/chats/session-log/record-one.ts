import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/store-rows.js';

/** INTERACTION_STARTED, as the row has it. */
export function recordOne(
  row: InteractionRow,
  { epoch, at }: Pick<LogRecord, 'epoch' | 'at'>,
): LogRecord {
  const { id, chat_id, user_message, agent, agent_id, model, parent_id, edited_from } = row;
  const edit = edited_from === null ? {} : { edited_from };
  return {
    ...{ interaction_id: id, seq: 1, epoch, agent_id, at, key: null, hidden: null },
    body: {
      type: 'INTERACTION_STARTED',
      ...{ chat_id, user_message, agent, model, parent_id },
      ...edit,
    },
  };
}
