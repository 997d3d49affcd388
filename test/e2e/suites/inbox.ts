import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };
const CLIENT_CALL = { name: 'open_door', arguments: {} };

export function describeInbox(servers: Servers): void {
  describe('The inbox', () => {
    withPeople(
      servers,
      { PARK_AFTER_MS: '0' },
      (server, person) => {
        const ids = ({ body }: { body: { items: { id: string }[] } }) =>
          body.items.map(({ id }) => id);

        it('shows what waits in all chats, oldest first, page by page', async () => {
          const expected: string[] = [];
          for (let n = 0; n < 5; n++) {
            const reading = await person.say(`chat-${n}`, script({ calls: [CALCULATION] }));
            expected.push((await reading.record('APPROVAL_REQUIRED')).approval_id);
          }
          expect(ids(await person.inbox('status=pending'))).toEqual(expected);
          expect(ids(await person.inbox(''))).toEqual(expected);
          const seen: string[] = [];
          for (let cursor = ''; ;) {
            const page = await person.inbox(`status=pending&limit=2${cursor}`);
            expect(page.body.items.length).toBeLessThanOrEqual(2);
            seen.push(...ids(page));
            if (page.body.next_cursor === null) break;
            cursor = `&cursor=${page.body.next_cursor}`;
          }
          expect(seen).toEqual(expected);
          expect(ids(await person.inbox('status=pending&chat_id=chat-3'))).toEqual([expected[3]]);
          expect(ids(await person.inbox('chat_id=nobody'))).toEqual([]);
        });

        it('pages on where items are settled meanwhile', async () => {
          const calls = [CALCULATION, CALCULATION, CALCULATION, CALCULATION];
          const reading = await person.say('pages', script({ calls }));
          await reading.record('APPROVAL_REQUIRED', 4);
          const query = 'status=pending&chat_id=pages&limit=2';
          const first = await person.inbox(query);
          for (const id of ids(first)) await person.reject(reading.of, id);
          const second = await person.inbox(`${query}&cursor=${first.body.next_cursor}`);
          expect(ids(second)).toHaveLength(2);
          expect(ids(await person.inbox(query))).toEqual(ids(second));
          for (const id of ids(second)) await person.reject(reading.of, id);
          await reading.end();
        });

        it('tells what was settled from what was closed when its interaction ended', async () => {
          const calls = [CALCULATION, QUESTION];
          const reading = await person.say('settled', script({ calls }));
          const { approval_id } = await reading.record('APPROVAL_REQUIRED');
          const { request_id } = await reading.record('INPUT_REQUIRED');
          const query = `interaction_id=${reading.of.id}`;
          await person.approve(reading.of, approval_id);
          expect(ids(await person.inbox(query))).toEqual([request_id]);
          expect(ids(await person.inbox(`${query}&status=pending`))).toEqual([request_id]);
          expect(ids(await person.inbox(`${query}&status=settled`))).toEqual([approval_id]);
          await person.cancel(reading.of, '?wait=true');
          await reading.end();
          expect(ids(await person.inbox(`${query}&status=pending`))).toEqual([]);
          expect(ids(await person.inbox(query))).toEqual([]);
          expect((await person.inbox(`${query}&status=closed`)).body.items).toMatchObject([
            { id: request_id, status: 'closed', settled_at: expect.any(String) },
          ]);
          expect(ids(await person.inbox(`${query}&status=all`)).toSorted()).toEqual(
            [approval_id, request_id].toSorted(),
          );
          const late = await person.respond(reading.of, request_id, 'x');
          expect([late.status, late.body.type]).toEqual([400, '/problems/already_processed']);
        });

        it('shows nothing that the document does not describe', async () => {
          const { body: document } = await server.api.get('/docs-json');
          const { Request, Settlement } = document.components.schemas;
          const client_tools = [{ name: 'open_door', description: 'Opens.', input_schema: {} }];
          const user_message = script({ calls: [CALCULATION, QUESTION, CLIENT_CALL] });
          const reading = await person.say('described', { user_message, client_tools });
          const { approval_id } = await reading.record('APPROVAL_REQUIRED');
          const { request_id } = await reading.record('INPUT_REQUIRED');
          const { tool_call_id } = await reading.record('TOOL_RESULT_REQUIRED');
          await person.approve(reading.of, approval_id, { reason: 'Fine.' });
          await person.respond(reading.of, request_id, 'Well.');
          await person.toolResult(reading.of, { tool_call_id, tool_output: 'open' });
          await reading.end();
          const { body } = await person.inbox('chat_id=described&status=settled');
          const items: Record<string, object>[] = body.items;
          expect(items).toHaveLength(3);
          expect(new Set(items.map(({ kind }) => kind))).toEqual(
            new Set(['approval', 'input', 'tool']),
          );
          for (const item of items) {
            const { properties, required } = Request;
            expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(item)));
            expect(Object.keys(item)).toEqual(expect.arrayContaining(required));
            const settlement = Object.keys(item['settlement']!);
            expect(Object.keys(Settlement.properties)).toEqual(expect.arrayContaining(settlement));
            expect(settlement).toEqual(expect.arrayContaining(Settlement.required));
          }
        });

        it.each([
          'status=open',
          'status=',
          'limit=0',
          'limit=201',
          'cursor=x',
          'chat_id=a%20b',
          'kind=approval',
        ])('is not asked for %s', async (query) => {
          const reply = await person.inbox(query);
          expect(reply.status).toBe(400);
          expect(reply.body.errors).toEqual([
            { field: query.split('=')[0], message: expect.any(String) },
          ]);
        });
      },
      { isOwn: true },
    );
  });
}
