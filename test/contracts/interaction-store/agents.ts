import { uidOf } from '../../support/store/chat-parts.js';
import { Ids } from '../../../src/kernel/ids.js';
import type { LogRecord } from '../../../src/persistence/rows/log-record.js';
import type { InteractionRow } from '../../../src/persistence/rows/interaction-row.js';
import { ended, endBatch, HELD, newRecord, queued, started } from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

const ids = new Ids();

export function describeAgents(tested: StoreUnderTest): void {
  describe('agents', () => {
    it('lead to their interaction: the root, and children of any depth', async () => {
      const row = await started(tested.store, { lease: HELD });
      const other = await started(tested.store, { lease: HELD });
      const [child, grandchild] = [ids.make('agent'), ids.make('agent')];
      await tested.store.append([
        appendOf(row, [fork(row, 2, child, row.agent_id), said(row, 3, child)]),
        appendOf(other, [said(other, 2, ids.make('agent'))]),
      ]);
      await tested.store.append([appendOf(row, [fork(row, 4, grandchild, child)])]);
      for (const id of [row.agent_id, child, grandchild]) await expectOf(tested, id, row.id);
      await expectOf(tested, other.agent_id, other.id);
      await tested.store.append([endBatch(row.id, 5)]);
      await tested.reopen();
      for (const id of [grandchild, row.agent_id, child]) await expectOf(tested, id, row.id);
    });

    it('are told by their start, not by what they did', async () => {
      const row = await started(tested.store, { lease: HELD });
      const stranger = ids.make('agent');
      await tested.store.append([appendOf(row, [said(row, 2, stranger)])]);
      expect(await tested.store.findInteractionOfAgent(stranger)).toBeUndefined();
      await tested.reopen();
      expect(await tested.store.findInteractionOfAgent(stranger)).toBeUndefined();
    });

    it('have an interaction before their turn has come', async () => {
      const { chat_id } = await started(tested.store, { lease: HELD });
      const waiting = await queued(tested.store, { chat_id });
      await expectOf(tested, waiting.agent_id, waiting.id);
      await tested.reopen();
      await expectOf(tested, waiting.agent_id, waiting.id);
    });

    it('go with their chat', async () => {
      const row = await ended(tested.store, 'gone');
      await expectOf(tested, row.agent_id, row.id);
      await tested.store.deleteChat(uidOf(row.chat_id));
      expect(await tested.store.findInteractionOfAgent(row.agent_id)).toBeUndefined();
    });
  });
}

async function expectOf(tested: StoreUnderTest, agentId: string, id: string): Promise<void> {
  const found = await tested.store.findInteractionOfAgent(agentId);
  expect(found).toEqual(await tested.store.findInteraction(id));
  expect(found?.id).toBe(id);
}

function appendOf({ id }: InteractionRow, records: readonly LogRecord[]) {
  return { interaction_id: id, epoch: 1, records };
}

function fork({ id }: InteractionRow, seq: number, agent_id: string, parent: string): LogRecord {
  const begun = { parent_agent_id: parent, agent_type: 'react', prompt: 'Go.' };
  return newRecord(id, seq, { agent_id, body: { type: 'AGENT_STARTED', ...begun } });
}

function said({ id }: InteractionRow, seq: number, agent_id: string): LogRecord {
  return newRecord(id, seq, { agent_id });
}
