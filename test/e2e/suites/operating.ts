import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const HANGS = script({ hang: true });

export function describeOperating(servers: Servers): void {
  describe('Operators', () => {
    withPeople(
      servers,
      {},
      (server, person) => {
        it('list what runs, by status and chat', async () => {
          const one = await person.say('ops-one', HANGS);
          const more = { user_message: 'Then', on_conflict: 'enqueue' };
          const queued = await person.say('ops-one', more);
          const two = await person.say('ops-two', HANGS);
          const list = async (query: string) =>
            (await server.api.get(`/interactions?${query}`)).body;
          const ids = async (query: string) =>
            (await list(query)).items.map(({ id }: { id: string }) => id);
          const [a, q, b] = [one.of.id, queued.of.id, two.of.id];
          expect(await ids('')).toEqual([a, q, b]);
          expect(await ids('status=QUEUED')).toEqual([q]);
          expect(await ids('chat_id=ops-one')).toEqual([a, q]);
          expect(await ids('chat_id=ops-none')).toEqual([]);
          const { next_cursor, items } = await list('limit=2');
          expect(items[0]).toMatchObject({ chat_id: 'ops-one', status: 'RUNNING' });
          expect(JSON.stringify(items)).not.toContain('user_message');
          expect(await ids(`cursor=${next_cursor}`)).toEqual([b]);
          for (const query of ['status=COMPLETED', 'cursor=x', 'chat_id=a%20b'])
            expect((await server.api.get(`/interactions?${query}`)).status).toBe(400);

          const tenant_id = 'default';
          const some = { interaction_ids: [b, 'int_none'] };
          expect((await server.api.post('/interactions/cancel', some)).body).toEqual({
            items: [
              { interaction_id: b, tenant_id, outcome: 'cancelling', status: 'RUNNING' },
              { interaction_id: 'int_none', outcome: 'not_found', status: null },
            ],
            has_more: false,
          });
          await two.end();
          const again = await server.api.post('/interactions/cancel', { interaction_ids: [b] });
          expect(again.body.items).toEqual([
            { interaction_id: b, tenant_id, outcome: 'already_ended', status: 'CANCELLED' },
          ]);
          const all = await server.api.post('/interactions/cancel', { all: true });
          expect(all.body.items).toMatchObject([
            { interaction_id: a, outcome: 'cancelling', status: 'RUNNING' },
            { interaction_id: q, outcome: 'cancelling', status: 'QUEUED' },
          ]);
          for (const each of [one, queued])
            expect((await each.end()).find('INTERACTION_COMPLETE')?.status).toBe('CANCELLED');
          expect(await ids('')).toEqual([]);
          const bodies = [{}, { all: false }, { interaction_ids: [] }, { interaction_ids: [1] }];
          for (const body of [...bodies, { all: true, interaction_ids: [a] }])
            expect((await server.api.post('/interactions/cancel', body)).status).toBe(400);
        });
      },
      { isOwn: true },
    );
  });
}
