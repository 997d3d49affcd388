import { collect, interruptsIn, langGraphClient, valuesIn } from '../../clients/langgraph.js';
import type { Chunk, Values } from '../../clients/langgraph.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { longLog } from '../../support/client/long-log.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import { withPeople } from '../with-people.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Which?', options: ['red', 'blue'] } };
const OPEN_DOOR = {
  ...{ name: 'open_door', description: 'Opens a door.' },
  input_schema: { type: 'object', properties: { door: { type: 'string' } } },
};
const ALL = ['values', 'updates', 'messages-tuple', 'custom'] as const;

const human = (content: string, id?: string) => ({
  messages: [{ type: 'human', content, ...(id && { id }) }],
});
const textsIn = ({ messages }: Values): string[] => messages.map(({ content }) => content);

/** With the client of the package `@langchain/langgraph-sdk`. */
export function describeLangGraph(servers: Servers): void {
  describe('The façade for LangGraph', () => {
    servers.run(WITH_KEYS, (server) => testKeys(server), { modules: [HumanTestModule] });
    servers.run(WITH_KEYS, (server) => testWaits(server));
    withPeople(servers, { DISCONNECT_GRACE_MS: '100' }, (server, person) => {
      const client = () => langGraphClient(server.api.url);
      const thread = async (thread_id: string): Promise<string> => {
        await client().threads.create({ threadId: thread_id, ifExists: 'do_nothing' });
        return thread_id;
      };
      const run = async (id: string, payload: object): Promise<Chunk[]> => {
        const asked = { streamMode: ['values'], ...payload } as never;
        return collect(client().runs.stream(id, 'react', asked));
      };
      const stateOf = async (id: string) => client().threads.getState<Values>(id);

      it('has agents as assistants, and chats as threads', async () => {
        const found = await client().assistants.search();
        expect(found.map((each) => each.assistant_id)).toContain('react');
        expect(await client().assistants.get('react')).toMatchObject({ graph_id: 'react' });
        const metadata = { user: 'ann' };
        const made = await client().threads.create({ graphId: 'coder', metadata });
        expect(made).toMatchObject({
          status: 'idle',
          metadata: { user: 'ann', graph_id: 'coder' },
        });
        const { thread_id: id } = made;
        await expect(client().threads.create({ threadId: id })).rejects.toThrow(/409/);
        await client().threads.update(id, { metadata: { user: 'ben' } });
        const [one, ...others] = await client().threads.search({ metadata: { user: 'ben' } });
        expect([one!.thread_id, others]).toEqual([id, []]);
        expect((await client().threads.get(id)).values).toEqual({ messages: [] });
        await client().threads.delete(id);
        await expect(client().threads.get(id)).rejects.toThrow(/404/);
      });

      it('replays a long run, at the pace of its reader', async () => {
        const log = longLog({ calls: 3_000, output: 300 });
        const type = { 'content-type': 'application/x-ndjson' };
        const { body } = await server.api.post('/chats/import', log, type);
        const { id, head_interaction_id: run_id } = body as Imported;
        for (const mode of ['updates', 'messages-tuple']) {
          const path = `/langgraph/threads/${id}/runs/${run_id}/stream?stream_mode=${mode}`;
          const text = await (await server.api.fetch(path)).text();
          expect(text.match(/^event: (updates|messages)$/gm)!.length).toBeGreaterThan(3_000);
          expect(text).toMatch(/"status":"success"\}\s*$/);
        }
        const joined = await server.api.get(`/langgraph/threads/${id}/runs/${run_id}/join`);
        expect(joined.body.messages).toHaveLength(3_003);
      });

      it('streams thoughts, texts and calls of several turns', async () => {
        const id = await thread('lg-turns');
        const turn = { thinking: 'Hm.', text: 'I calculate.', calls: [CALCULATION] };
        const chunks = await run(id, { input: human(script(turn), 'm1'), streamMode: ALL });
        expect(chunks[0]).toMatchObject({ event: 'metadata', data: { thread_id: id } });
        expect(chunks.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } });
        const { messages } = valuesIn(chunks);
        expect(messages).toMatchObject([
          { type: 'human', id: 'm1' },
          {
            ...{ type: 'ai', content: 'I calculate.' },
            tool_calls: [{ name: 'calculator', args: { expression: '6*7' } }],
            additional_kwargs: { reasoning_content: 'Hm.' },
          },
          { type: 'tool', content: '42', status: 'success', name: 'calculator' },
          { type: 'ai', content: 'Done.' },
        ]);
        const tuples = chunks.filter(({ event }) => event === 'messages');
        const parts = tuples.map(({ data }) => (data as [{ id: string; content: string }])[0]);
        const said = messages.slice(1).map((each) => {
          const own = parts.filter((part) => part.id === each.id);
          return own.map(({ content }) => content).join('');
        });
        expect(said).toEqual(['I calculate.', '42', 'Done.']);
        const updates = chunks.filter(({ event }) => event === 'updates');
        expect(updates.map(({ data }) => Object.keys(data as object)[0])).toEqual([
          ...['agent', 'tools', 'agent'],
        ]);
        const next = valuesIn(await run(id, { input: human('Again', 'm2') }));
        expect(next.messages.slice(0, 4)).toEqual(messages);
        expect(next.messages.slice(4)).toMatchObject([{ id: 'm2' }, { content: 'Done.' }]);
        const state = await stateOf(id);
        expect([state.values, state.next, state.tasks]).toEqual([next, [], []]);
      });

      it('waits for decisions, with which a call runs, changed, or does not', async () => {
        const id = await thread('lg-approval');
        await makeToolAsk(server.api, id, 'calculator');
        const asked = script({ calls: [CALCULATION, CALCULATION, CALCULATION] });
        const first = await run(id, { input: human(asked) });
        expect(first.at(-1)).toMatchObject({ event: 'end', data: { status: 'interrupted' } });
        const [interrupt] = interruptsIn(valuesIn(first));
        const action = { name: 'calculator', args: { expression: '6*7' } };
        const actions = [action, action, action];
        expect(interrupt!.value).toMatchObject({
          ...{ actionRequests: actions, action_requests: actions },
          reviewConfigs: [
            { actionName: 'calculator', allowedDecisions: ['approve', 'edit', 'reject'] },
          ],
        });
        const { tasks, next } = await stateOf(id);
        expect([next, tasks[0]!.interrupts]).toEqual([['agent'], [interrupt]]);
        expect(await client().threads.get(id)).toMatchObject({ status: 'interrupted' });
        const few = { command: { resume: { decisions: [{ type: 'approve' }] } } };
        await expect(run(id, few)).rejects.toThrow(/3 decisions/);
        const decisions = [
          { type: 'approve' },
          { type: 'edit', editedAction: { name: 'calculator', args: { expression: '6*8' } } },
          { type: 'reject', message: 'Twice is enough.' },
        ];
        const second = await run(id, { command: { resume: { decisions } } });
        const { messages } = valuesIn(second);
        const results = messages.flatMap((each) => (each.type === 'tool' ? each.content : []));
        expect(results.toSorted()).toEqual([
          ...['42', '48', expect.stringContaining('Twice is enough.')],
        ]);
        expect(interruptsIn(valuesIn(second))).toEqual([]);
        expect(messages.at(-1)!.content).toBe('Done.');
        await expect(run(id, few)).rejects.toThrow(/404/);
      });

      it('gives questions to people and calls to the client', async () => {
        const id = await thread('lg-asked');
        const door = { name: 'open_door', arguments: { door: 'front' } };
        const config = { configurable: { client_tools: [OPEN_DOOR] } };
        const asked = script({ calls: [QUESTION] }, { calls: [door] });
        const first = await run(id, { input: human(asked), config });
        const [question] = interruptsIn(valuesIn(first));
        expect(question!.value).toMatchObject({ question: 'Which?', options: ['red', 'blue'] });
        const second = await run(id, { command: { resume: 'green' } });
        const [call] = interruptsIn(valuesIn(second));
        const { toolCall } = call!.value as { toolCall: { id: string } };
        expect(toolCall).toMatchObject({ name: 'open_door', args: { door: 'front' } });
        const resume = { [call!.id]: { [toolCall.id]: { ok: true } } };
        const third = await run(id, { command: { resume } });
        const results = valuesIn(third).messages.filter(({ type }) => type === 'tool');
        expect(results.map(({ content }) => content)).toEqual(['green', '{"ok":true}']);
      });

      it('takes no answer to what is not open any more', async () => {
        const id = await thread('lg-stale');
        await makeToolAsk(server.api, id, 'calculator');
        const asked = script({ calls: [CALCULATION] }, { calls: [CALCULATION] });
        const first = await run(id, { input: human(asked) });
        const [stale] = interruptsIn(valuesIn(first));
        const [request] = (await server.api.get(`/requests?chat_id=${id}`)).body.items;
        await person.approve({ chat_id: id, id: request.interaction_id }, request.id);
        await eventually(async () => {
          const { items } = (await server.api.get(`/requests?chat_id=${id}`)).body;
          return items.length === 1 && items[0].id !== request.id;
        });
        const resume = { [stale!.id]: { decisions: [{ type: 'approve' }] } };
        await expect(run(id, { command: { resume } })).rejects.toThrow(/404/);
        const after = await run(id, { input: human('Never mind') });
        expect(textsIn(valuesIn(after)).slice(-2)).toEqual(['Never mind', 'Done.']);
      });

      it('refuses a run of a busy thread, unless it says what to do', async () => {
        const id = await thread('lg-busy');
        const gate = new Gate();
        server.fake.reply({ text: ['Half', gate] });
        const running = run(id, { input: human('One') });
        await gate.reached;
        expect(await client().threads.get(id)).toMatchObject({ status: 'busy' });
        expect((await stateOf(id)).next).toEqual(['agent']);
        await expect(run(id, { input: human('Two') })).rejects.toThrow(/422.*thread_busy/);
        const queued = run(id, { input: human('Two'), multitaskStrategy: 'enqueue' });
        await eventually(
          async () => (await client().runs.list(id, { status: 'pending' })).length > 0,
        );
        const [active] = await client().runs.list(id, { status: 'running' });
        await client().runs.cancel(id, active!.run_id, true);
        gate.open();
        const cancelled = await running;
        expect(cancelled.at(-1)).toMatchObject({ event: 'end', data: { status: 'interrupted' } });
        const texts = textsIn(valuesIn(await queued));
        expect(texts).toEqual(['One', 'Half', 'Two', 'Done.']);
        const gate2 = new Gate();
        server.fake.reply({ text: ['Half', gate2] });
        const replaced = run(id, { input: human('Three') });
        await gate2.reached;
        const after = await run(id, { input: human('Four'), multitaskStrategy: 'rollback' });
        gate2.open();
        await replaced;
        expect(textsIn(valuesIn(after))).toEqual([...texts, 'Four', 'Done.']);
      });

      it('waits for runs, also without a thread, and tells of failures', async () => {
        const input = human('Hi');
        const values = (await client().runs.wait(null, 'react', { input })) as unknown as Values;
        expect(textsIn(values)).toEqual(['Hi', 'Done.']);
        const id = await thread('lg-wait');
        const made = await client().runs.create(id, 'react', { input });
        expect(made).toMatchObject({ thread_id: id, assistant_id: 'react' });
        const joined = (await client().runs.join(id, made.run_id)) as unknown as Values;
        expect(textsIn(joined)).toEqual(['Hi', 'Done.']);
        expect(await client().runs.get(id, made.run_id)).toMatchObject({ status: 'success' });
        server.fake.reply({ status: 400 });
        await expect(client().runs.wait(id, 'react', { input })).rejects.toThrow(
          /^model_refused: /,
        );
        expect(await client().threads.get(id)).toMatchObject({ status: 'error' });
        await expect(client().runs.wait('lg-none', 'react', { input })).rejects.toThrow(/404/);
        const created = { input, ifNotExists: 'create' as const };
        await client().runs.wait('lg-none', 'react', created);
      });

      it('edits messages and tries answers again from checkpoints, as branches', async () => {
        const id = await thread('lg-fork');
        server.fake.reply({ text: 'First.' });
        await run(id, { input: human('One', 'm1') });
        await run(id, { input: human('Two', 'm2') });
        const history = await client().threads.getHistory<Values>(id);
        expect(history.map(({ values }) => textsIn(values).length)).toEqual([4, 3, 2, 1, 0]);
        const first = history.findLast(({ values }) => values.messages.some(isOf('m1')))!;
        const again = { checkpoint: first.checkpoint, input: null };
        server.fake.reply({ text: 'Second.' });
        const tried = valuesIn(await run(id, again));
        expect(tried.messages).toMatchObject([{ id: 'm1' }, { content: 'Second.' }]);
        const forks = await client().threads.getHistory<Values>(id);
        const children = forks.filter(
          (each) => each.parent_checkpoint?.checkpoint_id === first.checkpoint.checkpoint_id,
        );
        expect(children.map(({ values }) => textsIn(values).at(-1))).toEqual([
          ...['Second.', 'First.'],
        ]);
        const edited = { checkpoint: first.parent_checkpoint, input: human('Other', 'm3') };
        expect(textsIn(valuesIn(await run(id, edited)))).toEqual(['Other', 'Done.']);
        const back = { checkpoint: children[0]!.checkpoint, input: human('Go on') };
        const texts = textsIn(valuesIn(await run(id, back)));
        expect(texts).toEqual(['One', 'Second.', 'Go on', 'Done.']);
        expect(textsIn((await stateOf(id)).values)).toEqual(texts);
      });

      it('goes on within a word after a break, with the modes of the run', async () => {
        const id = await thread('lg-break');
        const gate = new Gate();
        server.fake.reply({ text: ['Half ', gate, 'and half.'] });
        const sent: string[] = [];
        let cut: (() => void) | undefined;
        const breaking: typeof fetch = async (target, init) => {
          sent.push(target instanceof Request ? target.url : target.toString());
          const response = await fetch(target, init);
          if (cut || !response.body) return response;
          const [reader, body] = [response.body.getReader(), new TransformStream()];
          const writer = body.writable.getWriter();
          cut = () => void writer.abort(new TypeError('terminated')).then(() => reader.cancel());
          void (async () => {
            for (;;) {
              const { done, value } = await reader.read();
              if (done) return;
              await writer.write(value);
            }
          })().catch(() => {});
          return new Response(body.readable, { headers: response.headers });
        };
        const streamed = langGraphClient(server.api.url, { fetch: breaking }).runs.stream(
          id,
          'react',
          { input: human('Hi'), streamMode: ['messages-tuple'] },
        );
        const texts: string[] = [];
        for await (const { event, data } of streamed) {
          if (event === 'messages') texts.push(data[0].content as string);
          if (texts.join('') !== 'Half ' || sent.length > 1) continue;
          cut!();
          gate.open();
        }
        expect(texts.join('')).toBe('Half and half.');
        expect(sent[1]).toMatch(/\/langgraph\/threads\/lg-break\/runs\/int_.*=messages-tuple$/);
        const [one] = await client().runs.list(id);
        const all = await collect(
          client().runs.joinStream(id, one!.run_id, {
            lastEventId: '-1',
            streamMode: ALL as never,
          }),
        );
        for (const [at, { id: last }] of all.entries()) {
          if (at === 0) continue;
          const options = { lastEventId: last!, streamMode: ALL as never };
          const rest = await collect(client().runs.joinStream(id, one!.run_id, options));
          expect([at, rest]).toEqual([at, all.slice(at + 1)]);
        }
      });

      it('refuses what agents can’t honour by its name', async () => {
        const id = await thread('lg-refused');
        const input = human('Hi');
        for (const [payload, message] of [
          [{ input, streamMode: 'events' }, 'stream_mode'],
          [{ input, interruptBefore: ['agent'] }, 'interrupt_before'],
          [{ input, webhook: 'https://example.com' }, 'webhook'],
          [{ input, command: { goto: 'agent' } }, 'command.goto'],
          [
            { input: { messages: [{ type: 'human', content: [{ type: 'image_url' }] }] } },
            'upload',
          ],
          [{ input: null }, 'input.messages'],
          [{ input, checkpointId: 'int_none' }, 'int_none'],
          [{ input, config: { configurable: { max_iterations: 0 } } }, 'max_iterations'],
        ] as const)
          await expect(run(id, payload)).rejects.toThrow(message);
        await expect(client().runs.wait(id, 'robot', { input })).rejects.toThrow(/404.*robot/);
      });
    });
  });
}

function testWaits(server: ServerUnderTest): void {
  const keyOf = async (user_id: string): Promise<ApiClient> =>
    server.api.bearing((await makeKey(server.api, ['chat'], { user_id })).key);
  /** Waits for a run, until its answer has begun with white space. */
  const begin = async (api: ApiClient, thread: string) => {
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const response = await api.fetch(`/langgraph/threads/${thread}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ assistant_id: 'react', input: human('Hi'), if_not_exists: 'create' },
      }),
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader.read()).toEqual({ done: false, value: '\n' });
    const rest = async (): Promise<Values> => {
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += part.value;
      return JSON.parse(text) as Values;
    };
    return { gate, rest };
  };

  it('sends white space while it waits for a run, then the end of the run', async () => {
    const { gate, rest } = await begin(await keyOf('ann'), 'lg-alive');
    gate.open();
    expect(textsIn(await rest())).toEqual(['Hi', 'Half and half.']);
  });

  it('tells of a failure after that as of one of the run', async () => {
    const ann = await keyOf('ann');
    await ann.post('/chats', { id: 'lg-hidden', visibility: 'tenant' });
    const { gate, rest } = await begin(await keyOf('ben'), 'lg-hidden');
    await ann.patch('/chats/lg-hidden', { visibility: 'private' });
    expect(await rest()).toMatchObject({ __error__: { error: 'chat_deleted' } });
    gate.open();
  });
}

function testKeys(server: ServerUnderTest): void {
  it('needs the scope decide for answers, and shows nothing to others', async () => {
    server.fake.otherwise(playScript);
    const client = (apiKey: string) => langGraphClient(server.api.url, { apiKey });
    const { key } = await makeKey(server.api, ['chat', 'decide']);
    await makeToolAsk(server.api.bearing(key), 'lg-kept', 'calculator');
    const input = human(script({ calls: [CALCULATION] }));
    const values = (await client(key).runs.wait('lg-kept', 'react', { input })) as unknown;
    const [interrupt] = interruptsIn(values as Values);
    const command = { resume: { [interrupt!.id]: { decisions: [{ type: 'approve' }] } } };
    const { key: reader } = await makeKey(server.api, ['chat']);
    const { key: other } = await makeKey(server.api, ['chat', 'decide'], { user_id: 'ben' });
    for (const [stranger, status] of [
      [reader, /403.*missing_scope/],
      [other, /404.*chat_not_found/],
      ['wrong', /401.*invalid_credential/],
    ] as const)
      await expect(client(stranger).runs.wait('lg-kept', 'react', { command })).rejects.toThrow(
        status,
      );
    const responded = await server.api.bearing(reader).post('/langgraph/threads/lg-kept/commands', {
      ...{ id: 1, method: 'input.respond', params: { interrupt_id: interrupt!.id, response: {} } },
    });
    expect([responded.status, responded.body.error]).toEqual([403, 'missing_scope']);
    const auto = { input, config: { configurable: { approval_mode: 'auto' } } };
    await expect(client(reader).runs.wait(null, 'react', auto)).rejects.toThrow(/missing_scope/);
    const decided = (await client(key).runs.wait('lg-kept', 'react', { command })) as unknown;
    expect(textsIn(decided as Values).slice(1)).toEqual(['', '42', 'Done.']);
  });

  it('tells of what it can’t read in the shape of the protocol, before it is walked', async () => {
    const { key } = await makeKey(server.api, ['chat', 'decide']);
    const post = async (path: string, body: Readonly<Record<string, unknown>>) => {
      const reply = await server.api.bearing(key).post(`/langgraph/${path}`, body);
      return [reply.status, reply.body.error, reply.body.message === reply.body.detail];
    };
    const text = (content: unknown) => ({
      assistant_id: 'react',
      input: { messages: [{ role: 'user', content }] },
    });
    const ofRole = (type: string) => ({
      assistant_id: 'react',
      input: { messages: [{ type, content: 'Hi' }] },
    });
    const many = Array.from({ length: 20_001 }, () => ({ type: 'text', text: 'a' }));
    for (const [path, body, status, error] of [
      ['runs', text('x'.repeat(4 * 1024 * 1024)), 413, 'body_too_large'],
      ['runs', text('x'.repeat(1024 * 1024 + 1)), 413, 'body_too_large'],
      ['runs', text(many), 400, 'invalid_body'],
      ['runs', { input: {} }, 400, 'invalid_body'],
      ['runs', ofRole('constructor'), 400, 'invalid_body'],
      ['threads', { thread_id: 'no spaces' }, 400, 'invalid_body'],
      ['threads/search', { values: { a: 1 } }, 400, 'unsupported_parameter'],
      ['threads/none/stream/events', { channels: [] }, 400, 'invalid_body'],
      ['threads/none/stream/events', { channels: ['values'] }, 404, 'chat_not_found'],
      ['threads/none/commands', { method: 'run.start' }, 400, 'invalid_body'],
      ['nothing', {}, 404, 'not_found'],
    ] as const)
      expect([path, ...(await post(path, body))]).toEqual([path, status, error, true]);
    const unknown = { id: 7, method: 'run.start', params: text('Hi') };
    const params = { ...unknown.params, assistant_id: 'robot' };
    const reply = await server.api
      .bearing(key)
      .post('/langgraph/threads/new/commands', { ...unknown, params });
    expect([reply.status, reply.body]).toMatchObject([
      200,
      { type: 'error', id: 7, error: 'model_not_found' },
    ]);
  });
}

type Imported = { readonly id: string; readonly head_interaction_id: string };

function isOf(id: string) {
  return (message: { readonly id: string }): boolean => message.id === id;
}
