import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { EarlierMarks } from './earlier-marks.js';

const ROW = { id: 'int_1', agent_id: 'agent_1', chat_id: 'chat_1' } as InteractionRow;

describe(EarlierMarks.name, () => {
  it('keeps the newest of the marks of a log, which may be an imported one with any number', async () => {
    const records = Array.from({ length: 10_000 }, (_, i) => {
      const context = { from: i, summary: null, references_before: 0, digest: '' };
      const body = { type: 'NOTICE', code: 'context_cut', message: '' };
      return { interaction_id: ROW.id, agent_id: ROW.agent_id, body, hidden: { context } };
    });
    const stores = {
      interactions: { listInteractions: async () => [ROW] },
      records: { readRecordsOfTypes: async () => records as unknown as LogRecord[] },
    };
    const next = { ...ROW, id: 'int_2', parent_id: ROW.id };
    const earlier = new EarlierMarks(stores, next);
    await earlier.load();
    expect(earlier.marks.length).toBeLessThan(100);
    expect(earlier.marks.at(-1)?.from).toBe(9_999);
  });
});
