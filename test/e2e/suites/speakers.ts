import type { Scope } from '../../../src/auth/principal.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { eventually } from '../../support/eventually.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { Following } from '../../support/store/following.js';
import { ADMIN_KEY, WITH_KEYS, makeKey } from '../with-keys.js';
import type { Servers } from '../servers.js';

const SCOPES: readonly Scope[] = ['chat', 'decide'];
const ASKS = { name: 'ask_human', arguments: { question: 'Well?' } };
const CALCULATES = { name: 'calculator', arguments: { expression: '6*7' } };
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
              { scope: 'global', decision: 'deny' },
              { scope: 'user', scope_id: 'ann', decision: 'allow' },
            ])
              expect(
                (await admin.post('/permissions/rules', { ...rule, matcher: MATCHER })).status,
              ).toBe(201);
          });

          /** Ann asks for turns in a chat that Amy sees; the first of them asks a question. */
          const begin = async (chat: string, ...turns: readonly FakeTurn[]) => {
            expect((await ann.post('/chats', { id: chat, visibility: 'tenant' })).status).toBe(201);
            const asked = script({ calls: [ASKS] }, ...turns);
            const following = new Following(ann, await ann.begin(chat, asked));
            const { request_id, agent_id } = await following.record('INPUT_REQUIRED');
            if (PARK_AFTER_MS === '0') await eventually(() => !server.runs(following.of.id));
            const answer = async (by: ApiClient) => {
              const { chat_id, id } = following.of;
              const body = { request_id, answer: 'Go on.' };
              const reply = await by.post(`/chats/${chat_id}/interactions/${id}/respond`, body);
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
        },
        { isOwn: true },
      );
    });
}
