import type { RecordStore } from './record.store.js';
import type { LogRecord } from './rows/log-record.js';

const PAGE = 500;

/** The committed log of an interaction, in order of seq. */
export async function readLog(
  records: Pick<RecordStore, 'readRecords'>,
  interactionId: string,
): Promise<LogRecord[]> {
  const log: LogRecord[] = [];
  for (;;) {
    const after = log.at(-1)?.seq ?? 0;
    const page = await records.readRecords(interactionId, { after, limit: PAGE });
    log.push(...page);
    if (page.length < PAGE) return log;
  }
}
