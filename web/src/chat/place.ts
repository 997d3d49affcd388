import type { RecordEvent } from 'parley/client';
import type { Item } from './items/items';
import type { Turn } from './turns';

/**
 * The item of an agent that tells of a record: its own, that of its call, or the one before it. Of
 * records of other agents there is none.
 */
export function placeOf(
  turn: Turn,
  agentId: string,
  items: readonly Item[],
  seq: number,
): Item | undefined {
  const record = recordAt(turn, seq);
  if (record?.type === 'INTERACTION_STARTED') return undefined;
  // Its log is being read.
  if (!record && turn.isCut) return undefined;
  if ((record?.agent_id ?? turn.agent_id) !== agentId) return undefined;
  const own = items.find((item) => item.seq === seq);
  if (own) return own;
  const call = record && callOf(record);
  const ofCall = items.find((item) => item.kind === 'call' && item.call?.id === call);
  return (
    (call === undefined ? undefined : ofCall) ??
    items.findLast((item) => item.seq !== null && item.seq < seq) ??
    items[0]
  );
}

/** The agent whose record it is; null if the record is not here. */
export function agentAt(turn: Turn, seq: number): string | null {
  return recordAt(turn, seq)?.agent_id ?? null;
}

function recordAt({ records }: Turn, seq: number): RecordEvent | undefined {
  const there = records[seq - 1];
  return there?.seq === seq ? there : records.find((record) => record.seq === seq);
}

/** The call that a record is about. */
function callOf(record: RecordEvent): string | undefined {
  switch (record.type) {
    case 'TOOL_STARTED':
    case 'TOOL_RESULT':
      return record.id;
    default:
      return 'tool_call_id' in record ? record.tool_call_id : undefined;
  }
}
