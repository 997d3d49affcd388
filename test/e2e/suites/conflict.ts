import { jest } from '@jest/globals';
import { LeaseStore } from '../../../src/persistence/lease.store.js';
import type { Following } from '../../support/store/following.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const HANGS = script({ hang: true });
const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };

export function describeConflict(servers: Servers): void {
  describe('A message to a chat that is busy', () => {
    withPeople(servers, {}, (server, person) => {
      /** One that holds its chat until it is cancelled. */
      const hold = async (chat: string) => {
        const asked = server.fake.requests.length + 1;
        const following = await person.say(chat, HANGS);
        await server.fake.request(asked);
        return following;
      };
      const enqueue = (chat: string, user_message: string) =>
        person.say(chat, { user_message, on_conflict: 'enqueue' });
      const post = (chat: string, body: object) =>
        server.api.post(
          `/chats/${chat}/interactions`,
          { user_message: 'Now', ...body },
          { accept: 'application/json' },
        );
      const statuses = async (...all: readonly Following[]) =>
        (await Promise.all(all.map(({ of }) => server.api.interaction(of)))).map(
          ({ status }) => status,
        );
      const parents = async (...all: readonly Following[]) =>
        (await Promise.all(all.map((one) => one.end()))).map(
          ({ records }) => (records[0] as { parent_id?: string }).parent_id,
        );

      it('is refused while one waits for a person, too (I9)', async () => {
        const following = await person.say('waits-long', script({ calls: [CALCULATION] }));
        await following.record('APPROVAL_REQUIRED');
        for (const body of [{}, { on_conflict: 'reject' }]) {
          const reply = await post('waits-long', body);
          expect([reply.status, reply.body]).toMatchObject([
            409,
            {
              type: '/problems/chat_busy',
              detail: expect.stringContaining('waits for a person'),
              active_interaction_id: following.of.id,
              active_status: 'WAITING_APPROVAL',
            },
          ]);
        }
        await person.cancel(following.of);
        await following.end();
      });

      it('is taken at once where the chat is free, whatever it says about conflicts', async () => {
        for (const on_conflict of ['reject', 'enqueue', 'interrupt']) {
          const reply = await post(`free-${on_conflict}`, { on_conflict });
          expect([reply.status, reply.body.status]).toEqual([202, 'RUNNING']);
          await server.api.follow(reply.body);
        }
      });

      it('is shown where it begins, not where it was asked for', async () => {
        const running = await hold('shown');
        const queued = await enqueue('shown', 'Later');
        const urgent = await person.say('shown', { user_message: 'Now', on_conflict: 'interrupt' });
        const order = [running, urgent, queued].map(({ of }) => of.id);
        await Promise.all([running, urgent, queued].map((one) => one.end()));
        const shown = async (query: string): Promise<string[]> =>
          (await server.api.get(`/chats/shown${query}`)).body.interactions.map(
            ({ id }: { id: string }) => id,
          );
        expect(await shown('')).toEqual(order);
        expect(await shown('?limit=2')).toEqual(order.slice(1));
        expect(await shown(`?limit=2&before=${order[1]}`)).toEqual(order.slice(0, 1));
        expect(await shown('?include=superseded')).toEqual(order.toSorted());
        const { body } = await server.api.get('/chats/shown?state=all');
        const states = body.interactions.map(
          (one: { final_agent_state: { messages: { content: string }[] } }) =>
            one.final_agent_state.messages.map(({ content }) => content),
        );
        const said = [HANGS, 'Now', 'Done.', 'Later', 'Done.'];
        expect(states).toEqual([said.slice(0, 1), said.slice(0, 3), said]);
      });

      it('waits for its turn where it says so, and each goes on from the one before', async () => {
        const running = await hold('order');
        const queued = [];
        for (const text of ['One', 'Two', 'Three']) queued.push(await enqueue('order', text));
        expect(await statuses(running, ...queued)).toEqual([
          'RUNNING',
          'QUEUED',
          'QUEUED',
          'QUEUED',
        ]);
        expect(await server.api.interaction(queued[0]!.of)).toMatchObject({
          parent_id: null,
          last_seq: 0,
          agent_events: [],
          final_agent_state: null,
        });
        expect(queued.map(({ reader }) => reader.types)).toEqual([[], [], []]);
        await person.cancel(running.of);
        const ids = [running, ...queued].map(({ of }) => of.id);
        expect(await parents(...queued)).toEqual(ids.slice(0, 3));
        expect(server.fake.requests.at(-1)!.body['messages']).toEqual([
          { role: 'user', content: HANGS },
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Done.' },
          { role: 'user', content: 'Two' },
          { role: 'assistant', content: 'Done.' },
          { role: 'user', content: 'Three' },
        ]);
        const chat = (await server.api.get('/chats/order')).body;
        expect(chat.interactions.map(({ id }: { id: string }) => id)).toEqual(ids);
        expect(chat.head_interaction_id).toBe(ids.at(-1));
      });

      it('begins when its turn comes, not when a sweep finds it', async () => {
        const sweeps = server
          .getAll(LeaseStore)
          .map((leases) => jest.spyOn(leases, 'listUnowned').mockResolvedValue([]));
        try {
          const running = await hold('turns');
          const queued = [await enqueue('turns', 'One'), await enqueue('turns', 'Two')];
          await person.cancel(running.of);
          for (const each of queued) expect((await each.end()).faults).toEqual([]);
        } finally {
          for (const sweep of sweeps) sweep.mockRestore();
        }
      });

      it('streams when its turn comes', async () => {
        const running = await hold('streamed');
        const stream = await server.api.stream('streamed', {
          user_message: 'Next',
          on_conflict: 'enqueue',
        });
        expect(stream.status).toBe(200);
        const frames = stream.all();
        await person.cancel(running.of);
        expect((await frames).map(({ event }) => event)).toEqual([
          'interaction_started',
          'text_delta',
          'answer',
          'turn_completed',
          'interaction_complete',
        ]);
      });

      it('keeps its place while the one before waits for people', async () => {
        const waiting = await person.say('behind', script({ calls: [CALCULATION] }));
        const { approval_id } = await waiting.record('APPROVAL_REQUIRED');
        const queued = await enqueue('behind', 'Next');
        expect(await statuses(waiting, queued)).toEqual(['WAITING_APPROVAL', 'QUEUED']);
        await person.approve(waiting.of, approval_id);
        expect((await queued.end()).faults).toEqual([]);
        expect(await statuses(waiting, queued)).toEqual(['COMPLETED', 'COMPLETED']);
      });

      it('takes the place of what runs where it says "interrupt", in front of all that wait', async () => {
        const running = await hold('interrupted');
        const queued = await enqueue('interrupted', 'Patient');
        const urgent = await person.say('interrupted', {
          user_message: 'Urgent',
          on_conflict: 'interrupt',
        });
        expect((await running.end()).find('CANCELLED')?.reason).toMatch(/new message/);
        expect(await parents(urgent, queued)).toEqual([running.of.id, urgent.of.id]);
        expect(await statuses(running, urgent, queued)).toEqual([
          'CANCELLED',
          'COMPLETED',
          'COMPLETED',
        ]);
      });

      it('interrupts one that waits for a person', async () => {
        const waiting = await person.say('impatient', script({ calls: [CALCULATION] }));
        const { approval_id } = await waiting.record('APPROVAL_REQUIRED');
        const urgent = await person.say('impatient', {
          user_message: 'Forget it',
          on_conflict: 'interrupt',
        });
        expect((await urgent.end()).faults).toEqual([]);
        expect((await waiting.end()).find('REJECTED')).toMatchObject({
          approval_id,
          by: { kind: 'system' },
          cause: 'cancel',
        });
      });

      it('interrupts once, however many want to', async () => {
        const running = await hold('impatience');
        const urgent = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            person.say('impatience', { user_message: `Now ${n}`, on_conflict: 'interrupt' }),
          ),
        );
        const ends = await Promise.all([running, ...urgent].map((one) => one.end()));
        expect(ends.flatMap(({ faults }) => faults)).toEqual([]);
        const found = (await server.api.get('/chats/impatience')).body.interactions;
        expect(found).toHaveLength(9);
        const chain = new Map(
          found.map(({ id, parent_id }: { id: string; parent_id: string }) => [parent_id, id]),
        );
        expect(chain.size).toBe(9); // no two go on from the same one
      });

      it('is refused when too many wait already', async () => {
        const running = await hold('full');
        const replies = await Promise.all(
          Array.from({ length: 101 }, () => post('full', { on_conflict: 'enqueue' })),
        );
        expect(replies.filter(({ status }) => status === 202)).toHaveLength(100);
        const refused = replies.find(({ status }) => status !== 202)!;
        expect([refused.status, refused.body.type]).toEqual([429, '/problems/queue_full']);
        expect((await server.api.delete('/chats/full')).status).toBe(204);
        expect((await running.end()).records.at(-1)).toMatchObject({ status: 'CANCELLED' });
      });

      it('is started once for one Idempotency-Key, also while it waits', async () => {
        const running = await hold('one-key');
        const key = { 'idempotency-key': 'k' };
        const body = { user_message: 'Next', on_conflict: 'enqueue' };
        const [first, second] = [
          await server.api.begin('one-key', body, key),
          await server.api.begin('one-key', body, key),
        ];
        expect(second.id).toBe(first.id);
        await person.cancel(running.of);
        await server.api.follow(first);
      });

      it('survives a restart in its place', async () => {
        const running = await person.say('restarted', script({ calls: [CALCULATION] }));
        await running.record('APPROVAL_REQUIRED');
        const queued = [await enqueue('restarted', 'One'), await enqueue('restarted', 'Two')];
        await server.restart();
        for (const one of [running, ...queued]) await one.resume(server.api);
        expect(await statuses(running, ...queued)).toEqual([
          'WAITING_APPROVAL',
          'QUEUED',
          'QUEUED',
        ]);
        const { approval_id } = await running.record('APPROVAL_REQUIRED');
        await person.approve(running.of, approval_id);
        const ids = [running, ...queued].map(({ of }) => of.id);
        expect(await parents(...queued)).toEqual(ids.slice(0, 2));
        expect(queued.flatMap(({ reader }) => reader.faults)).toEqual([]);
      });

      it('is gone with its chat, and its readers see that it ended', async () => {
        const running = await hold('deleted');
        const queued = [await enqueue('deleted', 'One'), await enqueue('deleted', 'Two')];
        const asked = server.fake.requests.length;
        expect((await server.api.delete('/chats/deleted')).status).toBe(204);
        for (const one of [running, ...queued]) {
          const reader = await one.end();
          expect(reader.faults).toEqual([]);
          expect(reader.records.at(-1)).toMatchObject({ status: 'CANCELLED' });
          expect((await server.api.events(one.of)).status).toBe(404);
        }
        expect(server.fake.requests).toHaveLength(asked);
        expect((await server.api.get('/chats/deleted')).status).toBe(404);
      });

      it('is deleted with a chat that waits for people', async () => {
        const waiting = await person.say('waiting', script({ calls: [CALCULATION] }));
        await waiting.record('APPROVAL_REQUIRED');
        expect((await server.api.delete('/chats/waiting')).status).toBe(204);
        expect((await waiting.end()).types.slice(-4)).toEqual([
          'REJECTED',
          'TOOL_RESULT',
          'CANCELLED',
          'INTERACTION_COMPLETE',
        ]);
        expect((await person.inbox('status=all&chat_id=waiting')).body.items).toEqual([]);
      });
    });
  });
}
