import { EventReader } from '../../support/client/event-reader.js';
import type { EventStream } from '../../support/client/event-stream.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import type { Servers } from '../servers.js';

/**
 * A turn's text. It takes six bytes for each character on the wire, and that twice: as deltas and
 * as a record.
 */
const TEXT = '\u0001'.repeat(100_000);
/** Together more than the kernel and the server buffer for a connection. */
const TURNS = 10;

export function describeReaders(servers: Servers): void {
  describe('A reader that stops reading', () => {
    servers.run({ MODEL_CONTEXT_TOKENS: '100000000' }, (server) => {
      it('is disconnected while others and the run go on, and comes back for the rest (I10)', async () => {
        const gates = Array.from({ length: TURNS }, () => new Gate());
        server.fake.reply(
          ...gates.map((gate, n) => ({
            text: [gate, TEXT],
            calls: [{ name: 'calculator', arguments: { expression: `6*${n}` } }],
            chunk_size: 10_000,
          })),
        );
        const stopped = (await server.api.stream('slow', 'Much, please'))[Symbol.asyncIterator]();
        const reader = new EventReader().read((await stopped.next()).value as EventFrame);
        const of = { chat_id: 'slow', id: reader.records[0]!.interaction_id };
        const other = new EventReader();
        for await (const frame of await server.api.events(of)) {
          other.read(frame);
          if (['interaction_started', 'tool_result'].includes(frame.event)) gates.shift()?.open();
        }
        await eventually(() => server.streams === 0);

        await takeWhatIsLeft(reader, stopped);
        expect(reader.done).toBe(false);
        await server.api.follow(of, undefined, reader);
        for (const { faults, types, records } of [reader, other]) {
          expect(faults).toEqual([]);
          expect(types.filter((type) => type === 'MESSAGE')).toHaveLength(TURNS);
          expect(records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        }
      });
    });
  });

  // each process has limits of its own
  (servers.store.isCluster ? describe.skip : describe)(
    'More readers than the server may have',
    () => {
      const LIMITS = { MAX_STREAMS: '6', MAX_STREAMS_PER_INTERACTION: '4' };
      servers.run(
        LIMITS,
        (server) => {
          it('are told to come back, and have started nothing', async () => {
            const gate = new Gate();
            server.fake.otherwise({ text: ['Wait', gate, ' for it.'] });
            const one = await server.api.begin('one', 'Go');
            const two = await server.api.begin('two', 'Go');
            const open = async (of: typeof one, count: number) =>
              Promise.all(Array.from({ length: count }, () => server.api.events(of)));
            const statuses = (streams: readonly EventStream[]) =>
              streams.map(({ status }) => status).toSorted((a, b) => a - b);
            const ofOne = await open(one, 6);
            expect(statuses(ofOne)).toEqual([200, 200, 200, 200, 503, 503]);
            const ofTwo = await open(two, 3);
            expect(statuses(ofTwo)).toEqual([200, 200, 503]);

            const refused = await server.api.post('/chats/three/interactions', {
              user_message: 'Go',
            });
            expect(refused.status).toBe(503);
            expect(refused.body).toMatchObject({ type: '/problems/too_many_streams' });
            expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
            expect((await server.api.get('/chats/three')).status).toBe(404);
            expect((await server.api.begin('three', 'Go')).status).toBe('RUNNING');

            const cancel = `/chats/two/interactions/${two.id}/cancel`;
            expect((await server.api.post(`${cancel}?wait=true`)).body).toMatchObject({
              type: '/problems/too_many_streams',
            });
            const { items } = (await server.api.get('/interactions?chat_id=two')).body;
            expect(items).toMatchObject([{ is_cancelling: false }]);
            expect((await server.api.post(cancel)).status).toBe(202);

            for (const stream of [...ofOne, ...ofTwo]) stream.close();
            await eventually(() => server.streams === 0);
            const reader = server.api.follow(one);
            gate.open();
            expect((await reader).find('ANSWER')).toMatchObject({ content: 'Wait for it.' });
          });
        },
        { isOwn: true },
      );
    },
  );

  describe('Readers that connect and leave', () => {
    servers.run(
      { MAX_STREAMS_PER_INTERACTION: '200' },
      (server) => {
        it('leave nothing behind, however many they are and however they leave', async () => {
          const gate = new Gate();
          server.fake.reply({ text: ['Wait', gate, ' for it.'] });
          const of = await server.api.begin('leavers', 'Go');
          await gate.reached;
          await Promise.all(
            Array.from({ length: 200 }, async (_, n) => {
              const stream = await server.api.events(of);
              if (n % 2 === 0) stream.close();
              else for await (const frame of stream) if (frame.event === 'text_delta') break;
            }),
          );
          await eventually(() => server.streams === 0 && server.readersOf(of.id) === 0);
          gate.open();
          const reader = await server.api.follow(of);
          expect(reader.faults).toEqual([]);
          expect(reader.find('ANSWER')).toMatchObject({ content: 'Wait for it.' });
          await eventually(() => server.streams === 0 && server.readersOf(of.id) === 0);
        });
      },
      { isOwn: true },
    );
  });
}

/** Reads what came before the connection was cut. */
async function takeWhatIsLeft(
  reader: EventReader,
  frames: AsyncIterator<EventFrame, unknown>,
): Promise<void> {
  try {
    for (;;) {
      const next = await frames.next();
      if (next.done) return;
      reader.read(next.value);
    }
  } catch {
    // The server has cut it in the middle of a frame.
  }
}
