import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';

const COMPLETING: ReadonlySet<RecordType> = new Set([
  'TURN_COMPLETED',
  'TOOL_RESULT',
  'STEP_COMPLETED',
  'INPUT_RECEIVED',
  'MESSAGE',
  'NOTICE',
  'AGENT_STARTED',
  'AGENT_COMPLETED',
  'AGENT_TOLD',
  'CUSTOM',
  'METADATA_SET',
]);

/**
 * A record that completes its step. Other records of a step, such as TOOL_STARTED, report its
 * progress.
 */
export type CompletingRecord = LogRecord & { readonly key: string };

export function completes(record: LogRecord): record is CompletingRecord {
  return record.key !== null && COMPLETING.has(record.body.type);
}

/**
 * Key of the step, or path of the agent, that ends with this record, including everything nested in
 * it. A deferred call ends with its note.
 */
export function endedBy(record: LogRecord): string | undefined {
  const { body } = record;
  if (body.type === 'AGENT_STARTED') return undefined;
  if (body.type === 'AGENT_COMPLETED') return agentPath(record.key ?? '');
  if (completes(record)) return record.key;
  const hidden = isRecordOf(record, 'NOTICE') ? record.hidden : null;
  return hidden && 'deferred' in hidden ? hidden.key : undefined;
}

const END = '.end';

/** The key of the record that ends a child agent. The agent's path is the key of its fork. */
export function agentEndKey(path: string): string {
  return path + END;
}

/** The path of the agent that a record of this key ends. */
function agentPath(endKey: string): string {
  return endKey.slice(0, -END.length);
}
