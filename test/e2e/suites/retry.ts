import { linesOf, withoutIds } from '../../chats/session-log/session-log-world.js';
import {
  chatId,
  HELD,
  newEnd,
  newRecord,
  newStart,
} from '../../contracts/interaction-store/fixtures.js';
import type { RecordBody } from '../../../src/protocol/events.js';
import type { InteractionSettings } from '../../../src/persistence/rows/interaction-row.js';
import { wholeStore } from '../../support/store/whole-store.js';
import { EventReader } from '../../support/client/event-reader.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const ERROR = { code: 'crash_loop', message: 'The server ended unexpectedly 5 times in a row.' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

export function describeRetry(servers: Servers): void {
  describe('A retry', () => {
    withPeople(servers, {}, (server, person) => {
      /** An interaction after a first one of its chat, as a process leaves it that gave it up. */
      const givenUp = async (
        chat: string,
        user_message: string,
        settings: Partial<InteractionSettings> = {},
      ): Promise<Interaction> => {
        const hello = await server.api.begin(chat, 'Hello.');
        const { model } = hello;
        await server.api.follow(hello);
        const store = wholeStore(server.stores);
        const start = newStart({ chat_id: chat, user_message, lease: HELD });
        const own = { ...start.interaction.settings, ...settings };
        const interaction = { ...start.interaction, model, settings: own };
        const created_at = new Date().toISOString();
        await store.startInteraction({ ...start, interaction: { ...interaction, created_at } });
        const { id } = interaction;
        const bodies: RecordBody[] = [
          { type: 'ERROR', ...ERROR },
          { type: 'INTERACTION_COMPLETE', status: 'FAILED' },
        ];
        const row = (await store.findInteraction(id))!;
        const { agent_id } = row;
        const records = bodies.map((body, index) =>
          newRecord(id, index + 2, { body, agent_id, key: null, hidden: null, at: row.created_at }),
        );
        const added_messages = [{ role: 'user', content: user_message } as const];
        const end = newEnd('', { status: 'FAILED', error: ERROR, added_messages });
        await store.append([{ interaction_id: id, epoch: 1, records, end }]);
        return server.api.interaction(row);
      };
      const retry = (of: Pick<Interaction, 'chat_id' | 'id'>) => person.act(of, 'retry', {});

      it('goes on with the log of an interaction that was given up', async () => {
        const of = await givenUp('retried', script({ text: 'Here I am.' }));
        expect(of).toMatchObject({ status: 'FAILED', error: ERROR });
        const former = await server.api.follow(of);
        expect(former.types).toEqual(['INTERACTION_STARTED', 'ERROR', 'INTERACTION_COMPLETE']);
        expect((await server.api.events(of, former.cursor)).status).toBe(204);

        const reply = await retry(of);
        expect(reply.status).toBe(202);
        const { id, user_message } = of;
        const again = { id, user_message, error: null, completed_at: null };
        expect(reply.body).toMatchObject({ ...again, status: 'RUNNING', final_agent_state: null });
        const events = `/chats/retried/interactions/${id}/events`;
        expect(reply.headers.get('location')).toBe(events);

        const whole = await server.api.follow(of);
        expect(whole.faults).toEqual([]);
        expect(whole.types).toEqual([
          ...['INTERACTION_STARTED', 'ERROR', 'NOTICE', 'RESUMED'],
          ...['ANSWER', 'TURN_COMPLETED', 'INTERACTION_COMPLETE'],
        ]);
        expect(whole.find('NOTICE')).toMatchObject({ code: 'retried', seq: 3 });
        expect(whole.find('RESUMED')).toMatchObject({ attempt: 1, seq: 4 });
        expect(whole.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });

        const back = await server.api.events(of, former.cursor);
        const rest = new EventReader();
        for (const record of former.records) rest.records.push(record);
        rest.records[2] = whole.records[2]!; // it took that for the end
        rest.cursor = former.cursor;
        await rest.readAll(back);
        expect(rest.records).toEqual(whole.records);
        expect(rest.faults).toEqual([]);

        const now = await server.api.interaction(of);
        expect(now).toMatchObject({ status: 'COMPLETED', error: null, last_seq: 7 });
        expect(now.completed_at).not.toBeNull();
        expect(now.final_agent_state?.messages.at(-1)?.content).toBe('Here I am.');
        const tree = await server.api.get(`/agents/tree?interaction_id=${id}`);
        expect(tree.body.root).toMatchObject({ state: 'completed' });
        const { items } = (await server.api.get('/audit?limit=200')).body;
        const noted = { action: 'interaction.retried', interaction_id: id };
        expect(items).toContainEqual(expect.objectContaining(noted));
      });

      it('is part of the conversation, and of the session log', async () => {
        const chat = chatId();
        const of = await givenUp(chat, script({ text: 'At last.' }));
        await retry(of);
        await server.api.follow(of);
        const next = await server.api.say(chat, script({ text: 'Next.' }));
        expect(next.find('ANSWER')).toMatchObject({ content: 'Next.' });
        const { interactions } = (await server.api.get(`/chats/${chat}`)).body;
        const contents = interactions
          .at(-1)
          .final_agent_state.messages.map(({ content }: { content: string }) => content);
        expect(contents.filter((each: string) => each === 'At last.')).toHaveLength(1);

        const log = (await server.api.get(`/chats/${chat}/log`)).body as string;
        const types = linesOf(log).flatMap(({ body }) => body?.type ?? []);
        expect(types.filter((type) => type === 'INTERACTION_COMPLETE')).toHaveLength(4);
        const copy = await server.api.post('/chats/import', log, NDJSON);
        expect([copy.status, copy.body.import?.problems]).toEqual([201, []]);
        const theirs = (await server.api.get(`/chats/${copy.body.id}/log`)).body as string;
        expect(withoutIds(theirs)).toBe(withoutIds(log));
      });

      it('can be cancelled, and is not to be retried then', async () => {
        const of = await givenUp(
          'stopped',
          script({ calls: [{ name: 'ask_human', arguments: { question: 'Who?' } }] }),
        );
        await retry(of);
        await person.cancel(of, '?wait=true');
        const reader = await server.api.follow(of);
        expect(reader.faults).toEqual([]);
        expect(reader.records.at(-1)).toMatchObject({ status: 'CANCELLED' });
        expect(await retry(of)).toMatchObject({ status: 409 });
      });

      it('is refused where there is nothing to take up', async () => {
        const of = await givenUp('not-retried', script({ text: 'Late.' }));
        expect(await retry({ ...of, id: 'int_gone' })).toMatchObject({ status: 404 });
        const [hello] = (await server.api.get('/chats/not-retried')).body.interactions;
        const refusal = (code: string) => ({
          status: 409,
          body: { type: `/problems/${code}` },
        });
        expect(await retry(hello)).toMatchObject(refusal('not_given_up'));
        const asking = script({ calls: [{ name: 'ask_human', arguments: { question: 'Who?' } }] });
        const active = await server.api.begin('not-retried', asking);
        const busy = refusal('chat_busy');
        expect(await retry(of)).toMatchObject({
          ...busy,
          body: { ...busy.body, active_interaction_id: active.id },
        });
        await person.cancel(active, '?wait=true');
        expect(await retry(of)).toMatchObject(refusal('interaction_superseded'));
      });

      it('runs nothing of a log that was imported', async () => {
        const calls = script({ calls: [{ name: 'calculator', arguments: { expression: '1+1' } }] });
        await givenUp('forged', calls, { approval_mode: 'auto' });
        const log = (await server.api.get('/chats/forged/log')).body as string;
        const { head_interaction_id: id, id: chat_id } = (
          await server.api.post('/chats/import', log, NDJSON)
        ).body;
        const reply = await retry({ chat_id, id });
        expect(reply).toMatchObject({ status: 409, body: { type: '/problems/not_given_up' } });
        expect((await server.api.get(`/chats/${chat_id}/log`)).body).not.toContain('RESUMED');
      });

      it('is refused if the server would not start it so', async () => {
        const of = await givenUp('unbounded', script({ text: 'On.' }), { max_iterations: 1e6 });
        const reply = await retry(of);
        expect(reply).toMatchObject({ status: 400, body: { type: '/problems/invalid_body' } });
      });
    });
  });
}
