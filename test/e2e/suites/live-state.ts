import { jest } from '@jest/globals';
import { LiveBus } from '../../../src/event-log/live/live-bus.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { EventReader } from '../../support/client/event-reader.js';
import { LiveWatch } from '../../support/client/live-watch.js';
import type { LiveFrame } from '../../support/client/live-watch.js';
import type { EventFrame } from '../../../client/strict-reader.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { ADMIN_KEY, makeKey, WITH_KEYS } from '../with-keys.js';
import { withPeople } from '../with-people.js';

const HANGS = script({ hang: true });
const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const ASKS = script({ calls: [CALCULATION] });

/** The events of each interaction, in the order in which the interactions came. */
function byInteraction(frames: readonly LiveFrame[]): Map<string, EventFrame[]> {
  const all = new Map<string, EventFrame[]>();
  for (const frame of frames) {
    const [interaction_id, cursor] = frame.id.split('/');
    if (frame.data.interaction_id !== interaction_id || !('agent_id' in frame.data)) continue;
    if (frame.event === 'agent_state') continue;
    all.set(interaction_id!, [...(all.get(interaction_id!) ?? []), { ...frame, id: cursor! }]);
  }
  return all;
}

export function describeLiveState(servers: Servers): void {
  describe('The stream of a chat', () => {
    withPeople(servers, { HEARTBEAT_MS: '1000' }, (server, person) => {
      const watch = (chat: string, cursor?: string) =>
        LiveWatch.open(server.api, `/chats/${chat}/events`, cursor);
      /**
       * The records of a watch are those of the streams of the interactions, in the order given.
       */
      const expectSame = async (frames: readonly LiveFrame[], chat_id: string, ids: string[]) => {
        const heard = byInteraction(frames);
        expect([...heard.keys()]).toEqual(ids);
        for (const id of ids) {
          const own = await server.api.follow({ chat_id, id });
          const reader = await new EventReader().readAll(heard.get(id)!);
          expect(reader.records).toEqual(own.records);
          expect(reader.done).toBe(true);
        }
      };

      it('tells the state, then the active interaction, then those that begin', async () => {
        const first = await person.say('live-one', ASKS);
        const { approval_id } = await first.record('APPROVAL_REQUIRED');
        const live = await watch('live-one');
        const state = await live.until('chat_state');
        const { id } = first.of;
        expect(state).toMatchObject({
          ...{ type: 'CHAT_STATE', chat_id: 'live-one' },
          ...{ head_interaction_id: id, active_interaction_id: id, queued: [], tasks: [] },
          chat: { id: 'live-one', status: 'WAITING_APPROVAL', active_interaction_id: id },
          requests: [{ id: approval_id, status: 'pending', tool_name: 'calculator' }],
        });
        const next = await person.say('live-one', { user_message: 'Next', on_conflict: 'enqueue' });
        expect(await live.until('interaction_queued')).toMatchObject({
          interaction_id: next.of.id,
          queued: [next.of.id],
        });
        await person.approve(first.of, approval_id);
        const settled = await live.until('request_settled');
        expect(settled.request).toMatchObject({ id: approval_id, settlement: { approved: true } });
        await live.until('chat_updated', ({ chat }) => chat.status === 'COMPLETED');
        await live.until('interaction_complete', undefined, 2);
        await expectSame(live.frames, 'live-one', [id, next.of.id]);
        expect(live.of('chat_state')).toHaveLength(1);
        expect(live.frames.every((frame) => frame.id.includes('/'))).toBe(true);

        const asking = await person.say('live-one', ASKS);
        const opened = await live.until('request_opened', ({ request }) => {
          return request.interaction_id === asking.of.id;
        });
        const edited = await person.edit(asking.of, 'Rather this', { on_conflict: 'interrupt' });
        await live.until('interaction_complete', ({ interaction_id }) => {
          return interaction_id === edited.body.id;
        });
        await live.until('request_settled', ({ request }) => request.id === opened.request.id);
        const order = [id, next.of.id, asking.of.id, edited.body.id];
        await expectSame(live.frames, 'live-one', order);
        await live.close();
      });

      it('tells from its beginning the conversation that the chat was created with', async () => {
        const messages = [
          { role: 'user', content: 'Six times seven?' },
          { role: 'assistant', content: '42.' },
        ];
        await server.api.post('/chats', { id: 'live-told', messages });
        const { id } = await server.api.begin('live-told', 'More');
        const whole = await watch('live-told', '0');
        expect(await whole.until('chat_state')).toMatchObject({ messages });
        await whole.until('interaction_complete', ({ interaction_id }) => interaction_id === id);
        const later = await watch('live-told', whole.lastId);
        expect(await later.until('chat_state')).not.toHaveProperty('messages');

        const long = { role: 'user', content: 'x'.repeat(300_000) };
        await server.api.post('/chats', { id: 'live-long', messages: [...messages, long] });
        const cut = await watch('live-long', '0');
        expect(await cut.until('chat_state')).toMatchObject({ messages, messages_cut: true });
        await server.api.post('/chats', { id: 'live-bare' });
        const bare = await watch('live-bare', '0');
        expect(await bare.until('chat_state')).not.toHaveProperty('messages');
        for (const live of [whole, later, cut, bare]) await live.close();
      });

      it('tells the state again after it has told changes of tasks as they were', async () => {
        const add = { name: 'todo', arguments: { tasks: [{ title: 'Plan' }] } };
        const first = await person.say('live-ten', script({ calls: [add] }));
        const { task } = await first.record('TASK_UPDATED');
        await server.api.follow(first.of);
        await server.api.delete(`/tasks/${task.id}`);
        const ended = await watch('live-ten', '0');
        await ended.until('interaction_complete');
        await ended.until('chat_state', ({ tasks }) => tasks.length === 0, 2);
        const asks = script({ calls: [add] }, { calls: [CALCULATION] });
        const second = await person.say('live-ten', asks);
        await second.record('APPROVAL_REQUIRED');
        await ended.until('task_updated', undefined, 2);
        const running = await watch('live-ten');
        await running.until('task_updated');
        await running.until('chat_state', ({ tasks }) => tasks.length === 1, 2);
        for (const live of [ended, running]) await live.close();
      });

      it('tells of titles, branches and tasks that people change', async () => {
        const one = await server.api.begin('live-two', 'One');
        await server.api.follow(one);
        const two = await server.api.begin('live-two', 'Two');
        await server.api.follow(two);
        const live = await watch('live-two');
        expect(await live.until('chat_state')).toMatchObject({ active_interaction_id: null });
        expect(live.lastId).toMatch(new RegExp(`^${two.id}/[1-9]`));
        await server.api.patch('/chats/live-two', { title: 'Plans' });
        await live.until('chat_updated', ({ chat }) => chat.title === 'Plans');
        await server.api.patch('/chats/live-two', { head_interaction_id: one.id });
        await live.until('chat_updated', ({ chat }) => chat.head_interaction_id === one.id);
        const body = { chat_id: 'live-two', title: 'Test' };
        const { id } = (await server.api.post('/tasks', body)).body;
        expect(await live.until('task_updated')).toMatchObject({ task: { id, title: 'Test' } });
        await server.api.patch(`/tasks/${id}`, { status: 'completed' });
        await live.until('task_updated', ({ task }) => task.status === 'completed');
        await server.api.delete(`/tasks/${id}`);
        await live.until('task_updated', ({ task, deleted }) => task.id === id && deleted === true);
        const names = ['one.txt', 'two.txt'];
        for (const name of names) {
          const form = new FormData();
          form.set('chat_id', 'live-two');
          form.set('file', new Blob([name]), name);
          const file = (await server.api.send('POST', '/files', { form })).body;
          const told = await live.until('file_added', (event) => event.file.id === file.id);
          expect(told).toMatchObject({ chat_id: 'live-two', file });
        }
        expect(live.of('file_added')).toHaveLength(2);
        expect(live.of('chat_state')).toHaveLength(1);
        expect(byInteraction(live.frames).size).toBe(0);
        await live.close();
      });

      it('goes on wherever its reader stopped, with what began since', async () => {
        const first = await person.say('live-three', ASKS);
        const live = await watch('live-three');
        await live.until('chat_state');
        const { approval_id } = await first.record('APPROVAL_REQUIRED');
        const more = { user_message: 'Then', on_conflict: 'enqueue' };
        const second = await person.say('live-three', more);
        const dropped = await person.say('live-three', more);
        await live.until('interaction_queued', undefined, 2);
        await person.cancel(dropped.of, '?wait=true');
        await person.approve(first.of, approval_id);
        await live.until('interaction_complete', undefined, 3);
        const ids = [...byInteraction(live.frames).keys()];
        expect(ids.toSorted()).toEqual([first.of.id, second.of.id, dropped.of.id].toSorted());
        await expectSame(live.frames, 'live-three', ids);
        for (const [n, frame] of live.frames.entries()) {
          const rest = await watch('live-three', frame.id);
          const ends = live.frames
            .slice(n + 1)
            .filter((each) => each.event === 'interaction_complete');
          if (ends.length > 0) await rest.until('interaction_complete', undefined, ends.length);
          else await rest.until('chat_state');
          await rest.close();
          const [state, ...others] = rest.frames;
          expect(state!.event).toBe('chat_state');
          expect(state!.id).toBe(frame.id);
          await expectSame([...live.frames.slice(0, n + 1), ...others], 'live-three', ids);
        }
        await live.close();
      });

      it('tells what each agent does', async () => {
        const child = { name: 'agent', arguments: { prompt: ASKS } };
        const parent = script({ calls: [child] });
        const first = await person.say('live-agents', parent);
        const live = await watch('live-agents');
        const { approval_id, tool_call_id, agent_id } = await live.until('approval_required');
        const root = (await live.until('interaction_started')).agent_id;
        const asking = { state: 'waiting_permission', request_id: approval_id, tool_call_id };
        const isOf = (id: string, state: string) => (data: AgentStateLike) =>
          data.agent_id === id && data.state === state;
        const told = await live.until('agent_state', isOf(agent_id, 'waiting_permission'));
        expect(told).toMatchObject({
          ...asking,
          interaction_id: first.of.id,
          tool_name: 'calculator',
        });
        expect(await live.until('agent_state', isOf(root, 'waiting_subagent'))).toMatchObject({
          child_agent_id: agent_id,
        });
        const {
          type: _,
          chat_id: __,
          interaction_id: ___,
          ...same
        } = told as Record<string, unknown>;
        const tree = await server.api.get('/agents/tree?chat_id=live-agents');
        expect(tree.body.root).toMatchObject({
          ...{ state: 'waiting_subagent', child_agent_id: agent_id },
          children: [same],
        });
        expect((await server.api.get(`/agents/${agent_id}`)).body).toMatchObject(same);
        const late = await watch('live-agents', live.lastId);
        await late.close();
        await person.approve(first.of, approval_id);
        for (const id of [agent_id, root]) await live.until('agent_state', isOf(id, 'completed'));
        await live.close();
        await expectSame(live.frames, 'live-agents', [first.of.id]);
      });

      it('begins with a chat in which nothing was said', async () => {
        await server.api.post('/chats', { id: 'live-four' });
        const live = await watch('live-four');
        expect(await live.until('chat_state')).toMatchObject({ chat: { status: null } });
        expect(live.lastId).toBe('0');
        await live.close();
        const said = await server.api.begin('live-four', 'Now');
        const later = await watch('live-four', '0');
        await later.until('interaction_complete');
        await expectSame(later.frames, 'live-four', [said.id]);
        await later.close();
      });

      it('goes on after a restart of the server', async () => {
        const first = await person.say('live-five', ASKS);
        const { approval_id } = await first.record('APPROVAL_REQUIRED');
        const live = await watch('live-five');
        await live.until('approval_required');
        await server.restart();
        await live.ended;
        const again = await watch('live-five', live.lastId);
        expect((await again.until('chat_state')).requests).toMatchObject([{ id: approval_id }]);
        await person.approve(first.of, approval_id);
        await again.until('interaction_complete');
        await again.close();
        await expectSame([...live.frames, ...again.frames], 'live-five', [first.of.id]);
      });

      it('ends with its chat, whose readers have the end of what ran', async () => {
        const asked = server.fake.requests.length + 1;
        const hanging = await person.say('live-six', HANGS);
        const live = await watch('live-six');
        await live.until('interaction_started');
        await server.fake.request(asked);
        expect((await server.api.delete('/chats/live-six')).status).toBe(204);
        await live.ended;
        const records = await new EventReader().readAll(
          byInteraction(live.frames).get(hanging.of.id)!,
        );
        expect(records.types.at(-1)).toBe('INTERACTION_COMPLETE');
        expect((await server.api.get('/chats/live-six/events')).status).toBe(404);
        await hanging.closed();
        await server.api.begin('live-six', 'Again');
        const stale = await server.api.watch('/chats/live-six/events', live.lastId);
        expect(stale.status).toBe(400);
        stale.close();
      });

      it('refuses cursors that are none of its own', async () => {
        const other = await server.api.begin('live-seven', 'Other');
        await server.api.follow(other);
        const own = await server.api.begin('live-eight', 'Own');
        const { records } = await server.api.follow(own);
        const end = records.length;
        const cursors = ['x', '1', own.id, `${own.id}/`, `${own.id}/1~`, `/1`, `${other.id}/1`];
        for (const cursor of [...cursors, 'int_unknown/1', `${own.id}/${end + 1}`]) {
          const reply = await server.api.send('GET', '/chats/live-eight/events', {
            headers: { 'last-event-id': cursor, accept: 'text/event-stream' },
          });
          const type = cursor.endsWith(`/${end + 1}`) ? 'cursor_ahead' : 'invalid_cursor';
          expect([cursor, reply.status, reply.body.type]).toEqual([
            cursor,
            400,
            `/problems/${type}`,
          ]);
          expect(reply.body.errors[0].field).toBe('Last-Event-ID');
        }
      });
    });
  });

  describe('The feed', () => {
    withPeople(servers, { HEARTBEAT_MS: '1000' }, (server, person) => {
      it('keeps a list of chats and an inbox up to date', async () => {
        const waiting = await person.say('feed-one', ASKS);
        const { approval_id } = await waiting.record('APPROVAL_REQUIRED');
        const feed = await LiveWatch.open(server.api, '/events?after=0');
        const state = await feed.until('feed_state');
        expect(state.requests.map(({ id }: { id: string }) => id)).toContain(approval_id);
        expect(state.chats[0]).toEqual({
          ...{ id: 'feed-one', title: expect.any(String), status: 'WAITING_APPROVAL' },
          ...{ updated_at: expect.any(String), active_interaction_id: waiting.of.id },
        });
        await server.api.post('/chats', { id: 'feed-two', title: 'New' });
        await feed.until('chat_updated', ({ chat }) => chat?.title === 'New');
        const next = await person.say('feed-one', { user_message: 'Then', on_conflict: 'enqueue' });
        await feed.until(
          'interaction_queued',
          ({ interaction_id }) => interaction_id === next.of.id,
        );
        await person.approve(waiting.of, approval_id);
        await feed.until('request_settled', ({ request }) => request.id === approval_id);
        for (const { of } of [waiting, next])
          await feed.until('interaction_updated', ({ interaction_id, status }) => {
            return interaction_id === of.id && status === 'COMPLETED';
          });
        await feed.until('chat_updated', ({ chat }) => {
          return chat?.id === 'feed-one' && chat.status === 'COMPLETED';
        });
        const asking = await person.say('feed-two', ASKS);
        await feed.until('request_opened', ({ request }) => {
          return request.interaction_id === asking.of.id;
        });
        await person.cancel(asking.of, '?wait=true');
        await server.api.delete('/chats/feed-two');
        await feed.until('chat_updated', ({ chat_id, deleted }) => {
          return chat_id === 'feed-two' && deleted === true;
        });
        expect(feed.of('feed_state')).toHaveLength(1);
        expect(feed.frames.filter(({ data }) => 'seq' in data || 'delta' in data)).toEqual([]);
        await feed.close();
      });
    });
  });

  describe('Live state of which hints were lost', () => {
    withPeople(servers, { HEARTBEAT_MS: '300' }, (server, person) => {
      it('is told anew', async () => {
        const first = await person.say('lost-one', ASKS);
        const { approval_id } = await first.record('APPROVAL_REQUIRED');
        const task = { chat_id: 'lost-one', title: 'Test' };
        const live = await LiveWatch.open(server.api, '/chats/lost-one/events');
        const feed = await LiveWatch.open(server.api, '/events');
        await Promise.all([live.until('chat_state'), feed.until('feed_state')]);
        const spies = server
          .getAll(LiveBus)
          .map((bus) => jest.spyOn(bus, 'noteChange').mockImplementation(() => {}));
        await server.api.patch('/chats/lost-one', { title: 'Found' });
        const added = await server.api.post('/tasks', task);
        await server.api.post('/chats', { id: 'lost-two' });
        const state = await live.until('chat_state', ({ tasks }) => tasks.length === 1);
        expect(state).toMatchObject({ chat: { title: 'Found' }, tasks: [added.body] });
        const titles = ({ chats }: FeedStateLike) => chats.map(({ id, title }) => [id, title]);
        const all = await feed.until('feed_state', (data) => titles(data).length > 0, 2);
        expect(
          titles(await feed.until('feed_state', (data) => titles(data)[0]![0] === 'lost-two')),
        ).toEqual(
          expect.arrayContaining([
            ['lost-one', 'Found'],
            ['lost-two', null],
          ]),
        );
        expect(all.requests.map(({ id }: { id: string }) => id)).toContain(approval_id);
        await person.approve(first.of, approval_id);
        await live.until('interaction_complete');
        await live.until('chat_state', ({ chat, requests }) => {
          return chat.status === 'COMPLETED' && requests.length === 0;
        });
        const next = await server.api.begin('lost-one', 'Next');
        await live.until('interaction_complete', (data) => data.interaction_id === next.id);
        await server.api.delete('/chats/lost-one');
        await live.ended;
        await feed.until('feed_state', (data) => titles(data).every(([id]) => id !== 'lost-one'));
        for (const spy of spies) spy.mockRestore();
        await feed.close();
      });
    });
  });

  describe('What others see of live state', () => {
    servers.run(
      WITH_KEYS,
      (server) => {
        it('is what is visible to them, as long as it is', async () => {
          server.fake.otherwise(playScript);
          const scopes = ['chat', 'decide'] as const;
          const keyOf = (user_id: string, tenant_id: string) =>
            makeKey(server.api, scopes, { user_id, tenant_id });
          const keys = [
            await keyOf('ann', 'acme'),
            await keyOf('ben', 'acme'),
            await keyOf('eve', 'other'),
          ];
          const [ann, ben, eve] = keys.map(({ key }) => server.api.bearing(key)) as [
            ApiClient,
            ApiClient,
            ApiClient,
          ];
          const feeds = await Promise.all([ben, eve].map((api) => LiveWatch.open(api, '/events')));
          const [bens, eves] = feeds as [LiveWatch, LiveWatch];
          for (const feed of feeds)
            expect(await feed.until('feed_state')).toMatchObject({ chats: [], requests: [] });
          const asked = { calls: [{ name: 'ask_human', arguments: { question: 'Which?' } }] };
          const said = await ann.begin('seen', script(asked));
          const own = await LiveWatch.open(ann, '/chats/seen/events');
          const { request_id } = await own.until('input_required');
          for (const api of [ben, eve])
            expect((await api.get('/chats/seen/events')).status).toBe(404);

          await ann.patch('/chats/seen', { visibility: 'tenant' });
          const shown = await bens.until('feed_state', ({ chats }) => chats.length > 0);
          expect(shown).toMatchObject({ chats: [{ id: 'seen' }], requests: [{ id: request_id }] });
          const shared = await LiveWatch.open(ben, '/chats/seen/events');
          await shared.until('input_required');
          await ann.patch('/chats/seen', { visibility: 'private' });
          await shared.ended;
          await bens.until('chat_updated', ({ chat_id, deleted }) => chat_id === 'seen' && deleted);
          const told = bens.frames.length;
          await ann.post(`/chats/seen/interactions/${said.id}/respond`, {
            request_id,
            answer: 'x',
          });
          await own.until('interaction_complete');
          await ann.post('/chats', { id: 'shared', visibility: 'tenant' });
          await bens.until('chat_updated', ({ chat_id }) => chat_id === 'shared');
          expect(bens.frames.slice(told).map(({ data }) => data.chat_id)).toEqual(['shared']);
          expect(eves.frames).toHaveLength(1);
          await server.api.bearing(ADMIN_KEY).delete(`/keys/${keys[0]!.id}`);
          await own.ended;
          for (const feed of feeds) await feed.close();
        });
      },
      { isOwn: true },
    );
  });
}

interface AgentStateLike {
  readonly agent_id: string;
  readonly state: string;
}

interface FeedStateLike {
  readonly chats: readonly { readonly id: string; readonly title: string | null }[];
}
