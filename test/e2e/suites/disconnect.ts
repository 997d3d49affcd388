import { eventually } from '../../support/eventually.js';
import { Following } from '../../support/store/following.js';
import { Gate } from '../../support/gate.js';
import { script } from '../../support/model/scripted-answers.js';
import { ALL } from '../../support/thoroughness.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

/** Of the clock that the tests move; the lease of a run outlasts it. */
const GRACE_MS = 60_000;
const HANGS = script({ hang: true });
const READERS = ALL ? 1000 : 200;

export function describeDisconnect(servers: Servers): void {
  describe('Readers that leave an interaction', () => {
    const env = { DISCONNECT_GRACE_MS: String(GRACE_MS), LEASE_TTL_MS: '86400000' };
    withPeople(servers, env, (server, person) => {
      /** The grace begins when the server knows. */
      const left = ({ id }: { id: string }) => eventually(() => server.isUnread(id));
      /** Starts one, streamed, and leaves when this event comes. */
      const leaveAt = async (chat: string, body: object, type: string) => {
        const stream = await server.api.stream(chat, { ...body });
        let of = { chat_id: chat, id: '' };
        for await (const { data, event } of stream) {
          of = { ...of, id: data.interaction_id };
          if (event === type) break;
        }
        await left(of);
        return of;
      };
      /** By the time that this one is cancelled, so would those be that were left before. */
      const graceIsOver = async (chat: string) => {
        const asked = server.fake.requests.length + 1;
        const stream = await server.api.stream(chat, { user_message: HANGS });
        const { value: first } = await stream[Symbol.asyncIterator]().next();
        const request = await server.fake.request(asked); // else it would be cancelled before it asks
        const of = { chat_id: chat, id: first!.data.interaction_id };
        stream.close();
        await left(of);
        server.clock.pass(GRACE_MS);
        expect(await request.ended).toBe('closed');
        const reader = await server.api.follow(of);
        expect(reader.records.at(-1)).toMatchObject({ status: 'CANCELLED' });
        expect(reader.find('CANCELLED')?.reason).toMatch(/disconnected/);
      };

      it('leave it alone when it waits for a person, or has', async () => {
        const calls = [{ name: 'ask_human', arguments: { question: 'Well?' } }];
        const user_message = script({ calls }, { hang: true });
        const of = await leaveAt('asked', { user_message }, 'input_required');
        await graceIsOver('clock-1');
        expect((await server.api.interaction(of)).status).toBe('WAITING_INPUT');
        const [{ id: request_id }] = (await person.inbox(`interaction_id=${of.id}`)).body.items;
        const asked = server.fake.requests.length + 1;
        await person.respond(of, request_id, 'Well.');
        await server.fake.request(asked);
        for await (const { event } of await server.api.events(of))
          if (event === 'tool_result') break;
        await left(of);
        await graceIsOver('clock-2');
        expect((await server.api.interaction(of)).status).toBe('RUNNING');
        await person.cancel(of, '?wait=true');
      });

      it('cancel it in the queue as they would while it runs', async () => {
        const asked = server.fake.requests.length + 1;
        const running = await person.say('queue', HANGS);
        await server.fake.request(asked);
        const stream = await server.api.stream('queue', {
          user_message: 'Next',
          on_conflict: 'enqueue',
        });
        await eventually(() => server.streams === 2);
        stream.close();
        const found = async (): Promise<{ id: string; status: string }[]> =>
          (await server.api.get('/chats/queue?include=superseded')).body.interactions;
        const statuses = async () => (await found()).map(({ status }) => status);
        await left((await found())[1]!);
        server.clock.pass(GRACE_MS);
        await eventually(async () => (await statuses())[1] === 'CANCELLED');
        await graceIsOver('clock-3');
        expect(await statuses()).toEqual(['RUNNING', 'CANCELLED']);
        await person.cancel(running.of);
        await running.end();
      });

      it('leave it to the others that there are', async () => {
        const gate = new Gate();
        server.fake.reply({ text: ['Wait', gate, ' for it.'] });
        const asked = server.fake.requests.length + 1;
        const stream = await server.api.stream('many', { user_message: 'Go' });
        const iterator = stream[Symbol.asyncIterator]();
        const first = await iterator.next();
        const of = { chat_id: 'many', id: first.value!.data.interaction_id };
        await server.fake.request(asked);
        const others = Array.from({ length: 50 }, () => new Following(server.api, of));
        await Promise.all(others.map((other) => other.record('INTERACTION_STARTED')));
        stream.close();
        await eventually(() => server.readersOf(of.id) === 50);
        await graceIsOver('clock-4');
        expect(server.readersOf(of.id)).toBe(50);
        gate.open();
        const readers = await Promise.all(others.map((other) => other.end()));
        for (const reader of readers) {
          expect(reader.faults).toEqual([]);
          expect(reader.find('ANSWER')).toMatchObject({ content: 'Wait for it.' });
        }
        await eventually(() => server.readersOf(of.id) === 0);
      });

      it(`are counted, ${READERS} of them`, async () => {
        const running = await person.say('thousand', HANGS);
        await running.record('INTERACTION_STARTED');
        for (let batch = 0; batch < READERS / 100; batch++)
          await Promise.all(
            Array.from({ length: 100 }, async (_, n) => {
              const stream = await server.api.events(running.of);
              if (n % 2 === 0) stream.close();
              else for await (const frame of stream) if (frame.event) break;
            }),
          );
        await eventually(() => server.readersOf(running.of.id) === 1);
        await person.cancel(running.of);
        await running.end();
        await eventually(() => server.readersOf(running.of.id) === 0);
      });
    });
  });
}
