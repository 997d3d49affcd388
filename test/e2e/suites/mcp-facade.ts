import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENTS, connect } from '../../clients/mcp.js';
import type { ClientName, Form, McpClient, McpOptions } from '../../clients/mcp.js';
import { Gate } from '../../support/gate.js';
import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Person } from '../../support/client/person.js';

const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Which?', options: ['red', 'blue'] } };

/** The client's timeout, so many heartbeats long that a slow machine does not matter. */
const HEARTBEAT_MS = 50;
const TIMEOUT_MS = 40 * HEARTBEAT_MS;

/** With the clients of the packages, of both kinds of revisions. */
export function describeMcpFacade(servers: Servers): void {
  describe('The façade for MCP', () => {
    withPeople(servers, { DISCONNECT_GRACE_MS: '100', PARK_AFTER_MS: '0' }, (server, person) => {
      for (const name of CLIENTS) describe(name, () => testClient(server, person, name));

      it('is called by an agent of another server, which is a client too', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
        const opened = await servers.open();
        const path = join(folder, 'mcp.json');
        const far = { url: `${server.api.url}/mcp` };
        await writeFile(path, JSON.stringify({ mcpServers: { far } }));
        const env = { MCP_CONFIG: path, MODEL: 'openai/fake' };
        const near = await servers.start(opened.stores, { env });
        try {
          const message = script({ text: 'Hello from afar.' });
          const calls = [{ name: 'mcp__far__react', arguments: { message } }];
          near.fake.reply({ calls }, { text: 'It said hello.' });
          const reader = await near.api.say('near', { user_message: 'Go', approval_mode: 'auto' });
          expect(reader.find('TOOL_RESULT')).toMatchObject({
            ...{ tool_name: 'mcp__far__react', is_error: false },
            tool_output: expect.stringMatching(/^Hello from afar\.\n\{"chat_id":"chat_\w/),
          });
          expect(reader.find('ANSWER')).toMatchObject({ content: 'It said hello.' });
        } finally {
          await near.stop();
          await opened.close();
          await rm(folder, { recursive: true, force: true });
        }
      });
    });

    withPeople(servers, { HEARTBEAT_MS: String(HEARTBEAT_MS) }, (server, person) => {
      it.each(CLIENTS)('keeps a call alive while a person thinks: %s', async (name) => {
        const chat_id = `mcp-thinks-${CLIENTS.indexOf(name)}`;
        await makeToolAsk(server.api, chat_id, 'calculator');
        const client = await connect(name, { url: server.api.url });
        const numbers: number[] = [];
        const lines: (string | undefined)[] = [];
        const over = new Gate();
        const onprogress = (each: { progress: number; message?: string }): void => {
          numbers.push(each.progress);
          lines.push(each.message);
          if (numbers.length * HEARTBEAT_MS > 1.5 * TIMEOUT_MS) over.open();
        };
        const options = { onprogress, timeout: TIMEOUT_MS, resetTimeoutOnProgress: true };
        const message = script({ calls: [CALCULATION] });
        const called = client.callTool('react', { message, chat_id }, options);
        await Promise.race([over.pass(), called]);
        const { items } = (await person.inbox(`status=pending&chat_id=${chat_id}`)).body;
        await person.approve({ chat_id, id: items[0].interaction_id }, items[0].id);
        expect((await called).structuredContent!.answer).toBe('Done.');
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
        expect(lines.at(20)).toMatch(/^Waits for approval/);
        expect(client.errors).toEqual([]);
        await client.close();
      });
    });
  });
}

function testClient(server: ServerUnderTest, person: Person, name: ClientName): void {
  const open: McpClient[] = [];
  const connected = async (options: Omit<McpOptions, 'url'> = {}): Promise<McpClient> => {
    const client = await connect(name, { url: server.api.url, ...options });
    open.push(client);
    return client;
  };
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });
  const chatFor = async (what: string): Promise<string> => {
    const id = `mcp-${what}-${CLIENTS.indexOf(name)}`;
    await makeToolAsk(server.api, id, 'calculator');
    return id;
  };
  const toolMessages = async (chat: string): Promise<string[]> => {
    const { interactions } = (await server.api.get(`/chats/${chat}`)).body;
    const { messages } = interactions[0].final_agent_state;
    return messages.flatMap((each: { role: string; content: string }) =>
      each.role === 'tool' ? each.content : [],
    );
  };

  it('lists the agents as tools', async () => {
    const client = await connected();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['coder', 'react']));
    expect(tools.find((tool) => tool.name === 'react')).toMatchObject({
      description: expect.stringMatching(/./),
      inputSchema: { required: ['message'] },
    });
    expect(client.errors).toEqual([]);
  });

  it('answers, and goes on in a chat', async () => {
    const client = await connected();
    const first = await client.callTool('react', { message: script({ text: 'Hello.' }) });
    expect(first.content).toEqual([{ type: 'text', text: 'Hello.' }]);
    const { chat_id, interaction_id } = first.structuredContent!;
    const second = await client.callTool('react', { message: 'Again', chat_id });
    expect(second.structuredContent).toMatchObject({ answer: 'Done.', chat_id });
    const { interactions } = (await server.api.get(`/chats/${chat_id}`)).body;
    expect(interactions).toMatchObject([
      { id: interaction_id, agent: 'react' },
      { id: second.structuredContent!.interaction_id, parent_id: interaction_id },
    ]);
    expect(client.errors).toEqual([]);
  });

  it('tells of progress', async () => {
    const client = await connected();
    const told: { progress: number; message?: string }[] = [];
    const message = script({ text: 'I calculate.', calls: [CALCULATION] });
    const onprogress = (each: (typeof told)[number]) => void told.push(each);
    await client.callTool('react', { message }, { onprogress });
    expect(told.map((each) => each.message)).toEqual([
      ...['react has begun', 'I calculate.', 'calculator {"expression":"6*7"}'],
      'calculator is done',
    ]);
    const numbers = told.map(({ progress }) => progress);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('asks its user for approvals, and goes on as they decide', async () => {
    const chat_id = await chatFor('approval');
    const forms: Form[] = [];
    const client = await connected({
      onForm: (form) => {
        forms.push(form);
        const reason = { reason: 'Once is enough.' };
        if (forms.length > 1) return { action: 'accept', content: { approved: false, ...reason } };
        return { action: 'accept', content: {} };
      },
    });
    const message = script({ calls: [CALCULATION] }, { calls: [CALCULATION] });
    const result = await client.callTool('react', { message, chat_id });
    expect(result.content).toEqual([{ type: 'text', text: 'Done.' }]);
    expect(forms).toHaveLength(2);
    expect(forms[0]!.message).toContain('calculator {"expression":"6*7"}');
    const [done, refused] = await toolMessages(chat_id);
    expect([done, refused]).toEqual(['42', expect.stringContaining('Once is enough.')]);
    expect(client.errors).toEqual([]);
  });

  it.each(['decline', 'cancel'] as const)(
    'takes a form that ends with %s as a no',
    async (action) => {
      const chat_id = await chatFor(action);
      const client = await connected({ onForm: () => ({ action }) });
      const calls = [CALCULATION];
      const message = script({ calls }, { calls: [QUESTION] });
      const result = await client.callTool('react', { message, chat_id });
      expect(result.structuredContent!.answer).toBe('Done.');
      const [refused, unanswered] = await toolMessages(chat_id);
      expect(refused).toMatch(/reject/i);
      expect(unanswered).toMatch(/declined|did not answer/i);
    },
  );

  it('asks its user questions', async () => {
    const forms: Form[] = [];
    const client = await connected({
      onForm: (form) => {
        forms.push(form);
        return { action: 'accept', content: { answer: `green ${forms.length}` } };
      },
    });
    const message = script({ calls: [QUESTION, QUESTION] });
    const result = await client.callTool('react', { message });
    expect(forms.map((form) => form.message)).toEqual(Array(2).fill('Which?\n- red\n- blue'));
    const told = await toolMessages(result.structuredContent!.chat_id);
    expect(told.toSorted()).toEqual(['green 1', 'green 2']);
  });

  it('goes on with a decision that was made elsewhere while its form is open', async () => {
    const chat_id = await chatFor('elsewhere');
    const asked = new Gate();
    const closed = new Gate();
    const client = await connected({
      onForm: async (_, signal) => {
        asked.open();
        signal.addEventListener('abort', () => closed.open());
        await closed.pass();
        return { action: 'decline' };
      },
    });
    const message = script({ calls: [CALCULATION] });
    const called = client.callTool('react', { message, chat_id });
    await asked.pass();
    const { items } = (await person.inbox(`status=pending&chat_id=${chat_id}`)).body;
    const [{ id, interaction_id }] = items;
    await person.approve({ chat_id, id: interaction_id }, id);
    if (name === 'client 2.4, auto') closed.open(); // the call has ended: it is not told
    const result = await called;
    expect(result.structuredContent!.answer).toBe('Done.');
    expect(await toolMessages(chat_id)).toEqual(['42']);
  });

  it('waits for others where its user can’t be asked', async () => {
    const chat_id = await chatFor('others');
    const client = await connected();
    const told: (string | undefined)[] = [];
    const message = script({ calls: [CALCULATION] });
    const onprogress = (each: { message?: string }) => void told.push(each.message);
    const called = client.callTool('react', { message, chat_id }, { onprogress });
    await eventually(() => told.some((line) => line?.startsWith('Waits for approval')));
    const { items } = (await person.inbox(`status=pending&chat_id=${chat_id}`)).body;
    await person.approve({ chat_id, id: items[0].interaction_id }, items[0].id);
    expect((await called).structuredContent!.answer).toBe('Done.');
  });

  it('cancels the interaction of a call that its client cancels', async () => {
    const client = await connected();
    const gate = new Gate();
    server.fake.reply({ text: ['Half ', gate, 'and half.'] });
    const abort = new AbortController();
    const chat_id = await chatFor('cancelled');
    const called = client.callTool('react', { message: 'Hi', chat_id }, { signal: abort.signal });
    called.catch(() => {});
    const status = async () =>
      (await server.api.get(`/chats/${chat_id}`)).body.interactions[0]?.status;
    await eventually(async () => (await status()) === 'RUNNING');
    abort.abort('Enough.');
    await expect(called).rejects.toThrow();
    await eventually(async () => (await status()) === 'CANCELLED');
    gate.open();
  });

  it('gives errors that models read as results, and others as errors', async () => {
    const client = await connected();
    const empty = await client.callTool('react', { message: ' ' });
    expect(empty).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('message') }],
    });
    await expect(client.callTool('nobody', { message: 'Hi' })).rejects.toMatchObject({
      code: -32602,
    });
    server.fake.reply({ status: 400 });
    const failed = await client.callTool('react', { message: 'Hi' });
    expect(failed).toMatchObject({
      isError: true,
      _meta: { parley: { chat_id: expect.stringMatching(/^chat_/) } },
    });
  });
}
