import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reply } from '../../support/client/api-client.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { eventually } from '../../support/eventually.js';
import { findProcesses } from '../../support/server/find-processes.js';
import type { Following } from '../../support/store/following.js';
import { Gate } from '../../support/gate.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { WholeAgent } from '../../../src/protocol/wire/agent.js';

const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });
const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };
const ASKS = script({ calls: [QUESTION] });
/** The child of a child asks. */
const DEEP = script({ calls: [child(script({ calls: [child(ASKS)] }))] });

export function describeSteering(servers: Servers): void {
  const folder = mkdtempSync(join(tmpdir(), 'parley-e2e-steering-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  for (const PARK_AFTER_MS of ['60000', '0'])
    describe(`What waits ${PARK_AFTER_MS === '0' ? 'parked' : 'in memory'}`, () => {
      withPeople(servers, { PARK_AFTER_MS }, (server, person) => {
        const rested = async ({ of }: Following) => {
          if (PARK_AFTER_MS === '0') await eventually(() => !server.runs(of.id));
        };

        it('is told something, and reads it after the results of its calls', async () => {
          const following = await person.say(
            'noted',
            script({ calls: [child(script({ calls: [CALCULATION] }))] }),
          );
          const { approval_id, agent_id } = await following.record('APPROVAL_REQUIRED');
          await rested(following);
          const note = script({ text: 'As you say.' });
          const id = await accepted(server, agent_id, { user_comment: note });
          expect((await agentOf(server, agent_id)).interventions).toMatchObject([
            { intervention_id: id, status: 'accepted', user_comment: note, seq: null },
          ]);
          await rested(following);
          expect(following.reader.types).not.toContain('AGENT_INTERVENED');
          await person.approve(following.of, approval_id);
          const reader = await expectEnded(server, following, 'COMPLETED');
          const told = reader.find('AGENT_INTERVENED')!;
          expect(told).toMatchObject({ agent_id, intervention_id: id, user_comment: note });
          expect(reader.find('AGENT_COMPLETED')).toMatchObject({ result: 'As you say.' });
          const { messages, interventions } = await agentOf(server, agent_id);
          expect(messages.map(({ role }) => role)).toEqual([
            ...['user', 'assistant', 'tool', 'user', 'assistant'],
          ]);
          expect(messages[3]!.content).toBe(note);
          expect(interventions).toMatchObject([{ status: 'taken_in', seq: told.seq }]);
          expect(reader.list('AGENT_INTERVENED')).toHaveLength(1);
        });

        it('is deleted with all that is below it, and its parent goes on', async () => {
          const following = await person.say('pruned', DEEP);
          const { agent_id: asker } = await following.record('INPUT_REQUIRED');
          const [elder] = following.reader.list('AGENT_STARTED');
          await rested(following);
          const late = await accepted(server, asker, { user_comment: 'Never mind.' });
          await accepted(server, elder!.agent_id, {
            user_comment: 'delete',
            user_content: 'Too slow.',
          });
          const reader = await expectEnded(server, following, 'COMPLETED');
          expect(reader.list('AGENT_COMPLETED')).toMatchObject([
            { agent_id: asker, status: 'cancelled' },
            {
              agent_id: elder!.agent_id,
              status: 'cancelled',
              result: 'The user stopped this agent: Too slow.',
            },
          ]);
          expect(reader.list('TOOL_RESULT').at(-1)).toMatchObject({
            is_error: true,
            tool_output: expect.stringContaining('The user stopped this agent: Too slow.'),
          });
          expect(reader.find('INPUT_RECEIVED')).toMatchObject({ answer: null });
          for (const id of [asker, elder!.agent_id])
            expect((await agentOf(server, id)).state).toBe('deleted');
          expect((await agentOf(server, asker)).interventions).toMatchObject([
            { intervention_id: late, status: 'too_late', seq: null },
          ]);
        });

        it('is cancelled when its root is deleted', async () => {
          const following = await person.say('felled', DEEP);
          await following.record('INPUT_REQUIRED');
          const root = following.reader.records[0]!.agent_id;
          await rested(following);
          const id = await accepted(server, root, { user_comment: 'delete' });
          const reader = await expectEnded(server, following, 'CANCELLED');
          expect(reader.list('AGENT_INTERVENED')).toMatchObject([
            { agent_id: root, intervention_id: id },
          ]);
          expect(reader.list('AGENT_COMPLETED')).toHaveLength(2);
          expect(await agentOf(server, root)).toMatchObject({
            state: 'deleted',
            interventions: [{ status: 'taken_in' }],
          });
        });
      });
    });

  describe('POST /agents/{agent_id}/intervene', () => {
    const env = {
      ...{ PATH: process.env['PATH'], SANDBOX: 'none' },
      ...{ WORKSPACE_DIR: join(folder, 'work'), DATA_DIR: join(folder, 'data') },
    };
    withPeople(servers, env, (server, person) => {
      it('changes the task of a root that works, from its next turn on', async () => {
        const following = await person.say('changed', ASKS);
        const { request_id, agent_id } = await following.record('INPUT_REQUIRED');
        const id = await accepted(server, agent_id, {
          ...{ user_comment: 'modify', user_content: 'Speak of cats.' },
        });
        const gate = new Gate();
        server.fake.reply({ text: [gate, 'Miaow.'] });
        const asked = server.fake.requests.length + 1;
        await person.respond(following.of, request_id, 'Fine.');
        const { body } = await server.fake.request(asked);
        expect(body['messages']).toMatchObject([
          { role: 'user' },
          { role: 'assistant' },
          { role: 'tool', content: 'Fine.' },
          { role: 'user', content: expect.stringMatching(/changed your task.*Speak of cats\.$/s) },
        ]);
        await following.record('AGENT_INTERVENED');
        expect((await agentOf(server, agent_id)).state).toBe('modified');
        gate.open();
        const reader = await expectEnded(server, following, 'COMPLETED');
        expect(reader.find('AGENT_INTERVENED')).toMatchObject({
          ...{ intervention_id: id, user_comment: 'modify', user_content: 'Speak of cats.' },
        });
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Miaow.' });
        const { final_agent_state } = await server.api.interaction(following.of);
        expect(final_agent_state!.messages.at(-2)).toMatchObject({ role: 'user' });
      });

      it('stops a child in the middle of a tool: nothing of it is left when its end is told (I7)', async () => {
        const sleep = `sleep 3${Math.random().toString().slice(2, 10)}`;
        const command = `echo on; (setsid ${sleep} &); trap '' TERM; ${sleep}; ${sleep}`;
        const bash = { name: 'bash', arguments: { command } };
        const following = await person.say(
          'busy',
          script({ calls: [child(script({ calls: [bash] }))] }),
        );
        const { approval_id, agent_id } = await following.record('APPROVAL_REQUIRED');
        await person.approve(following.of, approval_id);
        await eventually(async () => (await findProcesses(sleep)).length > 1);
        expect((await agentOf(server, agent_id)).state).toBe('executing_tool');
        await accepted(server, agent_id, { user_comment: 'delete' });
        await following.record('AGENT_COMPLETED');
        expect(await findProcesses(sleep)).toEqual([]);
        const reader = await expectEnded(server, following, 'COMPLETED');
        const [theirs, ours] = reader.list('TOOL_RESULT');
        expect(theirs).toMatchObject({ agent_id, is_error: true });
        expect(ours).toMatchObject({ tool_name: 'agent', is_error: true });
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Done.' });
      });

      it('stops a child in the middle of an answer of its model (I7)', async () => {
        const gate = new Gate();
        const before = server.fake.requests.length;
        const prompt = 'Talk.';
        server.fake.reply({ calls: [child(prompt)] }, { text: ['Half an', gate, ' answer'] });
        const following = await person.say('talking', 'Go');
        const { agent_id } = await following.record('AGENT_STARTED');
        const request = await server.fake.request(before + 2);
        await gate.reached;
        await eventually(() => following.reader.openText.includes('Half an'));
        await accepted(server, agent_id, { user_comment: 'delete' });
        expect(await following.record('AGENT_COMPLETED')).toMatchObject({ status: 'cancelled' });
        expect(await request.ended).toBe('closed');
        const reader = await expectEnded(server, following, 'COMPLETED');
        expect(reader.find('NOTICE')).toMatchObject({ agent_id, code: 'agent_stopped' });
        gate.open();
      });

      it('says what it does not take', async () => {
        const following = await person.say('picky', ASKS);
        const { agent_id, request_id } = await following.record('INPUT_REQUIRED');
        const bodies = [
          {},
          { user_comment: '' },
          { user_comment: 7 },
          { user_comment: 'modify' },
          { user_comment: 'modify', user_content: '' },
          { user_comment: 'x'.repeat(8_193) },
          { user_comment: 'x', user_content: 'x'.repeat(32_769) },
          { user_comment: 'x', user_content: 7 },
          { user_comment: 'x\u0000' },
          { user_comment: 'x', more: 1 },
        ];
        for (const body of bodies) {
          const { status } = await tell(server, agent_id, body);
          expect([body, status]).toEqual([body, 400]);
        }
        const unknown = await tell(server, 'agent_none', { user_comment: 'Hm.' });
        expect([unknown.status, unknown.body.type]).toEqual([404, '/problems/agent_not_found']);
        await person.respond(following.of, request_id, 'Fine.');
        await following.end();
        for (const user_comment of ['Hm.', 'delete']) {
          const late = await tell(server, agent_id, { user_comment });
          expect([late.status, late.body.type]).toEqual([409, '/problems/agent_ended']);
        }
        expect(following.reader.types).not.toContain('AGENT_INTERVENED');
      });

      it('of an agent that ended before its interaction did says so', async () => {
        const following = await person.say('outlived', script({ calls: [child('Hi.'), QUESTION] }));
        const { agent_id } = await following.record('AGENT_COMPLETED');
        const late = await tell(server, agent_id, { user_comment: 'delete' });
        expect([late.status, late.body.type]).toEqual([409, '/problems/agent_ended']);
        await person.cancel(following.of, '?wait=true');
      });
    });
  });
}

function tell(server: ServerUnderTest, agentId: string, body: object): Promise<Reply> {
  return server.api.post(`/agents/${agentId}/intervene`, { ...body });
}

async function agentOf(server: ServerUnderTest, id: string): Promise<WholeAgent> {
  return (await server.api.get(`/agents/${id}`)).body as WholeAgent;
}

async function accepted(server: ServerUnderTest, id: string, body: object): Promise<string> {
  const reply = await tell(server, id, body);
  expect([reply.status, reply.body]).toEqual([
    202,
    { intervention_id: expect.stringMatching(/^intervention_/), agent_id: id, status: 'accepted' },
  ]);
  return reply.body.intervention_id as string;
}

/** Everything of an interaction that went on fits together. */
async function expectEnded(server: ServerUnderTest, following: Following, status: string) {
  const reader = await following.end();
  expect(reader.faults).toEqual([]);
  expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status });
  const { final_agent_state } = await server.api.interaction(following.of);
  expect(checkConversation(final_agent_state!.messages)).toEqual([]);
  const pending = await server.api.get(`/requests?interaction_id=${following.of.id}`);
  expect(pending.body.items).toEqual([]);
  return reader;
}
