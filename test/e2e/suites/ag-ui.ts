import { randomUUID } from 'node:crypto';
import type { Scope } from '../../../src/auth/principal.js';
import { Gate } from '../../support/gate.js';
import { eventually } from '../../support/eventually.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { AG_UI_VERSIONS, openAgent, openCopilotKit } from '../../clients/ag-ui.js';
import type { AgUiClient, AgentEvent, RemoteAgent } from '../../clients/ag-ui.js';
import type { CopilotKitTransport } from '../../clients/ag-ui.js';
import type { Person } from '../../support/client/person.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import { withPeople } from '../with-people.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Which?', options: ['red', 'blue'] } };
const OPEN_DOOR = {
  ...{ name: 'open_door', description: 'Opens a door.' },
  parameters: { type: 'object', properties: { door: { type: 'string' } } },
};
const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });

/** With the agents of the packages, of each version. */
export function describeAgUi(servers: Servers): void {
  describe('The façade for AG-UI', () => {
    servers.run(WITH_KEYS, (server) => testKeys(server), { modules: [HumanTestModule] });
    withPeople(servers, { DISCONNECT_GRACE_MS: '100' }, (server, person) => {
      for (const version of AG_UI_VERSIONS)
        describe(version, () => testVersion(server, person, version));
      describe.each(['rest', 'single'] as const)('CopilotKit, %s', (transport) =>
        testCopilotKit(server, transport),
      );
      testRequests(server);
      testEnvelopes(server);
    });
  });
}

function testKeys(server: ServerUnderTest): void {
  it('needs the scope decide for decisions, and shows nothing to others', async () => {
    server.fake.otherwise(playScript);
    const openAs = (key: string, more: object = {}): RemoteAgent => {
      const headers = { authorization: `Bearer ${key}` };
      return openAgent('1.0.0', { url: server.api.url, threadId: 'ag-ui-kept', headers, ...more });
    };
    const { key } = await makeKey(server.api, ['chat', 'decide']);
    await makeToolAsk(server.api.bearing(key), 'ag-ui-kept', 'calculator');
    const agent = openAs(key);
    await say(agent, script({ calls: [CALCULATION] }));
    const { messages: initialMessages, pendingInterrupts } = agent;
    const strangers: readonly (readonly [
      readonly Scope[],
      { user_id?: string; tenant_id?: string },
      string,
    ])[] = [
      [['chat'], {}, 'missing_scope'],
      [['chat', 'decide'], { user_id: 'ben' }, 'chat_not_found'],
      [['chat', 'decide'], { tenant_id: 'other' }, 'chat_not_found'],
    ];
    for (const [scopes, whose, error] of strangers) {
      const { key: other } = await makeKey(server.api, scopes, whose);
      const stranger = openAs(other, { initialMessages });
      stranger.pendingInterrupts = pendingInterrupts;
      await expect(resume(stranger, [true])).rejects.toThrow(error);
      for (const transport of ['rest', 'single'] as const) {
        const page = openCopilotKit({
          ...{ url: server.api.url, threadId: 'ag-ui-kept', transport, initialMessages },
          headers: { authorization: `Bearer ${other}` },
        });
        page.pendingInterrupts = pendingInterrupts;
        await expect(resume(page, [true])).rejects.toThrow(error);
        if (error === 'missing_scope') continue;
        page.setMessages([]);
        page.pendingInterrupts = [];
        await page.connectAgent();
        expect(page.messages).toEqual([]);
        const params = { agentId: 'react', threadId: 'ag-ui-kept' };
        const stop = { method: 'agent/stop', params };
        const stopped = await server.api.bearing(other).post('/copilotkit', stop);
        expect(stopped.body).toMatchObject({ stopped: false });
      }
    }
    await expect(say(openAs('wrong'), 'Hi')).rejects.toThrow('invalid_credential');
    await resume(agent, [true]);
    expect(textOf(agent)).toBe('Done.');
    const { key: foreign } = await makeKey(server.api, ['chat'], { tenant_id: 'other' });
    await say(openAs(foreign, { initialMessages: agent.messages }), 'Hi');
    const mine = (await server.api.bearing(key).get('/chats/ag-ui-kept')).body.interactions;
    expect(mine).toHaveLength(1);
  });
}

function testCopilotKit(server: ServerUnderTest, transport: CopilotKitTransport): void {
  const idOf = (name: string): string => `${transport}-${name}`;
  const open = (name: string, agentId?: string): RemoteAgent =>
    openCopilotKit({ url: server.api.url, threadId: idOf(name), transport }, agentId);

  it('lists its agents, and the features that it lacks', async () => {
    const { body } = await (transport === 'rest'
      ? server.api.get('/copilotkit/info')
      : server.api.post('/copilotkit', { method: 'info' }));
    expect(body).toMatchObject({
      ...{ mode: 'sse', threadEndpoints: { list: false } },
      agents: { default: { name: 'default' }, react: { name: 'react' } },
    });
  });

  it('runs agents, and shows a thread to a page that connects', async () => {
    const agent = open('connected');
    await say(agent, script({ thinking: 'Hm.', text: 'I calculate.', calls: [CALCULATION] }));
    await say(agent, 'Again');
    const page = open('connected');
    await page.connectAgent();
    expect(page.messages).toEqual(agent.messages);
    await say(page, 'And again');
    const { interactions } = (await server.api.get(`/chats/${idOf('connected')}`)).body;
    expect(interactions).toHaveLength(3);
  });

  it('shows what goes on, and what it waits for, to a page that connects', async () => {
    const agent = open('waits');
    await makeToolAsk(server.api, idOf('waits'), 'calculator');
    const gate = new Gate();
    const calls = [CALCULATION];
    server.fake.reply({ text: ['I ', gate, 'calculate.'], calls: [CALCULATION] });
    const said = say(agent, script({ calls }, { calls }));
    await eventually(() => textOf(agent) === 'I ');
    const page = open('waits');
    const connected = page.connectAgent();
    await eventually(() => textOf(page) === 'I ');
    gate.open();
    await Promise.all([said, connected]);
    expect(page.messages).toEqual(agent.messages);
    expect(page.pendingInterrupts).toEqual(agent.pendingInterrupts);
    await resume(page, [{ approved: true }]);
    expect(resultsOf(page)).toEqual(['42']);
    expect(page.pendingInterrupts).toHaveLength(1);
    const reloaded = open('waits');
    await reloaded.connectAgent();
    expect(reloaded.pendingInterrupts).toEqual(page.pendingInterrupts);
    await resume(reloaded, [true]);
    expect([textOf(reloaded), resultsOf(reloaded)]).toEqual(['Done.', ['42', '42']]);
  });

  it('stops the run of a page, and no other', async () => {
    const agent = open('stops');
    await say(agent, 'First', { runId: 'run-1' });
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const said = say(agent, 'Second', { runId: 'run-2' });
    await eventually(() => textOf(agent) === 'Half ');
    const stop = (
      body: { readonly runId?: string },
      threadId = idOf('stops'),
      agentId = 'react',
    ) =>
      transport === 'rest'
        ? server.api.post(`/copilotkit/agent/${agentId}/stop/${threadId}`, body)
        : server.api.post('/copilotkit', {
            ...{ method: 'agent/stop', params: { agentId, threadId }, body },
          });
    expect((await stop({ runId: 'run-1' })).body).toMatchObject({ stopped: false });
    expect((await stop({}, 'none')).body).toMatchObject({ stopped: false });
    agent.abortRun();
    const events = await said;
    gate.open();
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'cancelled' });
    expect((await stop({})).body).toMatchObject({ stopped: false });
    expect((await stop({}, 'stops', 'none')).body).toMatchObject({
      ...{ error: 'model_not_found', message: expect.stringContaining('react') },
    });
  });

  it('has the standard agent for pages that name none, and nothing in a new thread', async () => {
    const page = open('new', 'default');
    await page.connectAgent();
    expect(page.messages).toEqual([]);
    await say(page, 'Hi');
    expect(textOf(page)).toBe('Done.');
  });
}

function testRequests(server: ServerUnderTest): void {
  const user = { id: 'u1', role: 'user', content: 'Hi' };
  const file = { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } };
  const resolved = { interruptId: 'x', status: 'resolved' };

  it.each([
    ['{"threadId":', 400, 'malformed_json'],
    ['[]', 400, 'JSON object'],
    [{ threadId: 'no spaces' }, 400, '1 to 64 letters'],
    [{ runId: '' }, 400, 'runId'],
    [{ messages: null }, 400, 'messages'],
    [{ messages: [] }, 400, 'no message of the user'],
    [{ messages: [{ ...user, role: 'robot' }] }, 400, 'messages.0.role'],
    [{ messages: [{ ...user, content: ' ' }] }, 400, 'no text'],
    [{ messages: [{ ...user, content: [file] }] }, 400, 'POST /files'],
    [{ messages: [{ ...user, content: 'x'.repeat(1_048_577) }] }, 413, 'body_too_large'],
    [{ messages: Array.from({ length: 20_001 }, () => user) }, 400, '20000 messages and parts'],
    [{ messages: [{ ...user, id: 'int_none.1b0', role: 'assistant' }] }, 404, 'not_found'],
    [{ tools: [{ name: 'a b', description: '' }] }, 400, 'client_tools.0.name'],
    [{ forwardedProps: { parley: { model: 'none/none' } } }, 400, 'unknown_model'],
    [{ resume: [{ ...resolved, status: 'odd' }] }, 400, 'resume.0.status'],
    [{ resume: [resolved] }, 404, 'chat_not_found'],
    ['x'.repeat(4 * 1024 * 1024 + 1), 413, 'body_too_large'],
  ] as const)('refuses request %# in the shape of its clients', async (given, status, text) => {
    const input = { threadId: 'bad', runId: 'run', messages: [user] };
    const body = typeof given === 'string' ? given : JSON.stringify({ ...input, ...given });
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/ag-ui/react', '/copilotkit/agent/react/run']) {
      const response = await server.api.fetch(path, { method: 'POST', headers, body });
      expect([response.status, await response.text()]).toEqual([
        ...[status, expect.stringContaining(text)],
      ]);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  it('names the agents to those who ask for another, and takes a model with one', async () => {
    const post = async (agent: string) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ threadId: 'named', runId: 'run', messages: [user] });
      const sent = { method: 'POST', headers, body };
      const response = await server.api.fetch(`/ag-ui/${agent}`, sent);
      return [response.status, await response.text()];
    };
    expect(await post('none')).toEqual([404, expect.stringContaining('react')]);
    const named = await post(encodeURIComponent('react:openai/fake'));
    expect(named).toEqual([200, expect.stringContaining('RUN_FINISHED')]);
  });
}

function testEnvelopes(server: ServerUnderTest): void {
  it.each([
    [{}, 'method'],
    [{ method: 'transcribe' }, 'method'],
    [{ method: 'agent/run', body: {} }, 'params.agentId'],
    [{ method: 'agent/run', params: { agentId: 'react' } }, 'must be an object'],
    [{ method: 'agent/stop', params: { agentId: 'react', threadId: '' } }, 'params.threadId'],
  ])(
    'says what is wrong with the request %#, sent to the one path of CopilotKit',
    async (sent, text) => {
      const { status, body } = await server.api.post('/copilotkit', sent);
      expect([status, body]).toEqual([
        ...[400, { error: 'invalid_body', message: expect.stringContaining(text) }],
      ]);
    },
  );
}

function testVersion(server: ServerUnderTest, person: Person, version: AgUiClient): void {
  const open = (id: string, more: object = {}): RemoteAgent =>
    openAgent(version, { url: server.api.url, threadId: `${id}-${version.slice(0, 1)}`, ...more });
  const isNew = version === '1.0.0';
  const interactionsOf = async ({ threadId }: RemoteAgent) =>
    (await server.api.get(`/chats/${threadId}?include=superseded`)).body.interactions;

  it('streams thoughts and text, over several turns', async () => {
    const agent = open('turns');
    server.fake.reply({ thinking: 'Hm, hm.', text: 'Hello.' });
    const events = await say(agent, 'Hi');
    expect(agent.messages).toMatchObject([
      { role: 'user', content: 'Hi' },
      { role: 'reasoning', content: 'Hm, hm.' },
      { role: 'assistant', content: 'Hello.' },
    ]);
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'RUN_FINISHED', outcome: { type: 'success' } },
      usage: [{ provider: 'openai', model: 'fake', inputTokens: 10, outputTokens: 5 }],
    });
    await say(agent, 'Again');
    const [first, second] = await interactionsOf(agent);
    expect(second).toMatchObject({ user_message: 'Again', parent_id: first.id });
  });

  it('shows calls of tools of the server', async () => {
    const agent = open('tools');
    await say(agent, script({ text: 'I calculate.', calls: [CALCULATION, CALCULATION] }));
    const [, said, , , answer] = agent.messages;
    expect(said).toMatchObject({
      ...{ role: 'assistant', content: 'I calculate.' },
      toolCalls: [{ function: { name: 'calculator' } }, { function: { name: 'calculator' } }],
    });
    expect(resultsOf(agent)).toEqual(['42', '42']);
    expect(answer).toMatchObject({ role: 'assistant', content: 'Done.' });
  });

  it('interrupts for approvals, and goes on with what was decided', async () => {
    const agent = open('approval');
    await makeToolAsk(server.api, agent.threadId, 'calculator');
    const events = await say(agent, script({ calls: [CALCULATION, CALCULATION] }));
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    const [one, other] = agent.pendingInterrupts;
    expect([one, other]).toMatchObject([{ reason: 'tool_call' }, { reason: 'tool_call' }]);
    const calls = callsOf(agent);
    expect([one!.toolCallId, other!.toolCallId]).toEqual(calls.map(({ id }) => id));
    await resume(agent, [
      { approved: true, editedArgs: { expression: '6*8' } },
      { approved: false, reason: 'Once is enough.' },
    ]);
    expect(resultsOf(agent)).toEqual(['48', expect.stringContaining('Once is enough.')]);
    expect(callsOf(agent)[0]!.function.arguments).toBe('{"expression":"6*8"}');
    expect([textOf(agent), agent.pendingInterrupts]).toEqual(['Done.', []]);
  });

  it('gives the client its own tools to run, over two requests', async () => {
    const agent = open('own-tools');
    const door = { name: 'open_door', arguments: { door: 'front' } };
    const tools = [OPEN_DOOR];
    const ended = await say(agent, script({ calls: [CALCULATION] }, { calls: [door] }), { tools });
    const call = callsOf(agent).at(-1)!;
    expect(call).toMatchObject({ function: { name: 'open_door', arguments: '{"door":"front"}' } });
    expect(ended.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'success', ...(isNew && { pendingToolCallIds: [call.id] }) },
    });
    agent.addMessage({ id: 'given', role: 'tool', toolCallId: call.id, content: 'It is open.' });
    await run(agent, { tools });
    expect(resultsOf(agent)).toEqual(['42', 'It is open.']);
    expect(agent.messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
    ]);
    expect(textOf(agent)).toBe('Done.');
    expect(await toolMessages(server, agent)).toEqual(['42', 'It is open.']);
    await say(agent, 'And then?', { tools });
    expect(await interactionsOf(agent)).toHaveLength(2);
  });

  it('interrupts for questions, which are answered or declined', async () => {
    const agent = open('question');
    await say(agent, script({ calls: [QUESTION] }, { calls: [QUESTION] }));
    expect(agent.pendingInterrupts).toMatchObject([
      { reason: 'input_required', message: 'Which?', metadata: { parley: { kind: 'input' } } },
    ]);
    await resume(agent, [{ answer: 'green' }]);
    expect(agent.pendingInterrupts).toHaveLength(1);
    await resume(agent, [undefined]);
    expect(resultsOf(agent)).toEqual(['green', expect.stringMatching(/./)]);
    expect([textOf(agent), agent.pendingInterrupts]).toEqual(['Done.', []]);
  });

  it('shows children as subagents, and suspends them while they wait', async () => {
    const agent = open('children');
    await makeToolAsk(server.api, agent.threadId, 'calculator');
    const task = child(script({ text: 'I dig.', calls: [CALCULATION] }));
    const events = await say(agent, script({ calls: [task] }));
    const [interrupt] = agent.pendingInterrupts;
    const { subagentRunId } = interrupt!;
    expect(subagentRunId).toMatch(/^agent_/);
    expect(events).toContainEqual(
      expect.objectContaining({
        ...{ type: 'SUBAGENT_FINISHED', subagentRunId },
        outcome: { type: 'suspended', interruptIds: [interrupt!.id] },
      }),
    );
    const rest = await resume(agent, [true]);
    expect(rest.filter(({ type }) => type.startsWith('SUBAGENT'))).toMatchObject([
      { type: 'SUBAGENT_STARTED', subagentRunId, name: 'react' },
      { type: 'SUBAGENT_FINISHED', subagentRunId, result: 'Done.', outcome: { type: 'success' } },
    ]);
    const own = agent.messages.filter((each) => each.subagentRunId === subagentRunId);
    expect(own.map(({ content }) => content)).toEqual(['I dig.', '42', 'Done.']);
    expect(textOf(agent)).toBe('Done.');
  });

  it('takes a message right after a stop, which ends what ran', async () => {
    const agent = open('stopped');
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const said = say(agent, 'Hi');
    await eventually(() => textOf(agent) === 'Half ');
    agent.abortRun();
    await said;
    await say(agent, 'Another');
    gate.open();
    expect(textOf(agent)).toBe('Done.');
    const all = await interactionsOf(agent);
    expect(all).toMatchObject([
      { status: 'CANCELLED' },
      { status: 'COMPLETED', parent_id: all[0].id },
    ]);
  });

  it('ends as cancelled when somebody else cancels', async () => {
    const agent = open('cancelled');
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const said = say(agent, 'Hi');
    await eventually(() => textOf(agent) === 'Half ');
    const [{ id }] = await interactionsOf(agent);
    await server.api.post(`/chats/${agent.threadId}/interactions/${id}/cancel`);
    const events = await said;
    gate.open();
    expect(events.at(-1)).toMatchObject(
      isNew
        ? { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }
        : { type: 'RUN_ERROR', code: 'cancelled', message: 'Cancelled by the user.' },
    );
    expect(textOf(agent)).toBe('Half ');
  });

  it('makes a branch of an edited message and of an answer that is made anew', async () => {
    const agent = open('edited');
    for (const text of ['One', 'Two', 'Three']) await say(agent, text);
    const [one, first, two] = agent.messages;
    agent.setMessages([one!, first!, { ...two!, content: 'Two, changed' }]);
    await run(agent);
    agent.setMessages(agent.messages.slice(0, 3)); // without the answer
    await run(agent);
    agent.setMessages([one!]);
    await run(agent);
    const all = await interactionsOf(agent);
    expect(
      all.map(({ user_message, parent_id }: { user_message: string; parent_id: string | null }) => [
        user_message,
        all.findIndex(({ id }: { id: string }) => id === parent_id),
      ]),
    ).toEqual([
      ...[
        ['One', -1],
        ['Two', 0],
        ['Three', 1],
      ],
      ...[
        ['Two, changed', 0],
        ['Two, changed', 0],
        ['One', -1],
      ],
    ]);
  });

  it('follows the history that the client has shortened', async () => {
    const agent = open('shortened');
    for (const text of ['One', 'Two', 'Three']) await say(agent, text);
    agent.setMessages(agent.messages.slice(0, 2));
    await say(agent, 'Other');
    const { interactions } = (await server.api.get(`/chats/${agent.threadId}`)).body;
    expect(interactions.map((each: { user_message: string }) => each.user_message)).toEqual([
      ...['One', 'Other'],
    ]);
  });

  it('gives a new chat the conversation of the client, and what its page tells', async () => {
    const greeting = { id: 'g', role: 'assistant' as const, content: 'Welcome!' };
    const agent = open('greeted', { initialMessages: [greeting] });
    const asked = server.fake.requests.length + 1;
    const context = [{ description: 'The page', value: 'Doors' }];
    await say(agent, 'Hi', { context });
    const { messages } = (await server.fake.request(asked)).body as { messages: object[] };
    expect(messages.slice(-3)).toMatchObject([
      { role: 'system', content: expect.stringContaining('The page: Doors') },
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('joins a run that goes on when the client sends its message again', async () => {
    const agent = open('joined');
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const forwardedProps = { parley: { on_disconnect: 'continue' } };
    const said = say(agent, 'Hi', { forwardedProps });
    await eventually(() => textOf(agent) === 'Half ');
    const page = open('joined', { initialMessages: agent.messages.slice(0, 1) });
    const other = run(page, { forwardedProps });
    await eventually(() => textOf(page) === 'Half ');
    agent.abortRun();
    await said;
    await eventually(() => server.readersOf(interactionIn(agent)) === 1);
    const again = run(agent, { forwardedProps }); // its history has half of the answer
    await eventually(() => server.readersOf(interactionIn(agent)) === 2);
    gate.open();
    await Promise.all([other, again]);
    for (const each of [agent, page]) expect(textsOf(each)).toEqual(['Hi', 'Half and half.']);
    expect(page.messages).toEqual(agent.messages);
    await run(agent); // nothing is new
    expect(textsOf(agent)).toEqual(['Hi', 'Half and half.']);
    expect(await interactionsOf(agent)).toHaveLength(1);
  });

  it('shows a page that is loaded anew what the thread waits for', async () => {
    const agent = open('loaded');
    await makeToolAsk(server.api, agent.threadId, 'calculator');
    await say(agent, script({ calls: [CALCULATION] }));
    const page = open('loaded', { initialMessages: agent.messages.slice(0, 1) });
    await run(page);
    expect(page.pendingInterrupts).toEqual(agent.pendingInterrupts);
    await resume(page, [{ approved: true }]);
    expect([textOf(page), resultsOf(page)]).toEqual(['Done.', ['42']]);
  });

  it('refuses a message while the thread is interrupted, and answers that are not its own', async () => {
    const [agent, other] = [open('open'), open('other')];
    for (const each of [agent, other]) {
      await makeToolAsk(server.api, each.threadId, 'calculator');
      await say(each, script({ calls: [CALCULATION] }));
    }
    const page = open('open', { initialMessages: agent.messages });
    const [, refused] = await say(page, 'Never mind');
    expect(refused).toMatchObject({ type: 'RUN_ERROR', code: 'thread_interrupted' });
    const foreign = other.pendingInterrupts.map(({ id: interruptId }) => {
      return { interruptId, status: 'resolved' as const, payload: true };
    });
    await expect(open('open').runAgent({ resume: foreign })).rejects.toThrow('request_not_found');
    const twice = open('open', { initialMessages: agent.messages });
    twice.pendingInterrupts = agent.pendingInterrupts;
    await resume(agent, [true]);
    const [, ended] = await resume(twice, [true]);
    expect(ended).toMatchObject({ type: 'RUN_ERROR', code: 'already_ended' });
    const forced = { forwardedProps: { parley: { on_conflict: 'interrupt' } } };
    expect((await say(open('other'), 'Never mind', forced)).at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
    });
  });

  it('takes a decision that was made elsewhere', async () => {
    const agent = open('elsewhere');
    await makeToolAsk(server.api, agent.threadId, 'calculator');
    await say(agent, script({ calls: [CALCULATION] }));
    const [{ id }] = await interactionsOf(agent);
    const of = { chat_id: agent.threadId, id };
    const [interrupt] = agent.pendingInterrupts;
    await person.approve(of, interrupt!.id, { modified_input: { expression: '6*8' } });
    const page = open('elsewhere', { initialMessages: agent.messages.slice(0, 1) });
    await eventually(async () => (await interactionsOf(agent))[0].status === 'COMPLETED');
    await expect(run(page)).resolves.toBeDefined(); // ended meanwhile: made anew
    expect(await interactionsOf(agent)).toHaveLength(2);
  });

  it('tells of an error of the run, and of one of the request', async () => {
    const agent = open('failing');
    server.fake.reply({ status: 400, body: { error: { message: 'No.' } } });
    const events = await say(agent, 'Hi');
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      message: expect.stringContaining('No.'),
    });
    const bad = open('failing');
    const props = { forwardedProps: { parley: { max_iterations: 0 } } };
    await expect(say(bad, 'Hi', props)).rejects.toThrow('max_iterations');
  });

  it('shares the task board and what agents set as state', async () => {
    const agent = open('state', { initialState: { page: 'Doors' } });
    const todo = { name: 'todo', arguments: { tasks: [{ title: 'Test' }] } };
    await say(agent, script({ calls: [todo] }));
    const { tasks, page } = agent.state as { tasks: Record<string, object>; page: string };
    expect([page, Object.values(tasks)]).toMatchObject(['Doors', [{ title: 'Test' }]]);
  });
}

/** The interaction that the last message is of. */
function interactionIn({ messages }: RemoteAgent): string {
  return messages.at(-1)!.id.split('.')[0]!;
}

function textsOf({ messages }: RemoteAgent): (string | undefined)[] {
  return messages.map(({ content }) => content);
}

/** The results of calls, as the model has read them. */
async function toolMessages(server: ServerUnderTest, agent: RemoteAgent): Promise<string[]> {
  const of = { chat_id: agent.threadId, id: interactionIn(agent) };
  const state = (await server.api.interaction(of)).final_agent_state!;
  return state.messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
}

/** Sends a message, and gives the events of the run. */
async function say(agent: RemoteAgent, content: string, more: object = {}): Promise<AgentEvent[]> {
  agent.addMessage({ id: randomUUID(), role: 'user', content });
  return run(agent, more);
}

async function run(agent: RemoteAgent, more: object = {}): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  await agent.runAgent(more, { onEvent: ({ event }) => void events.push(event) });
  return events;
}

/** Answers all interrupts, in their order; undefined cancels one. */
function resume(agent: RemoteAgent, payloads: readonly unknown[]): Promise<AgentEvent[]> {
  const entries = agent.pendingInterrupts.map(({ id: interruptId }, at) => {
    const payload = payloads[at];
    if (payload === undefined) return { interruptId, status: 'cancelled' };
    return { interruptId, status: 'resolved', payload };
  });
  return run(agent, { resume: entries });
}

function textOf({ messages }: RemoteAgent): string | undefined {
  return messages.findLast(({ role }) => role === 'assistant')?.content;
}

function callsOf({ messages }: RemoteAgent) {
  return messages.flatMap(({ toolCalls = [] }) => toolCalls);
}

/** In the order of the calls: calls that run at once end in any order. */
function resultsOf(agent: RemoteAgent): (string | undefined)[] {
  const results = agent.messages.filter(({ role }) => role === 'tool');
  return callsOf(agent).flatMap(({ id }) =>
    results.filter(({ toolCallId }) => toolCallId === id).map(({ content }) => content),
  );
}
