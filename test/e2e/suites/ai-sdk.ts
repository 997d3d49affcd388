import { Gate } from '../../support/gate.js';
import { eventually } from '../../support/eventually.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { VERSIONS, openChat } from '../../clients/ai-sdk.js';
import type { Chat, Part, UiMessage, Version } from '../../clients/ai-sdk.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { WITH_KEYS, makeKey } from '../with-keys.js';
import { withPeople } from '../with-people.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Which?', options: ['red', 'blue'] } };
const OPEN_DOOR = {
  ...{ name: 'open_door', description: 'Opens a door.' },
  input_schema: { type: 'object', properties: { door: { type: 'string' } } },
};
const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });

/** With the chats of the packages, of each version. */
export function describeAiSdk(servers: Servers): void {
  describe('The façade for the AI SDK', () => {
    servers.run(WITH_KEYS, (server) => testKeys(server), { modules: [HumanTestModule] });
    withPeople(servers, { DISCONNECT_GRACE_MS: '100' }, (server, person) => {
      for (const version of VERSIONS) describe(`${version}`, () => testVersion(server, version));

      it('goes on with a decision that was made elsewhere', async () => {
        const chat = openChat(7, { url: server.api.url, id: 'elsewhere' });
        await makeToolAsk(server.api, chat.id, 'calculator');
        await chat.sendMessage({ text: script({ calls: [CALCULATION] }) });
        const [part] = callsIn(chat);
        const of = { chat_id: chat.id, id: chat.messages.at(-1)!.id };
        await person.approve(of, part!.approval!.id, { modified_input: { expression: '6*8' } });
        await chat.resumeStream();
        expect(chat.error).toBeUndefined();
        expect(callsIn(chat)).toMatchObject([
          { state: 'output-available', input: { expression: '6*8' }, output: '48' },
        ]);
        expect(textOf(chat.messages.at(-1))).toBe('Done.');
      });

      it('shows what can’t be asked for as text', async () => {
        const post = async (body: unknown, query = '') => {
          const response = await server.api.fetch(`/ai-sdk/chat${query}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          });
          expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
          return [response.status, await response.text()];
        };
        const user = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
        const answer = { id: 'int_none', role: 'assistant', parts: [] };
        const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' };
        for (const [body, status, text, query] of [
          ['{"id":', 400, 'Malformed json: '],
          ['[]', 400, 'Invalid body: '],
          [{ messages: [user] }, 400, 'id'],
          [{ id: 'no spaces', messages: [user] }, 400, '1 to 64 letters'],
          [{ id: 'bad' }, 400, 'messages is needed'],
          [{ id: 'bad', messages: [] }, 400, 'messages'],
          [{ id: 'bad', messages: [{ ...user, parts: [] }] }, 400, 'no text'],
          [{ id: 'bad', messages: [{ ...user, role: 'robot' }] }, 400, 'messages.0.role'],
          [{ id: 'bad', messages: [{ ...user, parts: [file] }] }, 400, 'POST /files'],
          [{ id: 'bad', messages: [user], model: 'none/none' }, 400, 'none'],
          [{ id: 'bad', messages: [user], max_iterations: 0 }, 400, 'max_iterations'],
          [{ id: 'bad', messages: [user, answer] }, 404, 'Interaction not found: '],
          [{ id: 'bad', messages: [user] }, 400, '5, 6, 7', '?v=4'],
          ['x'.repeat(4 * 1024 * 1024 + 1), 413, 'Body too large: '],
        ] as const)
          expect([text, await post(body, query)]).toEqual([
            text,
            [status, expect.stringContaining(text)],
          ]);
      });

      it('has nothing to resume in a chat that is unknown, or in which nothing runs', async () => {
        const none = await server.api.fetch('/ai-sdk/chat/unknown/stream');
        expect(none.status).toBe(204);
        const chat = openChat(6, { url: server.api.url, id: 'over' });
        await chat.sendMessage({ text: 'Hi' });
        expect((await server.api.fetch('/ai-sdk/chat/over/stream')).status).toBe(204);
        await chat.resumeStream();
        expect([chat.status, textOf(chat.messages.at(-1))]).toEqual(['ready', 'Done.']);
      });

      it('takes one message as a list of one, and history of 1 MB', async () => {
        const messages: UiMessage[] = [];
        for (const text of ['one', 'two']) {
          const message = { id: `m-${text}`, role: 'user', parts: [{ type: 'text', text }] };
          const body = JSON.stringify({ id: 'single', message });
          const headers = { 'content-type': 'application/json', 'x-ai-sdk-version': '5.0.277' };
          const sent = { method: 'POST', headers, body };
          const response = await server.api.fetch('/ai-sdk/chat', sent);
          expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
          expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/);
        }
        const { interactions } = (await server.api.get('/chats/single')).body;
        expect(interactions.map((each: { user_message: string }) => each.user_message)).toEqual([
          'one',
          'two',
        ]);
        for (let n = 0; n < 9_000; n++)
          messages.push({
            id: `${n}`,
            role: 'user',
            parts: [{ type: 'text', text: 'x'.repeat(60) }],
          });
        const chat = openChat(7, { url: server.api.url, id: 'long', messages });
        await chat.sendMessage({ text: 'Hi' });
        expect([chat.error, textOf(chat.messages.at(-1))]).toEqual([undefined, 'Done.']);
      });
    });
  });
}

function testKeys(server: ServerUnderTest): void {
  const openAs = (key: string, id: string, messages: readonly UiMessage[] = []): Chat => {
    const headers = { authorization: `Bearer ${key}` };
    return openChat(7, { url: server.api.url, id, headers, messages });
  };

  it('needs the scope decide for decisions, and shows nothing to others', async () => {
    server.fake.otherwise(playScript);
    const { key } = await makeKey(server.api, ['chat', 'decide']);
    await makeToolAsk(server.api.bearing(key), 'ai-sdk-kept', 'calculator');
    const chat = openAs(key, 'ai-sdk-kept');
    await chat.sendMessage({ text: script({ calls: [CALCULATION] }) });
    const [id] = approvalsIn(chat);
    const undecided = structuredClone(chat.messages);
    const { key: reader } = await makeKey(server.api, ['chat']);
    const { key: other } = await makeKey(server.api, ['chat', 'decide'], { user_id: 'ben' });
    const { key: foreign } = await makeKey(server.api, ['chat', 'decide'], { tenant_id: 'other' });
    for (const [stranger, error] of [
      [reader, /^Missing scope: /],
      [other, /^Interaction not found: /],
      [foreign, /^Interaction not found: /],
    ] as const) {
      const theirs = openAs(stranger, 'ai-sdk-kept', undecided);
      await theirs.addToolApprovalResponse({ id: id!, approved: true });
      await eventually(() => theirs.status === 'error');
      expect(theirs.error!.message).toMatch(error);
    }
    for (const stranger of [other, foreign]) {
      const page = openAs(stranger, 'ai-sdk-kept');
      await page.resumeStream();
      expect([page.status, page.messages]).toEqual(['ready', []]);
    }
    const none = openAs('wrong', 'ai-sdk-kept');
    await none.sendMessage({ text: 'Hi' });
    expect(none.error!.message).toMatch(/^Invalid credential: /);
    await chat.addToolApprovalResponse({ id: id!, approved: true });
    await settled(chat);
    expect([chat.error, textOf(chat.messages[1])]).toEqual([undefined, 'Done.']);
    const same = openAs(foreign, 'ai-sdk-kept', chat.messages);
    await same.sendMessage({ text: 'Hi' });
    expect(same.error).toBeUndefined();
    const mine = (await server.api.bearing(key).get('/chats/ai-sdk-kept')).body.interactions;
    expect(mine).toHaveLength(1);
  });
}

function testVersion(server: ServerUnderTest, version: Version): void {
  const open = (id: string, more: object = {}): Chat =>
    openChat(version, { url: server.api.url, id: `${id}-${version}`, ...more });
  const interactionsOf = async ({ id }: Chat) =>
    (await server.api.get(`/chats/${id}?include=superseded`)).body.interactions;

  it('streams thoughts and text, over several turns', async () => {
    const chat = open('turns');
    server.fake.reply({ thinking: 'Hm, hm.', text: 'Hello.' });
    await chat.sendMessage({ text: 'Hi' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    const answer = chat.messages[1]!;
    expect(answer.id).toMatch(/^int_/);
    expect(answer.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm, hm.', state: 'done' },
      { type: 'text', text: 'Hello.', state: 'done' },
    ]);
    expect(answer.metadata!.parley).toMatchObject({
      ...{ interaction_id: answer.id, chat_id: chat.id, agent: 'react', status: 'COMPLETED' },
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    await chat.sendMessage({ text: 'Again' });
    expect(chat.messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'user', 'assistant'],
    ]);
    const [first, second] = await interactionsOf(chat);
    expect(second).toMatchObject({ id: chat.messages[3]!.id, parent_id: first.id });
  });

  it('shows calls of tools of the server, which the client is not asked to run', async () => {
    const calls: string[] = [];
    const chat = open('tools', {
      onToolCall: ({ toolCall }: { toolCall: { toolName: string } }) =>
        void calls.push(toolCall.toolName),
    });
    await chat.sendMessage({ text: script({ text: 'I calculate.', calls: [CALCULATION] }) });
    expect(chat.messages[1]!.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'I calculate.' },
      {
        ...{ type: 'tool-calculator', state: 'output-available', output: '42' },
        input: { expression: '6*7' },
      },
      { type: 'step-start' },
      { type: 'text', text: 'Done.' },
    ]);
    expect([calls, chat.error]).toEqual([[], undefined]);
  });

  it('ends with an approval, and goes on in the same message when it is given', async () => {
    const chat = open('approval');
    await makeToolAsk(server.api, chat.id, 'calculator');
    await chat.sendMessage({ text: script({ calls: [CALCULATION, CALCULATION] }) });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    const ids = approvalsIn(chat);
    expect(ids).toHaveLength(2);
    await decide(chat, version, { id: ids[0]!, approved: true });
    await decide(chat, version, { id: ids[1]!, approved: false, reason: 'Once is enough.' });
    await settled(chat);
    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(2);
    expect(callsIn(chat)).toMatchObject([
      { state: 'output-available', output: '42' },
      { state: version > 5 ? 'output-denied' : 'output-error' },
    ]);
    expect(textOf(chat.messages[1])).toBe('Done.');
    const told = await toolMessages(server, chat);
    expect(told[1]).toContain('Once is enough.');
  });

  it('runs a call with arguments that were changed', async () => {
    const chat = open('changed');
    await makeToolAsk(server.api, chat.id, 'calculator');
    await chat.sendMessage({ text: script({ calls: [CALCULATION] }) });
    const [approval_id] = approvalsIn(chat);
    const modified_input = { expression: '6*8' };
    const approvals = [{ approval_id, approved: true, modified_input }];
    await chat.sendMessage(undefined, { body: { approvals } });
    expect(chat.error).toBeUndefined();
    expect(callsIn(chat)).toMatchObject([{ output: '48', input: modified_input }]);
  });

  it('gives the client its own tools to run, and questions to answer', async () => {
    const chat: Chat = open('own-tools', {
      body: { client_tools: [OPEN_DOOR] },
      onToolCall: ({ toolCall }: { toolCall: { toolName: string; toolCallId: string } }) => {
        const { toolName: tool, toolCallId } = toolCall;
        if (tool === 'open_door')
          void chat.addToolOutput({ tool, toolCallId, output: { ok: true } });
      },
    });
    const door = { name: 'open_door', arguments: { door: 'front' } };
    await chat.sendMessage({ text: script({ calls: [door] }, { calls: [QUESTION] }) });
    await eventually(() => callsIn(chat).length === 2 && chat.status === 'ready');
    const [opened, asked] = callsIn(chat);
    expect(opened).toMatchObject({ type: 'tool-open_door', state: 'output-available' });
    expect(asked).toMatchObject({
      ...{ type: 'tool-ask_human', state: 'input-available' },
      input: { question: 'Which?', options: ['red', 'blue'] },
    });
    await chat.addToolOutput({
      tool: 'ask_human',
      toolCallId: asked!.toolCallId!,
      output: 'green',
    });
    await settled(chat);
    expect([chat.error, chat.messages.length]).toEqual([undefined, 2]);
    expect(await toolMessages(server, chat)).toEqual(['{"ok":true}', 'green']);
  });

  it('shows children apart, and asks for the approvals of their calls', async () => {
    const chat = open('children');
    await makeToolAsk(server.api, chat.id, 'calculator');
    await chat.sendMessage({
      text: script({ calls: [child(script({ text: 'I dig.', calls: [CALCULATION] }))] }),
    });
    const [id] = approvalsIn(chat);
    await decide(chat, version, { id: id!, approved: true });
    await settled(chat);
    expect(chat.error).toBeUndefined();
    expect(chat.messages[1]!.parts.filter(({ type }) => type === 'data-agent')).toMatchObject([
      { data: { agent_type: 'react', status: 'completed', result: 'Done.' } },
    ]);
    expect(callsIn(chat)).toMatchObject([
      { type: 'tool-agent', output: 'Done.' },
      { type: 'tool-calculator', output: '42' },
    ]);
    expect(textOf(chat.messages[1])).toBe('Done.');
  });

  it('takes a message right after a stop, which ends what ran', async () => {
    const chat = open('stopped');
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const sent = chat.sendMessage({ text: 'Hi' });
    await eventually(() => textOf(chat.messages[1]) === 'Half ');
    await chat.stop();
    await sent;
    await chat.sendMessage({ text: 'Another' });
    gate.open();
    expect([chat.error, textOf(chat.messages.at(-1))]).toEqual([undefined, 'Done.']);
    const statuses = await interactionsOf(chat);
    expect(statuses.map((each: { status: string }) => each.status)).toEqual([
      'CANCELLED',
      'COMPLETED',
    ]);
    expect(statuses[1].parent_id).toBe(statuses[0].id);
  });

  it('is stopped by a client that stays away', async () => {
    const chat = open('gone');
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const sent = chat.sendMessage({ text: 'Hi' });
    await eventually(() => textOf(chat.messages[1]) === 'Half ');
    await chat.stop();
    await sent;
    const ended = async () => (await interactionsOf(chat))[0].status === 'CANCELLED';
    await eventually(ended);
    gate.open();
  });

  it('makes a branch of an edited message and of an answer that is made anew', async () => {
    const chat = open('edited');
    for (const text of ['One', 'Two', 'Three']) await chat.sendMessage({ text });
    const ids = chat.messages.map(({ id }) => id);
    await chat.sendMessage({ text: 'Two, changed', messageId: ids[2]! });
    expect([chat.error, chat.messages.length]).toEqual([undefined, 4]);
    await chat.regenerate();
    await chat.regenerate({ messageId: chat.messages[1]!.id });
    expect([chat.error, chat.messages.length]).toEqual([undefined, 2]);
    const all = await interactionsOf(chat);
    const told = all.map((each: { user_message: string; parent_id: string | null }) => [
      each.user_message,
      all.findIndex(({ id }: { id: string }) => id === each.parent_id),
    ]);
    expect(told).toEqual([
      ['One', -1],
      ['Two', 0],
      ['Three', 1],
      ['Two, changed', 0],
      ['Two, changed', 0],
      ['One', -1],
    ]);
    const { interactions } = (await server.api.get(`/chats/${chat.id}`)).body;
    expect(interactions).toMatchObject([{ id: chat.messages[1]!.id }]);
  });

  it('follows the history that the client has shortened', async () => {
    const chat = open('shortened');
    for (const text of ['One', 'Two', 'Three']) await chat.sendMessage({ text });
    chat.messages = chat.messages.slice(0, 2);
    await chat.sendMessage({ text: 'Other' });
    const { interactions } = (await server.api.get(`/chats/${chat.id}`)).body;
    expect(interactions.map((each: { user_message: string }) => each.user_message)).toEqual([
      'One',
      'Other',
    ]);
  });

  it('gives a new chat the conversation that the client has', async () => {
    const greeting = { id: 'g', role: 'assistant', parts: [{ type: 'text', text: 'Welcome!' }] };
    const chat = open('greeted', { messages: [greeting] });
    const asked = server.fake.requests.length + 1;
    await chat.sendMessage({ text: 'Hi' });
    const { messages } = (await server.fake.request(asked)).body as { messages: object[] };
    expect(messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('resumes in the middle of an answer, in another client too', async () => {
    const chat = open('resumed', { body: { on_disconnect: 'continue' } });
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const sent = chat.sendMessage({ text: 'Hi' });
    await eventually(() => textOf(chat.messages[1]) === 'Half ');
    const other = open('resumed', { messages: chat.messages.slice(0, 1) });
    const resumed = other.resumeStream();
    await eventually(() => textOf(other.messages[1]) === 'Half ');
    const { id } = chat.messages[1]!;
    await chat.stop();
    await eventually(() => server.readersOf(id) === 1);
    const again = chat.resumeStream();
    await eventually(() => server.readersOf(id) === 2);
    gate.open();
    await Promise.all([sent, resumed, again]);
    for (const each of [chat, other]) {
      expect(each.error).toBeUndefined();
      expect(textOf(each.messages[1])).toBe('Half and half.');
      expect(each.messages).toHaveLength(2);
    }
    expect(other.messages[1]!.id).toBe(chat.messages[1]!.id);
  });

  it('shows a page that is loaded anew the approval that it waits for', async () => {
    const chat = open('loaded');
    await makeToolAsk(server.api, chat.id, 'calculator');
    await chat.sendMessage({ text: script({ calls: [CALCULATION] }) });
    const page = open('loaded', { messages: chat.messages.slice(0, 1) });
    await page.resumeStream();
    expect(approvalsIn(page)).toEqual(approvalsIn(chat));
    await decide(page, version, { id: approvalsIn(page)[0]!, approved: true });
    await settled(page);
    expect([page.error, textOf(page.messages[1])]).toEqual([undefined, 'Done.']);
  });

  it('shows an error as the server words it', async () => {
    const chat = open('failing');
    server.fake.reply({ status: 400, body: { error: { message: 'No.' } } });
    await chat.sendMessage({ text: 'Hi' });
    expect(chat.status).toBe('error');
    expect(chat.error!.message).toContain('No.');
    const bad = open('failing', { body: { agent: 'none' } });
    await bad.sendMessage({ text: 'Hi' });
    expect(bad.error!.message).toMatch(/^Unknown agent: /);
  });

  it('takes an approval once, and none of another chat', async () => {
    const [chat, other] = [open('twice'), open('foreign')];
    for (const each of [chat, other]) {
      await makeToolAsk(server.api, each.id, 'calculator');
      await each.sendMessage({ text: script({ calls: [CALCULATION] }) });
    }
    const [approval_id] = approvalsIn(chat);
    const send = (of: Chat, approved: boolean) =>
      of.sendMessage(undefined, { body: { approvals: [{ approval_id, approved }] } });
    await send(other, true);
    expect(other.error!.message).toMatch(/^Request not found: /);
    const [before] = [structuredClone(chat.messages)];
    await send(chat, true);
    expect(chat.error).toBeUndefined();
    chat.messages = before!;
    await send(chat, true);
    expect([chat.error, textOf(chat.messages[1])]).toEqual([undefined, 'Done.']);
    chat.messages = before!;
    await send(chat, false);
    expect(chat.error!.message).toMatch(/^Already processed: /);
    await chat.sendMessage();
  });
}

function textOf(message: UiMessage | undefined): string | undefined {
  return message?.parts.findLast(({ type }) => type === 'text')?.text;
}

function callsIn({ messages }: Chat): readonly Part[] {
  return messages.at(-1)!.parts.filter(({ type }) => type.startsWith('tool-'));
}

/** The approvals that the last message asks for. */
function approvalsIn({ messages }: Chat): readonly string[] {
  return messages.at(-1)!.parts.flatMap(({ state, approval, type, data }) => {
    if (state === 'approval-requested') return approval!.id;
    return type === 'data-approval' && data!['approved'] === null
      ? String(data!['approval_id'])
      : [];
  });
}

/** With version 5, a page changes the part itself, and sends the conversation again. */
async function decide(
  chat: Chat,
  version: Version,
  verdict: { readonly id: string; readonly approved: boolean; readonly reason?: string },
): Promise<void> {
  if (version > 5) return chat.addToolApprovalResponse(verdict);
  const { id, approved, reason: decision_reason } = verdict;
  const changed = (part: Part): Part =>
    part.data?.['approval_id'] === id
      ? { ...part, data: { ...part.data, approved, decision_reason } }
      : part;
  const [last, ...others] = chat.messages.toReversed();
  chat.messages = [...others.toReversed(), { ...last!, parts: last!.parts.map(changed) }];
  if (approvalsIn(chat).length === 0) await chat.sendMessage();
}

/** Until the answer is complete, or failed. */
async function settled(chat: Chat): Promise<void> {
  await eventually(() => {
    const { status } = chat.messages.at(-1)!.metadata?.parley ?? {};
    return chat.status === 'error' || (chat.status === 'ready' && status === 'COMPLETED');
  });
}

/** The results of calls, as the model has read them. */
async function toolMessages(server: ServerUnderTest, { id, messages }: Chat): Promise<string[]> {
  const of = { chat_id: id, id: messages.at(-1)!.id };
  const state = (await server.api.interaction(of)).final_agent_state!;
  return state.messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
}
