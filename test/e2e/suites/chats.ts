import type { Message } from '../../../src/protocol/message.js';
import { EventReader } from '../../support/client/event-reader.js';
import { Gate } from '../../support/gate.js';
import type { Servers } from '../servers.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function describeChats(servers: Servers): void {
  describe('Chats', () => {
    servers.run(
      {},
      (server) => {
        it('are listed newest first, page by page, each once', async () => {
          const created: string[] = [];
          for (let n = 0; n < 7; n++)
            created.unshift((await server.api.post('/chats', { title: `Chat ${n}` })).body.id);
          const listed: string[] = [];
          let cursor: string | null = null;
          do {
            const query: string = cursor === null ? '' : `&cursor=${cursor}`;
            const { status, body } = await server.api.get(`/chats?limit=3${query}`);
            expect(status).toBe(200);
            listed.push(...body.items.map(({ id }: { id: string }) => id));
            cursor = body.next_cursor;
          } while (cursor !== null);
          expect(listed).toEqual(created);
          expect((await server.api.get('/chats')).body).toEqual({
            items: expect.arrayContaining([expect.objectContaining({ title: 'Chat 0' })]),
            next_cursor: null,
          });
        });

        it('are created with what the client says, an id of its own included', async () => {
          const reply = await server.api.post('/chats', {
            id: 'my-Own_1d',
            title: 'Plans 🏝',
            agent: 'react',
            metadata: { deep: { list: [1, null, 'é'] } },
          });
          expect(reply.status).toBe(201);
          expect(reply.body).toEqual({
            id: 'my-Own_1d',
            title: 'Plans 🏝',
            agent: 'react',
            settings: { agent: 'react' },
            messages: [],
            interactions: [],
            next_before: null,
            head_interaction_id: null,
            ...{ status: null, active_interaction_id: null },
            preview: null,
            created_at: expect.stringMatching(ISO_TIME),
            updated_at: reply.body.created_at,
            owner: 'local',
            visibility: 'private',
            usage: { input_tokens: 0, output_tokens: 0 },
            metadata: { deep: { list: [1, null, 'é'] } },
          });
          expect((await server.api.get('/chats/my-Own_1d')).body).toEqual(reply.body);
        });

        it('are created with nothing said', async () => {
          const { status, body } = await server.api.post('/chats', {});
          expect(status).toBe(201);
          expect(body).toMatchObject({ title: null, agent: null, metadata: {}, interactions: [] });
          expect(body.id).toMatch(/^chat_[0-9a-f-]{36}$/);
        });

        it('have a title and a preview, and are listed by their changes', async () => {
          const list = async (query: string) => (await server.api.get(`/chats?${query}`)).body;
          await server.api.post('/chats', { id: 'named', title: 'Named' });
          server.fake.reply({ text: 'One,\n two.' }, { text: 'Three.' }, { text: 'Four.' });
          const { records } = await server.api.say('unnamed', 'Count\nplease');
          await server.api.say('named', 'Go on');
          const [{ interaction_id }] = [records[0]!];
          const path = `/chats/unnamed/interactions/${interaction_id}`;
          await server.api.post(`${path}/edit?wait=true`, { new_user_message: 'Count more' });
          const unnamed = { id: 'unnamed', title: 'Count please', preview: 'Four.' };
          const named = { id: 'named', title: 'Named', preview: 'Three.' };
          const first = await list('limit=1');
          expect(first.items).toMatchObject([unnamed]);
          expect((await list(`limit=1&cursor=${first.next_cursor}`)).items).toMatchObject([named]);
          const created = await list('limit=2&order=created');
          expect(created.items).toMatchObject([unnamed, named]);
          const older = await list('limit=1&order=created');
          expect(
            (await list(`limit=1&order=created&cursor=${older.next_cursor}`)).items[0].id,
          ).toBe('named');
          for (const query of [
            `order=created&cursor=${first.next_cursor}`,
            `cursor=${older.next_cursor}`,
            'order=size',
          ])
            expect((await server.api.get(`/chats?${query}`)).status).toBe(400);
          const { body } = await server.api.patch('/chats/unnamed', {
            head_interaction_id: interaction_id,
          });
          expect(body.preview).toBe('One, two.');
          expect((await list('limit=1')).items[0]).toMatchObject({
            ...unnamed,
            preview: 'One, two.',
          });
        });

        it('have ids of which there is one each', async () => {
          expect((await server.api.post('/chats', { id: 'taken' })).status).toBe(201);
          const again = await server.api.post('/chats', { id: 'taken', title: 'Mine' });
          expect(again.status).toBe(409);
          expect(again.body).toMatchObject({ type: '/problems/chat_exists', status: 409 });
          expect((await server.api.get('/chats/taken')).body.title).toBeNull();
        });

        it('show the newest interactions of their branch, oldest first, and those before them', async () => {
          const ids: string[] = [];
          for (let n = 0; n < 5; n++)
            ids.push((await server.api.say('paged', `Message ${n}`)).records[0]!.interaction_id);
          const shown = async (query: string): Promise<string[]> =>
            (await server.api.get(`/chats/paged${query}`)).body.interactions.map(
              ({ id }: { id: string }) => id,
            );
          expect(await shown('')).toEqual(ids);
          expect(await shown('?limit=2')).toEqual(ids.slice(3));
          expect(await shown(`?limit=2&before=${ids[3]}`)).toEqual(ids.slice(1, 3));
          expect(await shown(`?limit=2&before=${ids[0]}`)).toEqual([]);
          expect(await shown('?include=superseded')).toEqual(ids);
          const elsewhere = (await server.api.say('elsewhere', 'Hi')).records[0]!.interaction_id;
          for (const unknown of [elsewhere, 'int_unknown']) {
            const reply = await server.api.get(`/chats/paged?before=${unknown}`);
            expect(reply.status).toBe(400);
            expect(reply.body.errors).toEqual([{ field: 'before', message: expect.any(String) }]);
          }
          const { body } = await server.api.get('/chats/paged?limit=1');
          expect(body.head_interaction_id).toBe(ids[4]);
          expect(body.interactions[0].final_agent_state.messages).toHaveLength(10);
        });

        it('say where the earlier interactions begin, and show states of a page', async () => {
          const ids: string[] = [];
          for (let n = 0; n < 3; n++)
            ids.push((await server.api.say('states', `Message ${n}`)).records[0]!.interaction_id);
          const page = async (query: string) => {
            const { body } = await server.api.get(`/chats/states${query}`);
            const items = body.interactions as Interaction[];
            const lengths = items.map((each) => each.final_agent_state?.messages.length);
            return [items.map(({ id }) => id), lengths, body.next_before];
          };
          expect(await page('')).toEqual([ids, [2, 4, 6], null]);
          expect(await page('?limit=2')).toEqual([ids.slice(1), [4, 6], ids[1]]);
          expect(await page(`?before=${ids[1]}`)).toEqual([[ids[0]], [2], null]);
          expect(await page('?state=all')).toEqual([ids, [2, 4, 6], null]);
          const { body } = await server.api.get('/chats/states');
          expect(body.interactions.map(({ cut }: Interaction) => cut)).toEqual([null, null, null]);
          const patched = await server.api.patch('/chats/states', { title: 'Title' });
          expect(patched.body).toEqual({ ...body, title: 'Title', updated_at: expect.any(String) });
          const path = `/chats/${patched.body.id}`;
          expect((await server.api.patch(path, {})).body).toEqual(patched.body);
          expect((await server.api.get('/chats/states?state=some')).status).toBe(400);
        });

        it('leave out states that do not fit, and name their places', async () => {
          const text = 'x'.repeat(700_000);
          for (let n = 0; n < 3; n++) await server.api.say('long-states', `${n}${text}`);
          const { body } = await server.api.get('/chats/long-states');
          const items = body.interactions as Interaction[];
          const shown = items.map((each) => each.final_agent_state !== null);
          expect(shown).toEqual([false, false, false]);
          for (const [index, { id, cut }] of items.entries()) {
            const { body: whole } = await server.api.get(cut!.final_agent_state!);
            const { messages } = whole.final_agent_state;
            const said = messages.some((each: Message) => each.content === `${index}${text}`);
            expect([whole.id, said, whole.cut]).toEqual([id, true, null]);
          }
        });

        it('take a new title and new metadata, and leave what is not said', async () => {
          const before = (
            await server.api.post('/chats', { id: 'patched', title: 'Old', metadata: { a: 1 } })
          ).body;
          const titled = await server.api.patch('/chats/patched', { title: 'New' });
          expect(titled.status).toBe(200);
          expect(titled.body).toMatchObject({ title: 'New', metadata: { a: 1 } });
          expect(Date.parse(titled.body.updated_at)).toBeGreaterThanOrEqual(
            Date.parse(before.updated_at),
          );
          const changed = await server.api.patch('/chats/patched', {
            title: null,
            metadata: { b: 2 },
          });
          expect(changed.body).toMatchObject({ title: null, metadata: { b: 2 } });
          expect((await server.api.get('/chats/patched')).body).toEqual(changed.body);
        });

        it('give their agent to interactions that choose none', async () => {
          await server.api.post('/chats', { id: 'with-agent', agent: 'react' });
          const reader = await server.api.say('with-agent', 'Hi');
          expect(reader.records[0]).toMatchObject({ agent: 'react' });
        });

        it('are gone with all they had when they are deleted', async () => {
          const { records } = await server.api.say('deleted', 'Hi', { 'idempotency-key': 'k' });
          const path = `/chats/deleted/interactions/${records[0]!.interaction_id}`;
          expect((await server.api.delete('/chats/deleted')).status).toBe(204);
          for (const gone of ['/chats/deleted', path, `${path}/events`])
            expect((await server.api.get(gone)).status).toBe(404);
          expect((await server.api.delete('/chats/deleted')).status).toBe(404);
          const listed = (await server.api.get('/chats?limit=200')).body.items;
          expect(listed.map(({ id }: { id: string }) => id)).not.toContain('deleted');
          const anew = await server.api.say('deleted', 'Another', { 'idempotency-key': 'k' });
          expect(anew.records[0]).toMatchObject({ parent_id: null, user_message: 'Another' });
        });

        it('stop what runs when they are deleted, and readers see its end', async () => {
          const gate = new Gate();
          server.fake.reply({ text: ['Half', gate, ' whole'] });
          const asked = server.fake.requests.length + 1;
          const reader = new EventReader();
          let deleted: ReturnType<typeof server.api.delete> | undefined;
          for await (const frame of await server.api.stream('stopped', 'Go'))
            if (reader.read(frame).openText === 'Half')
              deleted ??= server.api.delete('/chats/stopped');
          expect(reader.faults).toEqual([]);
          expect(reader.find('ANSWER')).toMatchObject({ content: 'Half', partial: true });
          expect(reader.find('CANCELLED')).toBeDefined();
          expect(reader.records.at(-1)).toMatchObject({ status: 'CANCELLED' });
          expect((await deleted!).status).toBe(204);
          expect(await (await server.fake.request(asked)).ended).toBe('closed');
          expect((await server.api.get('/chats/stopped')).status).toBe(404);
        });

        it('are deleted once by whoever comes at the same time, and what runs is cancelled once', async () => {
          server.fake.otherwise({ hang: true });
          const seen: number[] = [];
          for (let n = 0; n < 10; n++) {
            const reader = new EventReader();
            const stream = await server.api.stream('twice', 'Go');
            const deletes = [1, 2, 3].map(() => server.api.delete('/chats/twice'));
            for await (const frame of stream) reader.read(frame);
            expect(reader.records.filter(({ type }) => type === 'CANCELLED')).toHaveLength(1);
            const statuses = (await Promise.all(deletes)).map(({ status }) => status);
            expect(statuses).toContain(204);
            seen.push(...statuses);
          }
          expect(seen.filter((status) => ![204, 404].includes(status))).toEqual([]);
          server.fake.otherwise({ text: 'Hello.' });
        });

        it.each([
          ['GET', ''],
          ['PATCH', ''],
          ['DELETE', ''],
          ['GET', '/interactions/int_0199c0de-0000-7000-8000-000000000000'],
          ['GET', '/interactions/int_0199c0de-0000-7000-8000-000000000000/events'],
        ])('answer 404 to %s of one that is not there%s', async (method, rest) => {
          const path = `/chats/nobody${rest}`;
          const reply =
            method === 'GET'
              ? await server.api.get(path)
              : method === 'PATCH'
                ? await server.api.patch(path, { title: 'x' })
                : await server.api.delete(path);
          expect(reply.status).toBe(404);
          expect(reply.headers.get('content-type')).toMatch('application/problem+json');
          expect(reply.body).toMatchObject({ status: 404, instance: path });
        });

        it('do not show an interaction of another chat', async () => {
          const { records } = await server.api.say('mine', 'Hi');
          await server.api.post('/chats', { id: 'yours' });
          const path = `/chats/yours/interactions/${records[0]!.interaction_id}`;
          expect((await server.api.get(path)).status).toBe(404);
          expect((await server.api.get(`${path}/events`)).status).toBe(404);
        });
      },
      { isOwn: true },
    );

    // No lease is renewed within a test: it is no way to hear of anything.
    servers.run({ LEASE_TTL_MS: '600000' }, (server) => {
      it('stop at once what has only just begun when they are deleted', async () => {
        server.fake.otherwise({ hang: true });
        for (let n = 0; n < 10; n++) {
          const of = await server.api.begin('just-begun', 'Go');
          expect((await server.api.delete('/chats/just-begun')).status).toBe(204);
          expect((await server.api.events(of)).status).toBe(404);
        }
      });
    });
  });
}
