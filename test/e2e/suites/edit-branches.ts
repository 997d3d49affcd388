import type { Message } from '../../../src/protocol/message.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

const HANGS = script({ hang: true });
const user = (content: string): Message => ({ role: 'user', content });
const DONE = { role: 'assistant', content: 'Done.' };

export function describeEditBranches(servers: Servers): void {
  describe('An edit', () => {
    withPeople(servers, {}, (server, person) => {
      /** A chat of these messages, each answered with "Done.". */
      const chatOf = async (chat: string, ...messages: string[]): Promise<Interacted[]> => {
        const all: Interacted[] = [];
        for (const message of messages) {
          const { records } = await server.api.say(chat, message);
          all.push({ chat_id: chat, id: records[0]!.interaction_id });
        }
        return all;
      };
      /** Edits in the background, and waits for the end. */
      const edit = async (of: Interacted, text: string, more: object = {}) => {
        const reply = await person.edit(of, text, more);
        expect(reply.status).toBe(202);
        const reader = await server.api.follow(reply.body);
        expect(reader.faults).toEqual([]);
        return { of: reply.body as Interacted, reader };
      };
      const sent = () => server.fake.requests.at(-1)!.body['messages'];
      const branch = async (chat: string, query = '') => {
        const { interactions } = (await server.api.get(`/chats/${chat}${query}`)).body;
        return interactions.map(({ id }: Interaction) => id);
      };
      const supersededIn = async (chat: string) => {
        const { interactions } = (await server.api.get(`/chats/${chat}?include=superseded`)).body;
        return interactions
          .filter(({ superseded_at }: Interaction) => superseded_at !== null)
          .map(({ id }: Interaction) => id);
      };
      const headOf = async (chat: string) =>
        (await server.api.get(`/chats/${chat}`)).body.head_interaction_id;

      it.each([
        ['first', 0],
        ['middle', 1],
        ['last', 2],
      ])('of the %s message goes on from the state before it', async (which, n) => {
        const texts = ['A', 'B', 'C'];
        const all = await chatOf(which, ...texts);
        const { of, reader } = await edit(all[n]!, 'Anew');
        const parent_id = n === 0 ? null : all[n - 1]!.id;
        expect(reader.records[0]).toMatchObject({
          type: 'INTERACTION_STARTED',
          user_message: 'Anew',
          parent_id,
          edited_from: all[n]!.id,
        });
        const before = texts.slice(0, n).flatMap((text) => [user(text), DONE]);
        expect(sent()).toEqual([...before, user('Anew')]);
        const ids = all.map(({ id }) => id);
        expect(await branch(which)).toEqual([...ids.slice(0, n), of.id]);
        expect(await branch(which, '?include=superseded')).toEqual([...ids, of.id]);
        expect(await supersededIn(which)).toEqual(ids.slice(n));
        expect(await headOf(which)).toBe(of.id);
        const interaction = await server.api.interaction(of);
        expect(interaction).toMatchObject({ parent_id, superseded_at: null });
        expect(interaction.final_agent_state!.messages).toEqual([...before, user('Anew'), DONE]);
        expect(await server.api.interaction(all[2]!)).toMatchObject({
          status: 'COMPLETED',
          superseded_at: expect.any(String),
        });
        const next = await server.api.say(which, 'Next');
        expect(next.records[0]).toMatchObject({ parent_id: of.id });
        expect(next.records[0]).not.toHaveProperty('edited_from');
        expect(sent()).toEqual([...before, user('Anew'), DONE, user('Next')]);
      });

      it('streams, unless it is asked to run in the background', async () => {
        const [first] = await chatOf('streams', 'A');
        const response = await fetch(
          `${server.api.url}/chats/streams/interactions/${first!.id}/edit`,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...server.api.headers },
            body: JSON.stringify({ new_user_message: 'B' }),
          },
        );
        expect(response.headers.get('content-type')).toBe('text/event-stream');
        expect(await response.text()).toMatch(
          /event: interaction_started[^]*event: interaction_complete/,
        );
      });

      it('of an edit replaces that one, and of what is off the branch begins another', async () => {
        const [a, b] = await chatOf('again', 'A', 'B');
        const second = await edit(b!, 'B2');
        const third = await edit(second.of, 'B3');
        expect(third.reader.records[0]).toMatchObject({ parent_id: a!.id });
        expect(await branch('again')).toEqual([a!.id, third.of.id]);
        const fourth = await edit(b!, 'B4');
        expect(fourth.reader.records[0]).toMatchObject({ parent_id: a!.id, edited_from: b!.id });
        expect(await branch('again')).toEqual([a!.id, fourth.of.id]);
        expect(await supersededIn('again')).toEqual([b!.id, second.of.id, third.of.id]);
      });

      it('of a conversation with tools starts from exactly what was there', async () => {
        const calls = [{ name: 'current_time', arguments: { timezone: 'UTC' } }];
        const [, b] = await chatOf('tools', script({ calls }), 'B');
        const before = sent().slice(0, -1);
        await edit(b!, 'B2');
        expect(sent()).toEqual([...before, user('B2')]);
      });

      it('chooses its own way to run', async () => {
        const [first] = await chatOf('options', 'A');
        const { of } = await edit(first!, 'B', {
          model: 'openai/other',
          max_iterations: 3,
          metadata: { b: 1 },
        });
        expect(await server.api.interaction(of)).toMatchObject({
          model: 'openai/other',
          metadata: { b: 1 },
        });
      });

      it('is started once for one Idempotency-Key', async () => {
        const [first] = await chatOf('keyed', 'A');
        const path = `/chats/keyed/interactions/${first!.id}/edit`;
        const headers = { accept: 'application/json', 'idempotency-key': 'k' };
        const post = (text: string) => server.api.post(path, { new_user_message: text }, headers);
        const [one, two] = [await post('B'), await post('B')];
        expect(two.body.id).toBe(one.body.id);
        expect((await post('C')).status).toBe(422);
        await server.api.follow(one.body);
      });

      it('is refused while the chat is busy, and changes nothing', async () => {
        const [first] = await chatOf('busy', 'A');
        const asked = server.fake.requests.length + 1;
        const running = await person.say('busy', HANGS);
        await server.fake.request(asked);
        for (const edited of [first!, running.of]) {
          const { status, body } = await person.edit(edited, 'B');
          expect([status, body]).toMatchObject([
            409,
            { type: '/problems/chat_busy', active_interaction_id: running.of.id },
          ]);
        }
        expect(await supersededIn('busy')).toEqual([]);
        expect(await branch('busy')).toEqual([first!.id, running.of.id]);
        await person.cancel(running.of);
        await running.end();
      });

      it.each([
        ['an earlier one', 0],
        ['itself', 1],
      ])('that interrupts what runs takes its place: %s', async (_, n) => {
        const chat = `interrupts-${n}`;
        const [first] = await chatOf(chat, 'A');
        const asked = server.fake.requests.length + 1;
        const running = await person.say(chat, HANGS);
        const request = await server.fake.request(asked);
        const edited = [first!, running.of][n]!;
        const { of, reader } = await edit(edited, 'B', { on_conflict: 'interrupt' });
        expect(await request.ended).toBe('closed');
        expect((await running.end()).records.at(-1)).toMatchObject({ status: 'CANCELLED' });
        const kept = n === 0 ? [] : [first!.id];
        expect(reader.records[0]).toMatchObject({
          parent_id: kept[0] ?? null,
          edited_from: edited.id,
        });
        expect(await branch(chat)).toEqual([...kept, of.id]);
        expect(await headOf(chat)).toBe(of.id);
        expect(await server.api.interaction(running.of)).toMatchObject({
          superseded_at: expect.any(String),
        });
        expect(sent()).toEqual([...(n === 0 ? [] : [user('A'), DONE]), user('B')]);
      });

      it('of one that waits for a person closes what it asked for', async () => {
        const calls = [{ name: 'calculator', arguments: { expression: '6*7' } }];
        const waiting = await person.say('waits', script({ calls }));
        const { approval_id } = await waiting.record('APPROVAL_REQUIRED');
        await edit(waiting.of, 'Never mind', { on_conflict: 'interrupt' });
        expect((await waiting.end()).find('REJECTED')).toMatchObject({
          approval_id,
          by: { kind: 'system' },
          cause: 'cancel',
        });
        expect((await person.inbox('status=pending&chat_id=waits')).body.items).toEqual([]);
        expect(sent()).toEqual([user('Never mind')]);
      });

      it('finds no interaction that is not there, or another chat’s', async () => {
        const [mine] = await chatOf('mine', 'A');
        const asked = server.fake.requests.length + 1;
        const running = await person.say('queue', HANGS);
        await server.fake.request(asked);
        for (const of of [
          { chat_id: 'mine', id: 'int_0199c0de-0000-7000-8000-000000000000' },
          { chat_id: 'nobody', id: mine!.id },
          { chat_id: 'queue', id: mine!.id },
        ]) {
          const { status, body } = await person.edit(of, 'B', { on_conflict: 'interrupt' });
          expect([status, body.type]).toEqual([404, '/problems/interaction_not_found']);
        }
        expect((await server.api.get('/chats/nobody')).status).toBe(404);
        expect((await server.api.interaction(running.of)).status).toBe('RUNNING');
        await person.cancel(running.of, '?wait=true');
        await running.end();
      });

      it.each(['reject', 'interrupt'])(
        'of one that is queued is refused: %s',
        async (on_conflict) => {
          const chat = `queued-${on_conflict}`;
          const running = await person.say(chat, HANGS);
          await running.record('INTERACTION_STARTED');
          const queued = await person.say(chat, { user_message: 'B', on_conflict: 'enqueue' });
          const { status, body } = await person.edit(queued.of, 'C', { on_conflict });
          expect([status, body.type]).toEqual([409, '/problems/interaction_queued']);
          expect(body.detail).toMatch(/with PATCH, or wait/);
          const statuses = [running, queued].map(
            async ({ of }) => (await server.api.interaction(of)).status,
          );
          expect(await Promise.all(statuses)).toEqual(['RUNNING', 'QUEUED']);
          await person.cancel(queued.of, '?wait=true');
          await person.cancel(running.of, '?wait=true');
          await Promise.all([queued, running].map((one) => one.end()));
        },
      );

      it('of what was cancelled before it began goes on from where the chat was then', async () => {
        const [first] = await chatOf('never-begun', 'A');
        const running = await person.say('never-begun', HANGS);
        await running.record('INTERACTION_STARTED');
        const queued = await person.say('never-begun', {
          user_message: 'B',
          on_conflict: 'enqueue',
        });
        await person.cancel(queued.of, '?wait=true');
        await person.cancel(running.of, '?wait=true');
        const parent_id = running.of.id;
        expect(await server.api.interaction(queued.of)).toMatchObject({ parent_id });
        expect((await queued.end()).records[0]).toMatchObject({ parent_id });
        const ids = [first!.id, running.of.id];
        expect(await branch('never-begun')).toEqual(ids);
        expect(await headOf('never-begun')).toBe(running.of.id);
        const { of, reader } = await edit(queued.of, 'B2');
        const edited_from = queued.of.id;
        expect(reader.records[0]).toMatchObject({ parent_id: running.of.id, edited_from });
        expect(sent()).toEqual([user('A'), DONE, user(HANGS), user('B2')]);
        expect(await branch('never-begun')).toEqual([...ids, of.id]);
        expect(await supersededIn('never-begun')).toEqual([queued.of.id]);
        await running.end();
      });

      it.each([
        ['nothing', {}],
        ['no text', { new_user_message: 7 }],
        ['what a start says', { new_user_message: 'x', user_message: 'x' }],
        ['to wait', { new_user_message: 'x', on_conflict: 'enqueue' }],
      ])('is refused when it says %s', async (_, body) => {
        const reply = await person.act({ chat_id: 'a', id: 'int_a' }, 'edit', body);
        expect(reply.status).toBe(400);
        expect(reply.body.errors).not.toEqual([]);
      });

      describe('of the head of a chat', () => {
        it('goes back to a branch, and the next message goes on from there', async () => {
          const [a, b, c] = await chatOf('back', 'A', 'B', 'C');
          const { of } = await edit(b!, 'B2');
          const reply = await server.api.patch('/chats/back', { head_interaction_id: c!.id });
          expect([reply.status, reply.body.head_interaction_id]).toEqual([200, c!.id]);
          expect(reply.body.interactions.map(({ id }: Interacted) => id)).toEqual([
            a!.id,
            b!.id,
            c!.id,
          ]);
          expect(await supersededIn('back')).toEqual([of.id]);
          await server.api.say('back', 'D');
          expect(sent()).toEqual(
            ['A', 'B', 'C', 'D'].flatMap((text) => [user(text), DONE]).slice(0, -1),
          );
          await server.api.patch('/chats/back', { head_interaction_id: of.id });
          await server.api.say('back', 'D2');
          expect(sent()).toEqual(
            ['A', 'B2', 'D2'].flatMap((text) => [user(text), DONE]).slice(0, -1),
          );
        });

        it('may go to the middle of a branch: what follows is superseded', async () => {
          const [a, b, c] = await chatOf('middle-head', 'A', 'B', 'C');
          await server.api.patch('/chats/middle-head', { head_interaction_id: a!.id, title: 'T' });
          expect(await branch('middle-head')).toEqual([a!.id]);
          expect(await supersededIn('middle-head')).toEqual([b!.id, c!.id]);
          expect((await server.api.get('/chats/middle-head')).body.title).toBe('T');
        });

        it('is refused for one that is not there or never began, and while the chat is busy', async () => {
          const [a] = await chatOf('head', 'A');
          const [other] = await chatOf('other-head', 'A');
          const before = await person.say('head', HANGS);
          const never = await person.say('head', { user_message: 'B', on_conflict: 'enqueue' });
          await person.cancel(never.of, '?wait=true');
          await person.cancel(before.of, '?wait=true');
          await Promise.all([before, never].map((one) => one.end()));
          for (const id of ['int_0199c0de-0000-7000-8000-000000000000', other!.id, never.of.id]) {
            const { status, body } = await server.api.patch('/chats/head', {
              head_interaction_id: id,
              title: 'Changed',
            });
            expect([status, body.type]).toEqual([404, '/problems/interaction_not_found']);
          }
          const asked = server.fake.requests.length + 1;
          const running = await person.say('head', HANGS);
          await server.fake.request(asked);
          const busy = await server.api.patch('/chats/head', { head_interaction_id: a!.id });
          expect([busy.status, busy.body.type]).toEqual([409, '/problems/chat_busy']);
          const chat = (await server.api.get('/chats/head')).body;
          expect(chat).toMatchObject({ title: 'A', head_interaction_id: running.of.id });
          await person.cancel(running.of);
          await running.end();
          expect(
            (await server.api.patch('/chats/nobody', { head_interaction_id: a!.id })).status,
          ).toBe(404);
        });

        it('outlives a restart', async () => {
          const [a, b] = await chatOf('restart', 'A', 'B');
          const { of } = await edit(b!, 'B2');
          await server.api.patch('/chats/restart', { head_interaction_id: b!.id });
          await server.restart();
          expect(await branch('restart')).toEqual([a!.id, b!.id]);
          expect(await supersededIn('restart')).toEqual([of.id]);
          await server.api.say('restart', 'C');
          expect(sent()).toEqual(
            ['A', 'B', 'C'].flatMap((text) => [user(text), DONE]).slice(0, -1),
          );
        });
      });

      it('of many at once is one after the other, and leaves one branch', async () => {
        const [a, b] = await chatOf('crowd', 'A', 'B');
        const replies = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            person.edit(b!, `B${n}`, { on_conflict: 'interrupt' }),
          ),
        );
        const followings: Interacted[] = replies.map(({ body }) => body);
        await Promise.all(followings.map((of) => server.api.follow(of)));
        const rest = await branch('crowd');
        expect(rest[0]).toBe(a!.id);
        expect(rest).toHaveLength(2);
        expect(await supersededIn('crowd')).toHaveLength(8);
      });
    });
  });
}
