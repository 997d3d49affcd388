import {
  HELD,
  at,
  endBatch,
  exchange,
  newEnd,
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
