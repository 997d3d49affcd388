import { TRANSPORTS, FoldedTask, TaskState, connect, dataOf, message } from '../../clients/a2a.js';
import { stateOf, textOf, textsOf } from '../../clients/a2a.js';
import type { Client, MessageOptions, Task, Transport } from '../../clients/a2a.js';
import { Gate } from '../../support/gate.js';
import { eventually } from '../../support/eventually.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import { withPeople } from '../with-people.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const question = (text: string) => ({ name: 'ask_human', arguments: { question: text } });

/** With the client of the package, by each transport. */
export function describeA2a(servers: Servers): void {
  describe('The façade for A2A', () => {
    servers.run(WITH_KEYS, (server) => testKeys(server), { modules: [HumanTestModule] });
    withPeople(servers, { DISCONNECT_GRACE_MS: '100' }, (server, person) => {
      for (const transport of TRANSPORTS)
        describe(`by ${transport}`, () => testTransport(server, transport));

      it('goes on with a decision that was made elsewhere', async () => {
        const client = await connect(server.api.url);
        await makeToolAsk(server.api, 'a2a-elsewhere', 'calculator');
        const task = await send(client, script({ calls: [CALCULATION] }), {
          contextId: 'a2a-elsewhere',
        });
        const [asked] = dataOf(task.status!.message);
        const of = { chat_id: task.contextId, id: task.id };
        await person.approve(of, String(asked!['approval_id']));
        await eventually(async () => stateOf(await get(client, task)) === 'COMPLETED');
        const { history } = await get(client, task);
        expect(history.map((each) => dataOf(each)[0]?.['approved'])).toEqual([
          ...[undefined, undefined, true],
        ]);
      });

      it('takes what clients send for fields that are not set as left out', async () => {
        const post = async (method: string, params: object): Promise<unknown> => {
          const call = { jsonrpc: '2.0', id: 1, method, params };
          const { body } = await server.api.post('/a2a/react', call);
          return body.error?.message ?? 'taken';
        };
        const unset = { tenant: '', contextId: '', pageToken: null, statusTimestampAfter: '' };
        for (const status of ['', null, 0, 'TASK_STATE_UNSPECIFIED', 'UNRECOGNIZED'])
          expect([status, await post('ListTasks', { ...unset, status })]).toEqual([
            status,
            'taken',
          ]);
        for (const status of ['', '0', 'TASK_STATE_UNSPECIFIED', 'UNRECOGNIZED']) {
          const query = new URLSearchParams({ status, tenant: '', historyLength: '' });
          expect((await server.api.get(`/a2a/react/tasks?${query}`)).status).toBe(200);
        }
        const text = { text: 'Hi', raw: '', url: '', filename: '', mediaType: '', data: null };
        const data = { text: '', data: { city: 'Bonn' } };
        const sent = { messageId: 'm', contextId: '', taskId: '', role: 'ROLE_USER' };
        const message = { ...sent, parts: [text, data], metadata: null, extensions: [] };
        expect(await post('SendMessage', { message, configuration: null })).toBe('taken');
        expect(server.fake.requests.at(-1)!.json).toContain('Bonn');
      });

      it('has the card of the default agent at the root', async () => {
        const { url } = server.api;
        const root = await fetch(`${url}/.well-known/agent-card.json`, {
          headers: { 'x-forwarded-proto': 'https' },
        });
        const card = (await root.json()) as { supportedInterfaces: { url: string }[] };
        expect(card).toMatchObject({ name: 'react', capabilities: { streaming: true } });
        expect(card.supportedInterfaces.map((each) => each.url)).toEqual([
          ...[`${url}/a2a/react`, `${url}/a2a/react`].map((each) => each.replace('http', 'https')),
        ]);
        expect((await (await connect(url)).getAgentCard()).name).toBe('react');
        await expect(connect(url, { agent: 'none' })).rejects.toThrow('404');
      });
    });
  });
}

function testKeys(server: ServerUnderTest): void {
  it('needs the scope decide for messages to a task, and shows nothing to others', async () => {
    server.fake.otherwise(playScript);
    const { key } = await makeKey(server.api, ['chat', 'decide']);
    await makeToolAsk(server.api.bearing(key), 'a2a-kept', 'calculator');
    const as = (each: string, transport?: Transport): Promise<Client> =>
      connect(server.api.url, {
        headers: { authorization: `Bearer ${each}` },
        ...(transport && { transport }),
      });
    const mine = await as(key);
    const card = await (await connect(server.api.url)).getAgentCard(); // without a key
    expect(card.securitySchemes['bearer']).toMatchObject({
      scheme: { $case: 'httpAuthSecurityScheme', value: { scheme: 'Bearer' } },
    });
    const contextId = 'a2a-kept';
    const task = await send(mine, script({ calls: [CALCULATION] }), { contextId });
    const verdict = verdictOn(task, true);
    const { key: reader } = await makeKey(server.api, ['chat']);
    const { key: other } = await makeKey(server.api, ['chat', 'decide'], { user_id: 'ben' });
    const { key: foreign } = await makeKey(server.api, ['chat', 'decide'], { tenant_id: 'other' });
    for (const transport of TRANSPORTS) {
      const client = await as(reader, transport);
      await expect(client.sendMessage(verdict)).rejects.toThrow('"decide"');
      const headers = { authorization: `Bearer ${key}` };
      const none = await connect(server.api.url, { transport, headers });
      headers.authorization = 'Bearer wrong';
      await expect(none.sendMessage(message('Hi'))).rejects.toThrow('key');
      for (const stranger of [other, foreign]) {
        const theirs = await as(stranger, transport);
        const hidden = { name: 'TaskNotFoundError' };
        await expect(get(theirs, task)).rejects.toMatchObject(hidden);
        await expect(theirs.cancelTask(oneOf(task))).rejects.toMatchObject(hidden);
        await expect(theirs.sendMessage(verdict)).rejects.toMatchObject(hidden);
        const stream = theirs.resubscribeTask({ tenant: '', id: task.id });
        await expect(new FoldedTask().takeAll(stream)).rejects.toMatchObject(hidden);
        expect((await list(theirs, { contextId })).tasks).toEqual([]);
        expect((await list(theirs)).tasks.map(({ id }) => id)).not.toContain(task.id);
      }
    }
    const done = (await mine.sendMessage(verdict)) as Task;
    expect([stateOf(done), textsOf(done)]).toEqual(['COMPLETED', ['Done.']]);
  });
}

function testTransport(server: ServerUnderTest, transport: Transport): void {
  let client: Client;
  const contextOf = (name: string): string => `a2a-${name}-${transport.replace('+', '-')}`;
  beforeAll(async () => {
    client = await connect(server.api.url, { transport });
  });

  it('answers, over several turns of a context', async () => {
    server.fake.reply({ thinking: 'Hm.', text: 'Hello.' });
    const first = await send(client, 'Hi');
    expect([stateOf(first), textsOf(first)]).toEqual(['COMPLETED', ['Hello.']]);
    expect(first.metadata).toMatchObject({ agent: 'react', usage: { input_tokens: 10 } });
    const { contextId } = first;
    const second = await send(client, 'Again', { contextId });
    expect(second).toMatchObject({ contextId });
    const { interactions } = (await server.api.get(`/chats/${contextId}`)).body;
    expect(interactions).toMatchObject([
      { id: first.id, user_message: 'Hi' },
      { id: second.id, parent_id: first.id, user_message: 'Again' },
    ]);
  });

  it('streams what GetTask gives', async () => {
    const text = script({ text: 'I calculate.', calls: [CALCULATION] }, { text: 'It is 42.' });
    const folded = await stream(client, text);
    expect(folded.kinds[0]).toBe('task');
    expect([folded.states[0], folded.states.at(-1)]).toEqual(['WORKING', 'COMPLETED']);
    expect(textsOf(folded.task!)).toEqual(['I calculate.', 'It is 42.']);
    const read = await get(client, folded.task!);
    expect(textsOf(read)).toEqual(textsOf(folded.task!));
    expect(read.status).toEqual(folded.task!.status);
    expect(read.history).toEqual(folded.task!.history);
  });

  it('takes data as text, and keeps the history that is asked for', async () => {
    const sent = message('Look:', { data: [{ a: 1 }], historyLength: 0 });
    const task = (await client.sendMessage(sent)) as Task;
    expect(task.history).toEqual([]);
    const [own] = (await get(client, task)).history;
    expect(own).toMatchObject({ messageId: sent.message!.messageId });
    expect(textOf(own!.parts)).toBe('Look:\n\n{"a":1}');
  });

  it('starts once for a message that is sent twice', async () => {
    const contextId = contextOf('twice');
    const sent = message('Hi', { contextId });
    const first = (await client.sendMessage(sent)) as Task;
    const again = (await client.sendMessage(sent)) as Task;
    expect(again.id).toBe(first.id);
    const folded = await new FoldedTask().takeAll(client.sendMessageStream(sent));
    expect([folded.task!.id, textsOf(folded.task!)]).toEqual([first.id, ['Done.']]);
  });

  it('asks for an approval, and goes on when it is given', async () => {
    const contextId = contextOf('approved');
    await makeToolAsk(server.api, contextId, 'calculator');
    const asked = await stream(client, script({ calls: [CALCULATION] }), { contextId });
    expect(asked.states.at(-1)).toBe('INPUT_REQUIRED');
    const task = asked.task!;
    expect(dataOf(task.status!.message)).toMatchObject([
      {
        approval_id: expect.stringMatching(/^approval_/),
        tool_name: 'calculator',
        arguments: { expression: '6*7' },
      },
    ]);
    expect(textOf(task.status!.message!.parts)).toContain('calculator');
    expect((await get(client, task)).status).toEqual(task.status);
    await expect(send(client, 'Yes', { taskId: task.id })).rejects.toMatchObject({
      ...{ name: 'RequestMalformedError', message: expect.stringContaining('verdicts') },
    });
    const verdict = verdictOn(task, true);
    const done = await new FoldedTask().takeAll(client.sendMessageStream(verdict));
    expect([done.states[0], done.states.at(-1)]).toEqual(['WORKING', 'COMPLETED']);
    expect(textsOf(done.task!)).toEqual(['Done.']);
  });

  it('tells the agent why a call is rejected', async () => {
    const contextId = contextOf('rejected');
    await makeToolAsk(server.api, contextId, 'calculator');
    const task = await send(client, script({ calls: [CALCULATION, CALCULATION] }), { contextId });
    expect(dataOf(task.status!.message)).toHaveLength(2);
    const [first, second] = dataOf(task.status!.message).map((each) => each['approval_id']);
    const one = { data: [{ approval_id: first, approved: true }], taskId: task.id };
    const waiting = (await client.sendMessage(message(undefined, one))) as Task;
    expect([stateOf(waiting), dataOf(waiting.status!.message)]).toMatchObject([
      ...['INPUT_REQUIRED', [{ approval_id: second }]],
    ]);
    const no = { approval_id: second, approved: false, reason: 'Once is enough.' };
    const rest = { data: [{ approval_id: first, approved: true }, no], taskId: task.id };
    const done = (await client.sendMessage(message(undefined, rest))) as Task;
    expect(stateOf(done)).toBe('COMPLETED');
    const read = await server.api.interaction({ chat_id: contextId, id: task.id });
    expect(JSON.stringify(read.final_agent_state)).toContain('Once is enough.');
    const changed = { ...no, approved: true };
    await expect(
      client.sendMessage(message(undefined, { data: [changed], taskId: task.id })),
    ).rejects.toMatchObject({ name: 'UnsupportedOperationError' });
  });

  it('runs a call with arguments that were changed', async () => {
    const contextId = contextOf('changed');
    await makeToolAsk(server.api, contextId, 'calculator');
    const task = await send(client, script({ calls: [CALCULATION] }), { contextId });
    const modified_input = { expression: '6*8' };
    await client.sendMessage(verdictOn(task, true, { modified_input }));
    const read = await server.api.interaction({ chat_id: contextId, id: task.id });
    expect(JSON.stringify(read.agent_events)).toContain('48');
  });

  it('asks questions, which text or data answers', async () => {
    const ask = script({ calls: [question('Which?')] }, { calls: [question('And?')] });
    const asked = await send(client, ask);
    expect([stateOf(asked), textOf(asked.status!.message!.parts)]).toEqual([
      ...['INPUT_REQUIRED', 'Which?'],
    ]);
    const more = await send(client, 'Red', { taskId: asked.id });
    const [data] = dataOf(more.status!.message);
    expect([stateOf(more), data]).toMatchObject(['INPUT_REQUIRED', { question: 'And?' }]);
    const answer = { request_id: data!['request_id'], answer: 'Blue' };
    const sent = message(undefined, { taskId: asked.id, data: [answer] });
    const done = (await client.sendMessage(sent)) as Task;
    expect([stateOf(done), textsOf(done)]).toEqual(['COMPLETED', ['Done.']]);
    expect(done.history.map((each) => dataOf(each)[0]?.['answer'])).toEqual([
      ...[undefined, undefined, 'Red', undefined, 'Blue'],
    ]);
  });

  it('refuses answers that fit nothing', async () => {
    const two = script({ calls: [question('Which?'), question('Where?')] });
    const task = await send(client, two);
    for (const [data, text] of [
      [[{ request_id: 'input_1', answer: 'x' }], undefined],
      [[{ approval_id: 'approval_1', approved: true }], undefined],
      [[{ request_id: 'input_1', answer: 7 }], undefined],
      [[{ approval_id: 'approval_1', approved: true }], 'Yes'],
      [[], 'Red'],
    ] as const)
      await expect(
        client.sendMessage(message(text, { taskId: task.id, data })),
      ).rejects.toMatchObject({ name: 'RequestMalformedError' });
    await expect(
      send(client, 'Red', { taskId: task.id, contextId: 'another' }),
    ).rejects.toMatchObject({ name: 'RequestMalformedError' });
    expect(stateOf(await client.cancelTask(oneOf(task)))).toBe('CANCELED');
  });

  it('runs in the background, outlasts its client, and is subscribed to in the middle', async () => {
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const begun = await send(client, 'Hi', { returnImmediately: true });
    expect(stateOf(begun)).toBe('WORKING');
    await gate.reached;
    const folded = new FoldedTask();
    for await (const response of subscribe(client, begun)) {
      folded.take(response);
      if (textsOf(folded.task!)[0] === 'Half ') break; // the client leaves
    }
    const next = new FoldedTask();
    for await (const response of subscribe(client, begun)) {
      next.take(response);
      if (textsOf(next.task!)[0] === 'Half ') gate.open();
    }
    expect([stateOf(next.task!), textsOf(next.task!)]).toEqual(['COMPLETED', ['Half and half.']]);
    expect(textsOf(await get(client, begun))).toEqual(['Half and half.']);
    await expect(folded.takeAll(subscribe(client, begun))).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
  });

  it('takes a message to a task at work as a note', async () => {
    const gate = new Gate();
    server.fake.reply({ text: ['I look. ', gate], calls: [CALCULATION] });
    let turns = 0;
    // It works until it has read the note, which another process of a cluster may have taken.
    server.fake.otherwise((body) =>
      JSON.stringify(body).includes('delete.')
        ? { text: 'Done.' }
        : { calls: [{ name: 'calculator', arguments: { expression: `${++turns}*7` } }] },
    );
    const begun = await send(client, 'Hi', { returnImmediately: true });
    await gate.reached;
    const noted = await send(client, 'delete', { taskId: begun.id, returnImmediately: true });
    expect(stateOf(noted)).toBe('WORKING');
    gate.open();
    await eventually(async () => stateOf(await get(client, begun)) === 'COMPLETED');
    const { history } = await get(client, begun);
    expect(history.map(({ parts }) => textOf(parts))).toEqual(['Hi', 'delete.']);
    server.fake.otherwise(playScript);
    await expect(send(client, 'More', { taskId: begun.id })).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
  });

  it('queues a message to a context at work, and cancels', async () => {
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate] });
    const contextId = contextOf('queue');
    const first = await send(client, 'One', { contextId, returnImmediately: true });
    await gate.reached;
    const second = await send(client, 'Two', { contextId, returnImmediately: true });
    expect(stateOf(second)).toBe('SUBMITTED');
    const waiting = new FoldedTask().takeAll(subscribe(client, second));
    const cancelled = await client.cancelTask(oneOf(first));
    gate.open();
    expect([stateOf(cancelled), textsOf(cancelled)]).toEqual(['CANCELED', ['Half ']]);
    expect(stateOf(await client.cancelTask(oneOf(first)))).toBe('CANCELED');
    const folded = await waiting;
    expect(folded.states).toEqual(['SUBMITTED', 'WORKING', 'COMPLETED']);
    await expect(client.cancelTask(oneOf(second))).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    });
  });

  it('replaces the text of a turn that is tried again', async () => {
    server.fake.reply({ text: ['Half ', { cut: true }] });
    const folded = await stream(client, 'Hi');
    expect(textsOf(folded.task!)).toEqual(['Done.']);
    expect(folded.task!.artifacts).toHaveLength(1);
  });

  it('fails as the interaction does', async () => {
    server.fake.reply({ status: 400, body: { error: { message: 'Refused.' } } });
    const task = await send(client, 'Hi');
    expect(stateOf(task)).toBe('FAILED');
    expect(textOf(task.status!.message!.parts)).toMatch(/./);
  });

  it('lists the tasks of a context, and of all, page by page', async () => {
    const contextId = contextOf('list');
    const ids: string[] = [];
    for (const text of ['One', 'Two', 'Three'])
      ids.unshift((await send(client, text, { contextId })).id);
    const { tasks, nextPageToken } = await list(client, { contextId, pageSize: 2 });
    expect(tasks.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(tasks[0]!.artifacts).toEqual([]);
    const more = { contextId, pageSize: 2, pageToken: nextPageToken, includeArtifacts: true };
    const last = await list(client, more);
    expect(last.tasks.map(({ id }) => id)).toEqual(ids.slice(2));
    expect([textsOf(last.tasks[0]!), last.nextPageToken]).toEqual([['Done.'], '']);
    const all: Task[] = [];
    let pageToken = '';
    do {
      const page = await list(client, { pageToken, pageSize: 5 });
      expect(page.tasks.length).toBeLessThanOrEqual(5);
      all.push(...page.tasks);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    const found = all.map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining(ids));
    expect(new Set(found).size).toBe(found.length);
    const { tasks: later } = await list(client, {
      ...{ contextId, statusTimestampAfter: tasks[0]!.status!.timestamp! },
    });
    expect(later.map(({ id }) => id)).toEqual(ids.slice(0, 1));
    const failed = await list(client, { contextId, status: TaskState.TASK_STATE_FAILED });
    expect(failed.tasks).toEqual([]);
    expect((await list(client, { contextId: 'unknown' })).tasks).toEqual([]);
  });

  it('lists the tasks of a page by the time of their status', async () => {
    const [one, two] = [contextOf('one'), contextOf('two')];
    const ids: string[] = [];
    for (const contextId of [one, two, one])
      ids.unshift((await send(client, 'Hi', { contextId })).id);
    const { tasks } = await list(client);
    expect(tasks.map(({ id }) => id).slice(0, 3)).toEqual(ids);
  });

  it('lists tasks in any state for a client that names none', async () => {
    const { id, contextId } = await send(client, 'Hi');
    const query = { contextId } as Parameters<Client['listTasks']>[0]; // as in JavaScript
    expect((await client.listTasks(query)).tasks.map((task) => task.id)).toEqual([id]);
  });

  it('shows another agent none of its tasks', async () => {
    const other = await connect(server.api.url, { transport, agent: 'coder' });
    const task = await send(client, 'Hi');
    await expect(get(other, task)).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    expect((await list(other, { contextId: task.contextId })).tasks).toEqual([]);
  });
}

async function send(client: Client, text: string, options?: MessageOptions): Promise<Task> {
  return (await client.sendMessage(message(text, options))) as Task;
}

function stream(client: Client, text: string, options?: MessageOptions): Promise<FoldedTask> {
  return new FoldedTask().takeAll(client.sendMessageStream(message(text, options)));
}

function subscribe(client: Client, { id }: Task) {
  return client.resubscribeTask({ tenant: '', id });
}

function oneOf({ id }: Task) {
  return { tenant: '', id, metadata: undefined };
}

function get(client: Client, { id }: Task): Promise<Task> {
  return client.getTask({ tenant: '', id });
}

function list(client: Client, query: Partial<Parameters<Client['listTasks']>[0]> = {}) {
  return client.listTasks({
    ...{ tenant: '', contextId: '', pageToken: '', statusTimestampAfter: undefined },
    status: TaskState.TASK_STATE_UNSPECIFIED,
    ...query,
  });
}

/** The verdict on the approval that the task waits for. */
function verdictOn(task: Task, approved: boolean, more: object = {}) {
  const [asked] = dataOf(task.status!.message);
  const data = [{ approval_id: asked!['approval_id'], approved, ...more }];
  return message(undefined, { taskId: task.id, contextId: task.contextId, data });
}
