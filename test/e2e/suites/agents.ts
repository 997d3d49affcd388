import { checkConversation } from '../../support/runs/check-conversation.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';
import type {
  AgentView,
  InteractionTree,
  TreePage,
  WholeAgent,
} from '../../../src/protocol/wire/agent.js';

const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });
const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };
const ASKER = script({ calls: [QUESTION] });
const ELDER = script({ calls: [child(ASKER)] });
const YOUNGER = script({ calls: [CALCULATION] });
/** Two children: one has to be approved, the child of the other asks. */
const FAMILY = script({ calls: [child(YOUNGER), child(ELDER)] });

export function describeAgents(servers: Servers): void {
  describe('GET /agents', () => {
    withPeople(servers, {}, (server, person) => {
      it('shows the tree of what runs, and of what has ended', async () => {
        const following = await person.say('tree', FAMILY);
        const { approval_id, agent_id: younger } = await following.record('APPROVAL_REQUIRED');
        const { request_id, agent_id: asker } = await following.record('INPUT_REQUIRED');
        const live = await treeOf(server, 'chat_id=tree');
        expect(live).toMatchObject({ chat_id: 'tree', interaction_id: following.of.id });
        expect(live.status).toBe('WAITING_APPROVAL');
        expect(sketch(live.root)).toEqual([
          'waiting_subagent',
          ['waiting_permission'],
          ['waiting_subagent', ['awaiting_user']],
        ]);
        const [first, second] = live.root.children;
        expect(first).toMatchObject({
          agent_id: younger,
          prompt: YOUNGER,
          turns: 1,
          tool_calls: 1,
        });
        expect(first).not.toHaveProperty('messages');
        expect(second?.children[0]).toMatchObject({
          agent_id: asker,
          parent_agent_id: second?.agent_id,
        });
        const calls = following.reader
          .list('TOOL_CALL')
          .filter((call) => call.tool_name === 'agent');
        expect(calls.map(({ id }) => id)).toEqual(
          expect.arrayContaining([first?.parent_tool_call_id, second?.parent_tool_call_id]),
        );
        await person.approve(following.of, approval_id);
        await person.respond(following.of, request_id, 'Fine.');
        await following.end();
        await server.restart();
        const ended = await treeOf(server, `interaction_id=${following.of.id}`);
        expect(sketch(ended.root)).toEqual([
          'completed',
          ['completed'],
          ['completed', ['completed']],
        ]);
        expect(ended.root.result).toBe('Done.');
        expect(await treeOf(server, 'chat_id=tree')).toEqual(ended);
      });

      it('shows one agent with its messages, live and later', async () => {
        const following = await person.say('one', FAMILY);
        const { request_id, agent_id: asker } = await following.record('INPUT_REQUIRED');
        const live = await agentOf(server, asker);
        expect(live).toMatchObject({ chat_id: 'one', interaction_id: following.of.id });
        expect(live.state).toBe('awaiting_user');
        expect(live.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        await person.respond(following.of, request_id, 'Fine.');
        await person.approve(following.of, approval_id);
        const { records } = await following.end();
        await server.restart();
        const later = await agentOf(server, asker);
        expect(later).toMatchObject({ state: 'completed', result: 'Done.', prompt: ASKER });
        expect(later.messages.map(({ content }) => content)).toEqual([
          ASKER,
          null,
          'Fine.',
          'Done.',
        ]);
        expect(checkConversation(later.messages)).toEqual([]);
        const root = await agentOf(server, records[0]!.agent_id);
        const { final_agent_state } = await server.api.interaction(following.of);
        expect(root.messages).toEqual(final_agent_state!.messages);
      });

      it('lists the trees of all that runs, and what people said last to their agents', async () => {
        const one = await person.say('many-1', script({ calls: [CALCULATION] }));
        const two = await person.say('many-2', script({ calls: [CALCULATION] }));
        const { agent_id } = await one.record('APPROVAL_REQUIRED');
        await two.record('APPROVAL_REQUIRED');
        const told = { user_comment: 'modify', user_content: 'Rather 7*7.' };
        await server.api.post(`/agents/${agent_id}/intervene`, told);
        const trees = async (query: string) =>
          (await server.api.get(`/agents/tree?${query}`)).body as TreePage;
        const first = await trees('limit=1');
        expect(first.items).toMatchObject([{ chat_id: 'many-1', root: { agent_id, ...told } }]);
        const rest = await trees(`limit=1&cursor=${first.next_cursor}`);
        expect(rest.items).toMatchObject([
          { chat_id: 'many-2', root: { user_comment: 'unchanged', user_content: null } },
        ]);
        expect(rest.next_cursor).toBeNull();
        expect(await agentOf(server, agent_id)).toMatchObject(told);
        for (const { of } of [one, two]) await person.cancel(of, '?wait=true');
        expect(await trees('')).toEqual({ items: [], next_cursor: null });
      });

      it('says what is wrong with what was asked for', async () => {
        const replies = await Promise.all([
          server.api.get('/agents/tree?cursor=x'),
          server.api.get('/agents/tree?chat_id=nobody'),
          server.api.get('/agents/tree?chat_id=nobody&interaction_id=int_none'),
          server.api.get('/agents/agent_none'),
          server.api.get('/agents/no%20id'),
        ]);
        expect(replies.map(({ status, body }) => [status, body.type])).toEqual([
          [400, '/problems/invalid_query'],
          [404, '/problems/interaction_not_found'],
          [404, '/problems/interaction_not_found'],
          [404, '/problems/agent_not_found'],
          [400, expect.any(String)],
        ]);
      });
    });
  });
}

/** The states of an agent and of those below it. */
function sketch({ state, children }: AgentView): unknown[] {
  return [state, ...children.map(sketch)];
}

async function treeOf(server: ServerUnderTest, query: string): Promise<InteractionTree> {
  const { status, body } = await server.api.get(`/agents/tree?${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body as InteractionTree;
}

async function agentOf(server: ServerUnderTest, id: string): Promise<WholeAgent> {
  const { status, body } = await server.api.get(`/agents/${id}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body as WholeAgent;
}
