import { EventReader } from '../../support/client/event-reader.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { gatedText } from '../../support/model/gated-text.js';
import { random } from '../../support/random.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import type { Servers, ServerUnderTest } from '../servers.js';

const ODD_TEXT = 'Überraschung 😀 “quotes”\nline\r\nU+2028:\u2028 end. ';
const ODD_CURSORS = [
  'banana',
  '-1',
  '1.5',
  '1~',
  '1~b',
  '1~b.',
  '1~B.1',
  '1~b.1~b.2',
  '1 ',
  '٣',
].concat('1'.repeat(9000));
const TOOL_TURN: FakeTurn = {
  thinking: `Hm: ${ODD_TEXT}`,
  text: 'Working on it. ',
  calls: [
    { name: 'calculator', arguments: { expression: '1+1' } },
    { name: 'current_time', arguments: {} },
  ],
};

export function describeReconnecting(servers: Servers): void {
  describe('A reader that comes back with the id of the last event it has', () => {
    servers.run({}, (server) => {
      it('gets exactly the rest of an interaction that has ended, wherever it was cut off', async () => {
        server.fake.reply(TOOL_TURN, { text: ODD_TEXT });
        const frames = await (await server.api.stream('ended', 'Go')).all();
        const whole = await new EventReader().readAll(frames);
        const of = { chat_id: 'ended', id: frames[0]!.data.interaction_id };
        for (const reader of await resumeAfterEach(server.api, of, frames)) {
          expect(reader.faults).toEqual([]);
          expect(reader.records).toEqual(whole.records);
        }
      });

      it('gets exactly the rest of an answer that is still being written, wherever it was cut off', async () => {
        const { text, gates } = gatedText([ODD_TEXT, ODD_TEXT]);
        server.fake.reply(TOOL_TURN, { text });
        const of = await server.api.begin('live', 'Go');
        const frames = await framesUntil(server, of, (reader) => reader.openText === ODD_TEXT);
        const goOn = await Promise.all(
          frames.map((_, cut) => comeBack(server, of, frames.slice(0, cut + 1))),
        );
        gates[0]!.open();
        const readers = await Promise.all(goOn.map((toEnd) => toEnd()));
        const whole = await server.api.follow(of);
        expect(whole.find('ANSWER')).toMatchObject({ content: ODD_TEXT + ODD_TEXT });
        for (const reader of readers) {
          expect(reader.faults).toEqual([]);
          expect(reader.records).toEqual(whole.records);
        }
      });

      it('gets 204 when it has everything already', async () => {
        const reader = await server.api.say('end', 'Hi');
        const of = { chat_id: 'end', id: reader.records[0]!.interaction_id };
        const again = await server.api.events(of, reader.cursor);
        expect(again.status).toBe(204);
        expect(await again.all()).toEqual([]);
      });

      it('gets 400 for a cursor that is ahead of what has ended', async () => {
        const { records } = await server.api.say('beyond', 'Hi');
        const path = `/chats/beyond/interactions/${records[0]!.interaction_id}/events`;
        for (const cursor of [`${records.length + 1}`, '9999', '9999~1b0.5', '9'.repeat(40)]) {
          const { body } = await server.api.get(`${path}?after=${cursor}`);
          expect([cursor, body]).toMatchObject([
            cursor,
            { type: '/problems/cursor_ahead', status: 400, errors: [{ field: 'after' }] },
          ]);
        }
      });

      it('gets frames without names where it says so, with all else the same', async () => {
        const started = await server.api.stream('nameless', 'Hi', {}, '?named=0');
        const text = await started.response.text();
        const { interaction_id } = JSON.parse(/^data: (.*)$/m.exec(text)![1]!);
        const of = { chat_id: 'nameless', id: interaction_id };
        const path = `/chats/nameless/interactions/${of.id}/events`;
        const replayed = await (await server.api.fetch(`${path}?named=0`)).text();
        const named = await (await server.api.fetch(`${path}?named=1`)).text();
        expect(text).not.toMatch(/^event:/m);
        expect(named).toMatch(/^event: interaction_complete$/m);
        const ALIKE = /^(?:event|retry): .*\n/gm; // the pause is drawn for each stream
        expect(replayed.replaceAll(ALIKE, '')).toBe(named.replaceAll(ALIKE, ''));
      });

      it('is at the end of a log that is not as long as it says', async () => {
        const { text, gates } = gatedText(['Half', ' whole']);
        server.fake.reply({ text });
        const of = await server.api.begin('ahead', 'Go');
        const frames = await framesUntil(server, of, (reader) => reader.openText === 'Half');
        const ahead = await server.api.events(of, '9999~9z9.3');
        gates[0]!.open();
        const rest = await ahead.all();
        const reader = await new EventReader().readAll([frames[0]!, ...rest]);
        expect(reader.faults).toEqual([]);
        expect(reader.types).toEqual([
          'INTERACTION_STARTED',
          'ANSWER',
          'TURN_COMPLETED',
          'INTERACTION_COMPLETE',
        ]);
      });

      it('may send a cursor in the query, which the header beats', async () => {
        const { records } = await server.api.say('query', 'Hi');
        const of = { chat_id: 'query', id: records[0]!.interaction_id };
        const firstSeq = async (cursor: string | undefined, query: string) => {
          const frames = await (await server.api.events(of, cursor, query)).all();
          return frames.map(({ data }) => 'seq' in data && data.seq).find((seq) => seq !== false);
        };
        expect(await firstSeq(undefined, '?after=2')).toBe(3);
        expect(await firstSeq('1', '?after=3')).toBe(2);
        expect(await firstSeq('1', '?after=banana')).toBe(2);
        expect(await firstSeq(undefined, '')).toBe(1);
      });

      it('gets 400 for a cursor that nobody sent it', async () => {
        const { records } = await server.api.say('invalid', 'Hi');
        const path = `/chats/invalid/interactions/${records[0]!.interaction_id}/events`;
        for (const cursor of ODD_CURSORS) {
          const reply = await server.api.get(`${path}?after=${encodeURIComponent(cursor)}`);
          expect([cursor, reply.status]).toEqual([cursor, 400]);
          expect(reply.headers.get('content-type')).toMatch('application/problem+json');
          expect(reply.body).toMatchObject({
            type: '/problems/invalid_cursor',
            status: 400,
            errors: [{ field: 'after' }],
          });
        }
        const { body } = await server.api.send('GET', path, { headers: { 'last-event-id': '1~' } });
        expect(body).toMatchObject({ status: 400, errors: [{ field: 'Last-Event-ID' }] });
      });
    });
  });

  describe('Readers that drop and come back at random, and some that join late', () => {
    servers.run({}, (server) => {
      it('all see every record and every character once (I2)', async () => {
        const parts = Array.from({ length: 12 }, (_, n) => `${ODD_TEXT.repeat(3)}Part ${n}. `);
        const { text, gates } = gatedText(parts);
        server.fake.reply(TOOL_TURN, { text, chunk_size: 3 });
        const of = await server.api.begin('storm', 'Go');
        const chance = random(42);
        const join = (probability: number) => server.api.follow(of, () => chance() < probability);
        const readers = Array.from({ length: 20 }, (_, n) => join(n / 40));
        // Each part waits until one reader has the one before, so that the others drop while it is
        // written.
        const pacing = new EventReader();
        for await (const frame of await server.api.events(of)) {
          pacing.read(frame);
          while (
            gates.length > 0 &&
            pacing.openText.endsWith(`Part ${parts.length - 1 - gates.length}. `)
          ) {
            gates.shift()!.open();
            readers.push(join(0.3));
          }
        }
        readers.push(join(0.3));
        expect(pacing.faults).toEqual([]);
        expect(pacing.find('ANSWER')).toMatchObject({ content: parts.join('') });
        for (const reader of await Promise.all(readers)) {
          expect(reader.faults).toEqual([]);
          expect(reader.records).toEqual(pacing.records);
        }
      });
    });
  });
}

type Interaction = Parameters<ServerUnderTest['api']['events']>[0];

/** What a reader gets until it has seen enough. */
async function framesUntil(
  { api }: ServerUnderTest,
  of: Interaction,
  isEnough: (reader: EventReader) => boolean,
): Promise<EventFrame[]> {
  const frames: EventFrame[] = [];
  const reader = new EventReader();
  for await (const frame of await api.events(of)) {
    frames.push(frame);
    if (isEnough(reader.read(frame))) break;
  }
  return frames;
}

/**
 * Resolves as soon as a reader that has these frames is connected again, with its way to the end.
 */
async function comeBack(
  { api }: ServerUnderTest,
  of: Interaction,
  frames: readonly EventFrame[],
): Promise<() => Promise<EventReader>> {
  const reader = await new EventReader().readAll(frames);
  const stream = await api.events(of, reader.cursor);
  return () => reader.readAll(stream);
}
