import type { RecordEvent } from '../../client/index.js';

/** Records of a group stand together; a blank line comes between groups. */
export function groupOf(record: RecordEvent): string {
  const { type, seq } = record;
  switch (type) {
    case 'ANSWER':
      return record.block_id;
    case 'INTERACTION_STARTED':
    case 'INPUT_REQUIRED':
    case 'INTERACTION_COMPLETE':
      return `${type}/${seq}`;
    case 'AGENT_STARTED':
    case 'AGENT_COMPLETED':
      return 'agent';
    default:
      return 'tool';
  }
}
