import { Breather } from '../kernel/async/breather.js';
import type { RecordStore } from '../persistence/record.store.js';
import { TEXT_TYPES, Timeline, TIMELINE_TYPES } from './timeline.js';

const PAGE = 500;
/** Maximum number of records that are read; later ones are left out. */
const MAX_RECORDS = 50_000;

/** The timeline of a log as it is saved; `isWhole` is false if the log is too long for it. */
export async function readTimeline(
  records: Pick<RecordStore, 'readRecords'>,
  interactionId: string,
  withTexts = false,
): Promise<{ readonly timeline: Timeline; readonly isWhole: boolean }> {
  const timeline = new Timeline(interactionId, withTexts);
  const types = withTexts ? [...TIMELINE_TYPES, ...TEXT_TYPES] : TIMELINE_TYPES;
  const breather = new Breather();
  let after = 0;
  for (let read = 0; read < MAX_RECORDS; read += PAGE) {
    const page = await records.readRecords(interactionId, { after, limit: PAGE, types });
    for (const record of page) timeline.take(record);
    if (page.length < PAGE) return { timeline, isWhole: true };
    after = page.at(-1)!.seq;
    await breather.breathe();
  }
  return { timeline, isWhole: false };
}
