import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../support/client/api-client.js';
import { LiveWatch } from '../../support/client/live-watch.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { Person } from '../../support/client/person.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { ADMIN_KEY, makeKey, WITH_KEYS } from '../with-keys.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

const HANGS = script({ hang: true });
const NONE = 'int_0199c0de-0000-7000-8000-000000000000';

export function describeQueue(servers: Servers): void {
  describe('The queue of a chat', () => {
    withPeople(servers, {}, (server, person) => {
      const api = () => server.api;

      it('lists what waits, in the order in which it runs', async () => {
        const running = await hold(server, person, 'listed');
        const first = await enqueue(person, 'listed', 'One');
        const second = await enqueue(person, 'listed', 'Two');
        const { status, body } = await api().get('/chats/listed/queue');
        expect(status).toBe(200);
        expect(Object.keys(body)).toEqual(['items']);
        const whole = [await api().interaction(first.of), await api().interaction(second.of)];
        expect(body.items).toEqual(whole);
        await person.cancel(first.of, '?wait=true');
        expect(await textsIn(api(), 'listed')).toEqual(['Two']);
        await person.cancel(running.of);
        await second.end();
        expect(await textsIn(api(), 'listed')).toEqual([]);
        expect((await api().get('/chats/queue-of-none/queue')).status).toBe(404);
      });

      it('is edited and moved, and runs so', async () => {
        const running = await hold(server, person, 'moved');
        const [one, two, three] = [
          await enqueue(person, 'moved', 'One'),
          await enqueue(person, 'moved', 'Two'),
          await enqueue(person, 'moved', 'Three'),
        ];
        const edited = await change(api(), two.of, { user_message: 'Zwei' });
        expect([edited.status, edited.body]).toEqual([200, await api().interaction(two.of)]);
        expect(edited.body).toMatchObject({ status: 'QUEUED', user_message: 'Zwei' });
        await change(api(), three.of, { before: one.of.id });
        expect(await textsIn(api(), 'moved')).toEqual(['Three', 'One', 'Zwei']);
        const both = await change(api(), one.of, { user_message: 'Eins', before: null });
        expect(both.body).toMatchObject({ id: one.of.id, user_message: 'Eins' });
        expect((await change(api(), one.of, {})).body).toEqual(both.body);
        expect(await textsIn(api(), 'moved')).toEqual(['Three', 'Zwei', 'Eins']);
        await person.cancel(running.of);
        const begun = [];
        for (const each of [three, two, one]) begun.push((await each.end()).records[0]);
        expect(begun).toMatchObject([
          { user_message: 'Three', parent_id: running.of.id },
          { user_message: 'Zwei', parent_id: three.of.id },
          { user_message: 'Eins', parent_id: two.of.id },
        ]);
        const said = server.fake.requests.at(-1)!.body['messages'] as { content: string }[];
        const messages = said.map(({ content }) => content);
        expect(messages).toEqual([HANGS, 'Three', 'Done.', 'Zwei', 'Done.', 'Eins']);
      });

      it('refuses what is not queued, or has no place', async () => {
        const running = await hold(server, person, 'refused-changes');
        const [one, two] = [
          await enqueue(person, 'refused-changes', 'One'),
          await enqueue(person, 'refused-changes', 'Two'),
        ];
        const refusal = async (of: Interacted, body: object) => {
          const reply = await change(api(), of, body);
          return [reply.status, reply.body.type, reply.body.errors?.[0]?.field];
        };
        const notQueued = [409, '/problems/not_queued', undefined];
        expect(await refusal(running.of, { user_message: 'No' })).toEqual(notQueued);
        expect(await refusal(running.of, {})).toEqual(notQueued);
        for (const before of [running.of.id, one.of.id, NONE, 'a b', 7]) {
          const found = await refusal(one.of, { user_message: 'No', before });
          expect([before, found]).toEqual([before, [400, '/problems/invalid_body', 'before']]);
        }
        for (const user_message of ['', ' ', null, 7]) {
          const found = await refusal(one.of, { user_message });
          expect(found).toEqual([400, '/problems/invalid_body', 'user_message']);
        }
        for (const of of [
          { chat_id: 'refused-changes', id: NONE },
          { chat_id: 'moved', id: one.of.id },
        ])
          expect((await refusal(of, { before: null }))[0]).toBe(404);
        await person.cancel(two.of, '?wait=true');
        expect(await refusal(two.of, { user_message: 'No' })).toEqual(notQueued);
        expect((await refusal(one.of, { before: two.of.id }))[0]).toBe(400);
        expect(await textsIn(api(), 'refused-changes')).toEqual(['One']);
        await person.cancel(running.of);
        await one.end();
        expect(await refusal(one.of, { before: null })).toEqual(notQueued);
      });

      it('keeps the Idempotency-Key of what was edited', async () => {
        const running = await hold(server, person, 'repeated');
        const body = { user_message: 'One', on_conflict: 'enqueue' };
        const headers = { accept: 'application/json', 'idempotency-key': 'k1' };
        const send = () => api().post('/chats/repeated/interactions', body, headers);
        const { body: of } = await send();
        await change(api(), of, { user_message: 'Other' });
        const again = await send();
        expect(again.body).toMatchObject({ id: of.id, user_message: 'Other' });
        await person.cancel(of, '?wait=true');
        await person.cancel(running.of, '?wait=true');
      });

      it('tells the readers of the chat each change, with places', async () => {
        const running = await hold(server, person, 'told');
        const live = await LiveWatch.open(api(), '/chats/told/events');
        await live.until('chat_state');
        const [one, two] = [
          await enqueue(person, 'told', 'One'),
          await enqueue(person, 'told', 'Two'),
        ];
        const [a, b] = [one.of.id, two.of.id];
        const told = async (interaction_id: string, position: number, queued: string[], n = 1) => {
          const isIt = (data: object) =>
            JSON.stringify(data) ===
            JSON.stringify({
              ...{ type: 'INTERACTION_QUEUED', chat_id: 'told', interaction_id },
              ...{ position, queued },
            });
          await live.until('interaction_queued', isIt, n);
        };
        await told(b, 2, [a, b]);
        await change(api(), one.of, { user_message: 'Eins' });
        await told(a, 1, [a, b]);
        await change(api(), two.of, { before: a });
        await told(b, 1, [b, a]);
        await change(api(), two.of, { before: null });
        await told(b, 2, [a, b], 2);
        const three = await enqueue(person, 'told', 'Three');
        await told(three.of.id, 3, [a, b, three.of.id]);
        await person.cancel(one.of, '?wait=true');
        await told(b, 1, [b, three.of.id]);
        await person.cancel(running.of);
        await told(three.of.id, 1, [three.of.id]);
        await Promise.all([two.end(), three.end()]);
        await live.close();
      });

      it('tells the readers of the chat that the only message was taken out', async () => {
        const running = await hold(server, person, 'emptied');
        const live = await LiveWatch.open(api(), '/chats/emptied/events');
        await live.until('chat_state');
        const one = await enqueue(person, 'emptied', 'One');
        await live.until('interaction_queued');
        await person.cancel(one.of, '?wait=true');
        await live.until('chat_state', ({ queued }) => (queued as string[]).length === 0, 2);
        await person.cancel(running.of, '?wait=true');
        await live.close();
      });

      it('changes a message before it begins, or not at all', async () => {
        for (let i = 0; i < 5; i++) {
          const chat = `raced-${i}`;
          const running = await hold(server, person, chat);
          const next = await enqueue(person, chat, 'Before');
          const [, changed] = await Promise.all([
            person.cancel(running.of),
            change(api(), next.of, { user_message: 'After' }),
          ]);
          const { records } = await next.end();
          expect([200, 409]).toContain(changed.status);
          const said = changed.status === 200 ? 'After' : 'Before';
          expect(records[0]).toMatchObject({ user_message: said });
          expect((await api().interaction(next.of)).user_message).toBe(said);
        }
      });
    });

    servers.run(WITH_KEYS, (server) => {
      beforeAll(() => server.fake.otherwise(playScript));

      it('lets only who has sent a message change its text', async () => {
        const keyOf = async (user_id: string) =>
          server.api.bearing((await makeKey(server.api, ['chat', 'decide'], { user_id })).key);
        const [ann, bob] = [await keyOf('ann'), await keyOf('bob')];
        await ann.post('/chats', { id: 'shared', visibility: 'tenant' });
        const person = new Person(() => ann);
        const running = await hold(server, person, 'shared');
        const next = await enqueue(person, 'shared', 'Ann speaks');
        const refused = await change(bob, next.of, { user_message: 'Bob speaks' });
        expect([refused.status, refused.body.type]).toEqual([403, '/problems/not_owner']);
        expect((await change(bob, next.of, { before: null })).status).toBe(200);
        expect(await textsIn(bob, 'shared')).toEqual(['Ann speaks']);
        const changed = await change(ann, next.of, { user_message: 'Ann speaks again' });
        expect(changed.status).toBe(200);
        const audit = await server.api.bearing(ADMIN_KEY).get('/audit?limit=50');
        const entries = audit.body.items.filter(
          ({ action }: { action: string }) => action === 'interaction.changed',
        );
        expect(entries).toMatchObject([
          { user_id: 'ann', interaction_id: next.of.id, detail: { fields: ['user_message'] } },
          { user_id: 'bob', interaction_id: next.of.id, detail: { fields: ['before'] } },
        ]);
        await person.cancel(next.of, '?wait=true');
        await person.cancel(running.of, '?wait=true');
      });
    });
  });

  describeRedacted(servers);
  describeChatSearch(servers);
}

function describeRedacted(servers: Servers): void {
  const folder = mkdtempSync(join(tmpdir(), 'parley-queue-'));
  const file = join(folder, 'patterns.json');
  writeFileSync(file, JSON.stringify([{ name: 'canary', pattern: 'CANARY-[0-9]+' }]));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe('A queued message that is edited', () => {
    withPeople(servers, { REDACT_PATTERNS: file }, (server, person) => {
      it('is redacted as that of a start, and says so if it is', async () => {
        const running = await hold(server, person, 'secret');
        const clean = await enqueue(person, 'secret', 'My CANARY-1');
        const dirty = await enqueue(person, 'secret', 'Nothing');
        await change(server.api, clean.of, { user_message: 'Nothing' });
        const { body } = await change(server.api, dirty.of, { user_message: 'My CANARY-2' });
        expect(body.user_message).toBe('My [redacted: canary]');
        await person.cancel(running.of);
        const readers = [await clean.end(), await dirty.end()];
        const notices = readers.map((each) => each.list('NOTICE').map(({ message }) => message));
        expect(notices).toEqual([[], ['The message was redacted: canary (1×).']]);
        expect(readers[1]!.records[0]).toMatchObject({ user_message: body.user_message });
      });
    });
  });
}

function describeChatSearch(servers: Servers): void {
  describe('GET /chats?q=', () => {
    withPeople(servers, {}, (server) => {
      const search = async (query: string) => {
        const { status, body } = await server.api.get(`/chats?${query}`);
        return { status, body, ids: body.items?.map(({ id }: { id: string }) => id) };
      };

      it('finds titles and previews, in any case and composition', async () => {
        await server.api.post('/chats', { id: 'found-1', title: 'Ein großer CAFÉ-Plan' });
        await server.api.post('/chats', { id: 'found-2', title: 'Something else' });
        await server.api.say('found-3', 'Wo ist das cafe\u0301?');
        await server.api.post('/chats', { id: 'found-4', title: '100% of_it' });
        await server.api.post('/chats', { id: 'found-5', title: 'Fruit' });
        await server.api.say('found-5', script({ text: 'ANANAS for all' }));
        expect((await search(`q=${encodeURIComponent('café')}`)).ids).toEqual([
          'found-3',
          'found-1',
        ]);
        expect((await search(`q=${encodeURIComponent('GROSSER cafe\u0301')}`)).ids).toEqual([
          'found-1',
        ]);
        expect((await search('q=ananas%20for')).ids).toEqual(['found-5']);
        expect((await search(`q=${encodeURIComponent('% of_')}`)).ids).toEqual(['found-4']);
        expect((await search(`q=${encodeURIComponent('.*')}`)).ids).toEqual([]);
      });

      it('pages as the list does, in both orders', async () => {
        const ids = [];
        for (let i = 0; i < 7; i++) {
          const id = `paged-${i}`;
          await server.api.post('/chats', { id, title: i % 3 ? `Needle ${i}` : 'Hay' });
          if (i % 3) ids.unshift(id);
        }
        for (const order of ['updated', 'created']) {
          const found = [];
          let cursor = '';
          do {
            const { body, ids: page } = await search(`q=needle&limit=2&order=${order}${cursor}`);
            found.push(...page);
            cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
          } while (cursor);
          expect(found).toEqual(ids);
        }
        const { body } = await search('q=needle&limit=2');
        const plain = await server.api.get('/chats?limit=1');
        const faults = [
          `cursor=${body.next_cursor}`,
          `q=needle&cursor=${plain.body.next_cursor}`,
          `q=needle&order=created&cursor=${body.next_cursor}`,
        ];
        for (const query of [...faults, 'q=', `q=${'x'.repeat(201)}`])
          expect([query, (await search(query)).status]).toEqual([query, 400]);
      });
    });
  });
}

/** One that holds its chat until it is cancelled. */
async function hold(server: ServerUnderTest, person: Person, chat: string) {
  const asked = server.fake.requests.length + 1;
  const following = await person.say(chat, HANGS);
  await server.fake.request(asked);
  return following;
}

function enqueue(person: Person, chat: string, user_message: string) {
  return person.say(chat, { user_message, on_conflict: 'enqueue' });
}

function change(api: ApiClient, { chat_id, id }: Interacted, body: object) {
  return api.patch(`/chats/${chat_id}/interactions/${id}`, { ...body });
}

async function textsIn(api: ApiClient, chat: string): Promise<string[]> {
  const { body } = await api.get(`/chats/${chat}/queue`);
  return body.items.map(({ user_message }: Interaction) => user_message);
}
