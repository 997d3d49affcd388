import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';
import type { RunServices } from '../scope/run-services.js';
import { observeRun } from './observe-run.js';
import type { RecordedInteraction } from './observe-run.js';

/** Written in one append with the TURN_COMPLETED that ends their turn. */
const OF_A_TURN: ReadonlySet<RecordType> = new Set(['THINKING', 'MESSAGE', 'ANSWER', 'TOOL_CALL']);

export interface ForkOptions {
  /** The last record that is kept; a turn that it cuts is made anew. */
  readonly from: number;
  readonly write: (record: LogRecord) => void;
}

/**
 * Executes an interaction anew from one of its records, with real models and tools. The records go
 * to `write` and nowhere else.
 */
export async function fork(
  services: RunServices,
  { records, ...rest }: RecordedInteraction,
  { from, write }: ForkOptions,
): Promise<void> {
  const kept = records.filter(
    ({ seq, body }) => seq <= from && body.type !== 'INTERACTION_COMPLETE',
  );
  const whole = kept.slice(0, kept.findLastIndex(({ body }) => !OF_A_TURN.has(body.type)) + 1);
  await observeRun(
    services,
    { ...rest, records: whole },
    {
      resumed: `it was forked from record ${from}`,
      write: (appended) => {
        appended.forEach(write);
        return true;
      },
    },
  );
}
