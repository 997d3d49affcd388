import type { Scope } from '../../../src/auth/principal.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { eventually } from '../../support/eventually.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { Following } from '../../support/store/following.js';
import { ADMIN_KEY, WITH_KEYS, makeKey } from '../with-keys.js';
import type { Servers } from '../servers.js';

const SCOPES: readonly Scope[] = ['chat', 'decide'];
const ASKS = { name: 'ask_human', arguments: { question: 'Well?' } };
const CALCULATES = { name: 'calculator', arguments: { expression: '6*7' } };
const TELLS_TIME = { name: 'current_time', arguments: {} };
const OPENS = { name: 'open_door', arguments: { door: 'front' } };
const OPEN_DOOR = {
  name: 'open_door',
  description: 'Opens a door of the house.',
  input_schema: { type: 'object', properties: { door: { type: 'string' } } },
};
const timeIn = (timezone: string) => ({ name: 'current_time', arguments: { timezone } });
const [SEOUL, TOKYO] = [timeIn('Asia/Seoul'), timeIn('Asia/Tokyo')];
const [IN_SEOUL, IN_TOKYO] = [SEOUL, TOKYO].map(({ name: pattern, arguments: input }) => ({
  ...{ type: 'tool', pattern, input },
}));
const MATCHER = { type: 'tool', pattern: 'calculator' };

export function describeSpeakers(servers: Servers): void {
  for (const PARK_AFTER_MS of ['60000', '0'])
    describe(`What another user says to a run that waits ${PARK_AFTER_MS === '0' ? 'parked' : 'in memory'}`, () => {
      servers.run(
        { ...WITH_KEYS, PARK_AFTER_MS },
        (server) => {
          let ann: ApiClient;
          let amy: ApiClient;
          beforeAll(async () => {
            server.fake.otherwise(playScript);
            ann = server.api.bearing((await makeKey(server.api, SCOPES)).key);
            amy = server.api.bearing((await makeKey(server.api, SCOPES, { user_id: 'amy' })).key);
            const admin = server.api.bearing(ADMIN_KEY);
            for (const rule of [
              { scope: 'global', decision: 'deny', matcher: MATCHER },
              { scope: 'user', scope_id: 'ann', decision: 'allow', matcher: MATCHER },
              { scope: 'user', scope_id: 'amy', decision: 'deny', matcher: IN_SEOUL },
              { scope: 'user', scope_id: 'amy', decision: 'ask', matcher: IN_TOKYO },
            ])
              expect((await admin.post('/permissions/rules', rule)).status).toBe(201);
          });

          /** Turns in a chat of Ann that Amy sees. Only in `free`, the time is not asked about. */
          const start = async (chat: string, ...turns: readonly FakeTurn[]) => {
            expect((await ann.post('/chats', { id: chat, visibility: 'tenant' })).status).toBe(201);
            if (!chat.startsWith('free')) await makeToolAsk(ann, chat, 'current_time');
            const body = { user_message: script(...turns), client_tools: [OPEN_DOOR] };
            return new Following(ann, await ann.begin(chat, body));
          };
          const waits = async (following: Following) => {
            if (PARK_AFTER_MS === '0') await eventually(() => !server.runs(following.of.id));
          };
          const act = async (by: ApiClient, { of }: Following, action: string, body: object) => {
            const path = `/chats/${of.chat_id}/interactions/${of.id}/${action}`;
            return by.post(path, { ...body });
          };
          /** The first turn asks a question. */
          const begin = async (chat: string, ...turns: readonly FakeTurn[]) => {
            const following = await start(chat, { calls: [ASKS] }, ...turns);
            const { request_id, agent_id } = await following.record('INPUT_REQUIRED');
            await waits(following);
            const answer = async (by: ApiClient) => {
              const body = { request_id, answer: 'Go on.' };
              const reply = await act(by, following, 'respond', body);
              expect(reply.status).toBeLessThan(300);
            };
            return { following, agent_id, answer };
          };
          const resultOf = async (following: Following) => {
            const { faults } = await following.end();
            expect(faults).toEqual([]);
            return following.reader.list('TOOL_RESULT').at(-1);
          };
          const DENIED = { is_error: true, tool_output: expect.stringContaining('not allowed') };

          it('is nothing, while only its own user has spoken', async () => {
            const { following, answer } = await begin('alone', { calls: [CALCULATES] });
            await answer(ann);
            expect(await resultOf(following)).toMatchObject({ is_error: false, tool_output: '42' });
          });

          it('is judged by the rules of both, if it is a note', async () => {
            const { following, agent_id, answer } = await begin('noted');
            const user_comment = script({ calls: [CALCULATES] });
            const told = await amy.post(`/agents/${agent_id}/intervene`, { user_comment });
            expect(told.status).toBe(202);
            await answer(ann);
            expect(await resultOf(following)).toMatchObject(DENIED);
          });

          it('is judged by the rules of both, if it is an answer, also in a child', async () => {
            const child = { name: 'agent', arguments: { prompt: script({ calls: [CALCULATES] }) } };
            const { following, answer } = await begin('answered', { calls: [child] });
            await answer(amy);
            await following.end();
            expect(following.reader.list('TOOL_RESULT')).toContainEqual(
              expect.objectContaining({ ...DENIED, tool_name: 'calculator' }),
            );
          });

          it('is judged by the rules of both, if it is the result of a client’s tool', async () => {
            const following = await start('opened', { calls: [OPENS] }, { calls: [CALCULATES] });
            const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED');
            await waits(following);
            const body = { tool_call_id, tool_output: 'Now calculate.' };
            expect((await act(amy, following, 'tool-results', body)).status).toBe(200);
            expect(await resultOf(following)).toMatchObject(DENIED);
          });

          it.each([
            ['the changed input of a call', { modified_input: { timezone: 7 } }, 400],
            ['the changed input of a call', { modified_input: { timezone: 'Asia/Tokyo' } }, 200],
            ['a reason', { reason: 'Calculate after that.' }, 200],
          ])('is judged by the rules of both, if it is %s (%#)', async (_, words, status) => {
            const chat = `decided-${JSON.stringify(words).length}`;
            const following = await start(chat, { calls: [TELLS_TIME] }, { calls: [CALCULATES] });
            const { approval_id } = await following.record('APPROVAL_REQUIRED');
            await waits(following);
            const body = { approval_id, approved: true };
            const reply = await act(amy, following, 'approve', { ...body, ...words });
            expect(reply.status).toBe(status);
            if (status === 200) return expect(await resultOf(following)).toMatchObject(DENIED);
            await act(ann, following, 'approve', body); // what was refused was not said
            expect(await resultOf(following)).toMatchObject({ is_error: false, tool_output: '42' });
          });

          it('is not remembered for others, if it is an approval of what that user may not do', async () => {
            const following = await start('lent', { calls: [SEOUL] });
            const { approval_id } = await following.record('APPROVAL_REQUIRED');
            await waits(following);
            const body = { approval_id, approved: true, remember: 'session' };
            const lent = await act(amy, following, 'approve', body);
            expect([lent.status, lent.body.type]).toEqual([422, '/problems/not_rememberable']);
            const own = await act(ann, following, 'approve', body);
            expect([own.status, own.body]).toMatchObject([200, { rule: { scope_id: 'lent' } }]);
            expect(await resultOf(following)).toMatchObject({ is_error: false });
          });

          it('counts where its own user decides: for rules, and for what a call is changed to', async () => {
            const { following, answer } = await begin('free', { calls: [TOKYO] });
            await answer(amy);
            const { approval_id } = await following.record('APPROVAL_REQUIRED');
            await waits(following);
            const decide = async (more: object) => {
              const body = { approval_id, approved: true, ...more };
              const reply = await act(ann, following, 'approve', body);
              return [reply.status, reply.body.type];
            };
            expect(await decide({ remember: 'session' })).toEqual([
              422,
              '/problems/not_rememberable',
            ]);
            const modified_input = SEOUL.arguments;
            expect(await decide({ modified_input })).toEqual([400, '/problems/denied_by_rule']);
            expect(await decide({})).toEqual([200, undefined]);
            expect(await resultOf(following)).toMatchObject({ is_error: false });
          });

          it('is nothing, if it is only a yes', async () => {
            const following = await start('yes', { calls: [TELLS_TIME] }, { calls: [CALCULATES] });
            const { approval_id } = await following.record('APPROVAL_REQUIRED');
            await waits(following);
            await act(amy, following, 'approve', { approval_id, approved: true });
            expect(await resultOf(following)).toMatchObject({ is_error: false, tool_output: '42' });
          });
        },
        { isOwn: true },
      );
    });
}
