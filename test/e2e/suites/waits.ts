import { Gate } from '../../support/gate.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const ASKS = script({ calls: [{ name: 'ask_human', arguments: { question: 'Which?' } }] });

export function describeWaits(servers: Servers): void {
  describe('A start that waits', () => {
    withPeople(servers, {}, (server, person) => {
      const start = (
        chat: string,
        body: object,
        { query = '', ...headers }: Readonly<Record<string, string>>,
      ) => server.api.post(`/chats/${chat}/interactions${query}`, { ...body }, headers);
      const cancelled = async (of: { chat_id: string; id: string }) => {
        expect((await person.cancel(of, '?wait=true')).status).toBe(200);
      };

      it.each([
        ['by its query', { query: '?wait=true' }],
        ['by its query, whatever it accepts', { query: '?wait=true', accept: '*/*' }],
        ['by its header', { prefer: 'wait' }],
        ['by its header, with a time', { prefer: 'respond-async, wait=30' }],
      ])('answers 200 with the finished interaction: %s', async (_, options) => {
        const reply = await start('finished', { user_message: 'Hi' }, options);
        const { id, chat_id } = reply.body;
        expect([reply.status, reply.body]).toMatchObject([
          200,
          { status: 'COMPLETED', answer: 'Done.', edited_from: null },
        ]);
        expect(reply.headers.get('location')).toBe(`/chats/${chat_id}/interactions/${id}/events`);
        expect(reply.headers.get('preference-applied')).toBe('wait');
        expect(reply.body).toEqual(await server.api.interaction(reply.body));
      });

      it('may be an edit', async () => {
        const first = await start('edited', { user_message: 'Hi' }, { prefer: 'wait' });
        const path = `/chats/edited/interactions/${first.body.id}/edit?wait=true`;
        const reply = await server.api.post(path, { new_user_message: 'Ho' });
        expect([reply.status, reply.body]).toMatchObject([
          200,
          { status: 'COMPLETED', edited_from: first.body.id },
        ]);
      });

      it('answers 202 as soon as a person is needed', async () => {
        const reply = await start('asks', { user_message: ASKS }, { query: '?wait=true' });
        expect([reply.status, reply.body]).toMatchObject([202, { status: 'WAITING_INPUT' }]);
        expect(reply.headers.get('location')).toContain(`${reply.body.id}/events`);
        await cancelled(reply.body);
      });

      it('answers 202 when its time is over, and the interaction goes on', async () => {
        const gate = new Gate();
        server.fake.reply({ text: [gate, 'Late.'] });
        const reply = await start('slow', { user_message: 'Hi' }, { prefer: 'wait=0' });
        expect([reply.status, reply.body]).toMatchObject([
          202,
          { status: 'RUNNING', answer: null },
        ]);
        gate.open();
        await server.api.follow(reply.body);
        expect(await server.api.interaction(reply.body)).toMatchObject({ answer: 'Late.' });
      });

      it('gives the same answer again for the same key', async () => {
        const options = { query: '?wait=true', 'idempotency-key': 'wait' };
        const [one, two] = await Promise.all(
          [options, options].map((each) => start('key', { user_message: 'Hi' }, each)),
        );
        expect([one!.status, two!.status]).toEqual([200, 200]);
        expect(one!.body).toEqual(two!.body);
      });

      it('does not wait where the query says so, and refuses another word', async () => {
        const options = { query: '?wait=false', prefer: 'wait', accept: 'application/json' };
        const reply = await start('says-no', { user_message: ASKS }, options);
        expect([reply.status, reply.headers.get('preference-applied')]).toEqual([202, null]);
        await cancelled(reply.body);
        const wrong = await start('says-no', { user_message: 'Hi' }, { query: '?wait=yes' });
        expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'wait']);
      });

      it('has a Location as a stream too, also while it is queued', async () => {
        const gate = new Gate();
        server.fake.reply({ text: [gate, 'Done.'] });
        const running = await server.api.stream('located', 'Hi');
        const queued = await server.api.stream('located', {
          user_message: 'Next',
          on_conflict: 'enqueue',
        });
        const located = queued.response.headers.get('location')!;
        expect((await server.api.get(located.replace('/events', ''))).body.status).toBe('QUEUED');
        gate.open();
        for (const stream of [running, queued]) {
          const frames = await stream.all();
          const { interaction_id } = frames[0]!.data;
          expect(stream.response.headers.get('location')).toBe(
            `/chats/located/interactions/${interaction_id}/events`,
          );
        }
      });
    });
  });
}
