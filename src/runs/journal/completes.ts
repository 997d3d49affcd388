import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';
import { agentPath } from './agent-end-key.js';

const COMPLETING: ReadonlySet<RecordType> = new Set([
  'TURN_COMPLETED',
  'TOOL_RESULT',
  'STEP_COMPLETED',
  'INPUT_RECEIVED',
  'MESSAGE',
  'NOTICE',
  'AGENT_STARTED',
  'AGENT_COMPLETED',
]);

/** A record that settles its step; other records of a step, such as TOOL_STARTED, only tell how far it got. */
export type CompletingRecord = LogRecord & { readonly key: string };

export function completes(record: LogRecord): record is CompletingRecord {
  return record.key !== null && COMPLETING.has(record.body.type);
}

/** The key of the step, or path of the agent, that is over with this record, and all that is inside it: a call whose agent went on ends with its note. */
export function endedBy(record: LogRecord): string | undefined {
  const { body } = record;
  if (body.type === 'AGENT_STARTED') return undefined;
  if (body.type === 'AGENT_COMPLETED') return agentPath(record.key ?? '');
  if (completes(record)) return record.key;
  const hidden = isRecordOf(record, 'NOTICE') ? record.hidden : null;
  return hidden && 'deferred' in hidden ? hidden.key : undefined;
}
