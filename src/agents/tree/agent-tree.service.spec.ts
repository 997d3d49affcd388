import {
  HELD,
  at,
  endBatch,
  exchange,
  newEnd,
  newRecord,
  started,
} from '../../../test/contracts/interaction-store/fixtures.js';
import { memoryStore } from '../../../test/support/store/whole-store.js';
import { ChatAccess } from '../../access/chat-access.js';
import { LOCAL_PRINCIPAL } from '../../auth/principal.js';
import { AgentTreeService } from './agent-tree.service.js';

const MIB = 1024 * 1024;

describe(AgentTreeService.name, () => {
  const store = memoryStore();
  const trees = new AgentTreeService(new ChatAccess(store, store), store, store, store);

  it.each([
    ['shows a root agent with the earlier conversation', 'short', exchange('short'), false],
    ['says where an earlier conversation is that is too long', 'x'.repeat(17 * MIB), [], true],
  ])('%s', async (_, answer, before, isCut) => {
    const { chat_id, id } = await started(store, { lease: HELD });
    await store.append([endBatch(id, 2, { end: newEnd(answer) })]);
    const { agent_id } = await started(store, { chat_id, lease: HELD });
    const shown = await trees.agent(LOCAL_PRINCIPAL, agent_id);
    expect(shown.messages.slice(0, before.length)).toEqual(before);
    expect(shown.messages).toHaveLength(before.length + 1);
    expect(shown.cut).toEqual(isCut ? { messages: `/chats/${chat_id}/log` } : null);
  });

  it('shows an agent with a bounded part of its own records, and reads them by pages', async () => {
    const row = await started(store, { lease: HELD });
    const { id, agent_id, chat_id } = row;
    const pages: number[] = [];
    const { readRecords } = store;
    store.readRecords = async (...asked) => {
      const page = await readRecords(...asked);
      pages.push(page.length);
      return page;
    };
    const content = 'x'.repeat(MIB / 8);
    const answer = (seq: number, text: string) =>
      newRecord(id, seq, {
        agent_id,
        body: { type: 'ANSWER', block_id: `b${seq}`, content: text },
        hidden: { standalone: true },
      });
    const show = async (from: number, count: number, text: string) => {
      const records = Array.from({ length: count }, (_, n) => answer(from + n, text));
      await store.append([{ interaction_id: id, epoch: 1, records }]);
      pages.length = 0;
      return trees.agent(LOCAL_PRINCIPAL, agent_id);
    };
    const short = await show(2, 600, 'short');
    expect([short.messages.length, short.cut, pages]).toEqual([601, null, [500, 101]]);
    const long = await show(602, 150, content);
    expect(long.cut).toEqual({ messages: `/chats/${chat_id}/log` });
    expect(long.messages.length).toBeGreaterThan(601 + 100);
    expect(JSON.stringify(long.messages).length).toBeLessThan(17 * MIB);
    store.readRecords = readRecords;
  });

  it('shows all trees on pages of a bounded size', async () => {
    const own = memoryStore();
    const listed = new AgentTreeService(new ChatAccess(own, own), own, own, own);
    const reads: number[] = [];
    const { listRuns } = own;
    own.listRuns = async (page) => {
      const rows = await listRuns(page);
      reads.push(rows.length);
      return rows;
    };
    const made: string[] = [];
    for (let n = 0; n < 14; n++)
      made.push((await started(own, { created_at: at(n), user_message: 'x'.repeat(MIB) })).id);
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await listed.running(LOCAL_PRINCIPAL, { limit: 50, cursor });
      seen.push(...page.items.map(({ interaction_id }) => interaction_id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(made);
    expect(reads).toEqual([8, 7]);
  });
});
