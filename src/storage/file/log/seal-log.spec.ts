import { queuedState } from '../../memory/core/interaction-state.js';
import type { InteractionStart } from '../../memory/core/journal.js';
import type { EncodedAppend, LogPosition } from './log-format.js';
import { decodeCommit, decodeEdited, encodeAppend } from './log-format.js';
import { sealLog } from './seal-log.js';
import type { LogSealing } from './seal-log.js';

const START: InteractionStart = {
  ...{ id: 'int_1', chat_uid: 'uid', chat_id: 'chat_1', tenant_id: 'default', started_by: 'ann' },
  ...{ ordinal: 2, created_at: '2026-01-15T10:00:00.000Z', agent: 'react', agent_id: 'agent_1' },
  settings: { max_iterations: 5, on_disconnect: 'cancel', approval_mode: 'ask', client_tools: [] },
  ...{ model: 'demo/script', edited_from: null, idempotency: null, metadata: {}, chat: null },
  queued: { user_message: 'First', interrupts: null },
};

/** Texts that are longer than before, as sealed ones are. */
const SEALING: LogSealing = {
  data_key: { master_key_id: 'k1', wrapped: 'w' },
  sealRow: async (_kind, row) =>
    'user_message' in row ? { ...row, user_message: `sealed(${row.user_message})` } : row,
};

describe(sealLog.name, () => {
  it('finds the last text of an edited interaction again', async () => {
    const state = queuedState({ parent_id: null, queue_rank: 1 });
    const { settings } = START;
    const parts: Buffer[] = [];
    let before: LogPosition = { offset: 0, edited: undefined };
    const append = (encoded: EncodedAppend) => {
      parts.push(encoded.bytes);
      before = { offset: before.offset + encoded.bytes.length, edited: encoded.edited };
    };
    append(encodeAppend({ start: START, records: [] }, state, before));
    for (const user_message of ['Zweite ä', 'Third'])
      append(encodeAppend({ records: [], edited: { user_message, settings } }, state, before));
    append(encodeAppend({ records: [] }, { ...state, queue_rank: 2 }, before));

    const sealed = await sealLog('int_1', Buffer.concat(parts), SEALING);
    const lines = sealed.toString().trimEnd().split('\n');
    const { edited } = decodeCommit(Buffer.from(lines.at(-1)!))!;
    const line = sealed.subarray(edited!.from, edited!.to);
    expect(decodeEdited(line)).toEqual({ user_message: 'sealed(Third)', settings });
    expect(lines.filter((each) => each.startsWith('{"commit"'))).toHaveLength(4);
  });
});
