import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { RecordType } from '../../protocol/events.js';
import { AgentTree } from './agent-tree.js';
import type { RootOf } from './agent-tree.js';

/** Records that are in memory at once. */
const PAGE = 500;

/** The types of records that a tree is made of. */
export const TREE_TYPES: readonly RecordType[] = [
  'INTERACTION_STARTED',
  'AGENT_STARTED',
  'AGENT_COMPLETED',
  'AGENT_INTERVENED',
  'ANSWER',
  'APPROVAL_REQUIRED',
  'APPROVED',
  'REJECTED',
  'INPUT_REQUIRED',
  'INPUT_RECEIVED',
  'TOOL_CALL',
  'TOOL_STARTED',
  'TOOL_RESULT',
  'TOOL_RESULT_REQUIRED',
  'TURN_COMPLETED',
  'NOTICE',
  'RESUMED',
  'ERROR',
  'INTERACTION_COMPLETE',
];

/** The records of some types of a log, page by page. */
export async function* pagesOf(
  store: Pick<RecordStore, 'readRecords'>,
  interactionId: string,
  types: readonly RecordType[],
): AsyncGenerator<LogRecord[]> {
  for (let after = 0; ;) {
    const page = await store.readRecords(interactionId, { after, limit: PAGE, types });
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.seq;
  }
}

/**
 * The agents of an interaction, from its log.
 * @param each gets every record of the types, in order
 */
export async function readTree(
  store: Pick<RecordStore, 'readRecords'>,
  row: RootOf & Pick<InteractionRow, 'id'>,
  types: readonly RecordType[] = TREE_TYPES,
  each: (record: LogRecord) => void = () => {},
): Promise<AgentTree> {
  const tree = new AgentTree(row);
  let last: LogRecord | undefined;
  for await (const page of pagesOf(store, row.id, types))
    for (const record of page) {
      // an end that other records follow is none: the interaction was retried
      if (last && last.body.type !== 'INTERACTION_COMPLETE') tree.apply(last);
      each(record);
      last = record;
    }
  if (last) tree.apply(last);
  return tree;
}
