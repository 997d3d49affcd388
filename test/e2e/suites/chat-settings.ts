import type { Message } from '../../../src/protocol/message.js';
import { Gate } from '../../support/gate.js';
import type { Servers } from '../servers.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const calculate = { name: 'calculator', arguments: { expression: '6*7' } };
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'calculator', arguments: '{"expression":"1+1"}' },
} as const;
const EARLIER: readonly Message[] = [
  { role: 'user', content: 'I am Ann. What is 1+1?' },
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'call_1', content: '2' },
  { role: 'assistant', content: 'It is 2.' },
];

export function describeChatSettings(servers: Servers): void {
  describe('The settings of a chat', () => {
    const env = {
      MAX_ITERATIONS: '10',
      ALLOWED_APPROVAL_MODES: 'ask,deny,auto',
      DEFAULT_AGENT: 'deliberate',
      APPROVAL_MODE: 'deny',
    };
    servers.run(env, (server) => {
      let chats = 0;
      const newChat = async (body: object = {}): Promise<string> => {
        const id = `settings-${++chats}`;
        const made = await server.api.post('/chats', { id, ...body });
        expect([made.status, made.body.errors]).toEqual([201, undefined]);
        return id;
      };
      const asked = () => server.fake.requests.at(-1)!.body['messages'] as Message[];
      const contents = () => asked().map(({ content }) => content);
      const faultOf = async (body: object): Promise<unknown> => {
        const reply = await server.api.post('/chats', body as never);
        expect(reply.status).toBe(400);
        return reply.body.errors[0].field;
      };
      const begun = (chat: string, body: object = {}): Promise<Interaction> =>
        server.api.begin(chat, { user_message: 'Go', ...body });

      it('are shown, changed one by one, and removed by null', async () => {
        const settings = { agent: 'react', system_prompt: 'Be brief.', context_messages: 8 };
        const chat = await newChat({ settings });
        const read = async () => (await server.api.get(`/chats/${chat}`)).body;
        expect(await read()).toMatchObject({ agent: 'react', settings, messages: [] });
        await server.api.patch(`/chats/${chat}`, {
          settings: { agent: null, model: 'openai/other', max_iterations: 3 },
        });
        const wrong = await server.api.patch(`/chats/${chat}`, { settings: { workspace: '/etc' } });
        expect(wrong.body).toMatchObject({ errors: [{ field: 'settings.workspace' }] });
        const { agent: _, ...rest } = settings;
        const after = { ...rest, model: 'openai/other', max_iterations: 3 };
        expect(await read()).toMatchObject({ agent: null });
        expect((await read()).settings).toEqual(after);
        const { items } = (await server.api.get('/chats')).body;
        expect(items.find(({ id }: { id: string }) => id === chat).settings).toEqual(after);
      });

      it.each([
        [{ settings: { agent: 'nobody' } }, 'settings.agent'],
        [{ agent: 'nobody' }, 'agent'],
        [{ agent: 'react', settings: { agent: 'coder' } }, 'settings.agent'],
        [{ settings: { model: 'nothing' } }, 'settings.model'],
        [{ settings: { max_iterations: 11 } }, 'settings.max_iterations'],
        [{ settings: { thinking: 'hard' } }, 'settings.thinking'],
        [{ settings: { thinking: { budget_tokens: 1_023 } } }, 'settings.thinking'],
        [{ settings: { thinking: { budget_tokens: 2_000.5 } } }, 'settings.thinking'],
        [{ settings: { thinking: { budget_tokens: 1_000_001 } } }, 'settings.thinking'],
        [
          { settings: { thinking: { budget_tokens: 2_000, type: 'enabled' } } },
          'settings.thinking',
        ],
        [{ settings: { thinking: [] } }, 'settings.thinking'],
        [{ settings: { approval_mode: 'defer' } }, 'settings.approval_mode'],
        [{ settings: { budget: { cost_usd: 1 } } }, 'settings.budget.cost_usd'],
        [{ settings: { budget: { coins: 1 } } }, 'settings.budget.coins'],
        [{ settings: { system_prompt: 'x'.repeat(32_001) } }, 'settings.system_prompt'],
        [{ settings: { context_messages: 0 } }, 'settings.context_messages'],
        [{ settings: { workspace: '/etc' } }, 'settings.workspace'],
        [{ settings: { workspace: '../..' } }, 'settings.workspace'],
        [{ settings: { colour: 'red' } }, 'settings.colour'],
        [{ settings: null }, 'settings'],
        [{ visibility: null }, 'visibility'],
        [{ metadata: null }, 'metadata'],
        [{ messages: [EARLIER[2]] }, 'messages.0'],
        [{ messages: EARLIER.slice(0, 2) }, 'messages.1'],
        [{ messages: [EARLIER[0], EARLIER[1], EARLIER[0], EARLIER[2]] }, 'messages.1'],
        [{ messages: [{ role: 'assistant', content: null }] }, 'messages.0'],
        [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages.0.role'],
        [{ messages: Array.from({ length: 1_001 }, () => EARLIER[0]) }, 'messages'],
        [{ messages: [{ role: 'user', content: 'x'.repeat(524_288) }] }, 'messages'],
      ])('are refused: %#', async (body, field) => {
        expect(await faultOf(body)).toBe(field);
      });

      it('can not be set to null as a whole', async () => {
        const chat = await newChat();
        for (const field of ['metadata', 'visibility', 'settings', 'head_interaction_id']) {
          const reply = await server.api.patch(`/chats/${chat}`, { [field]: null });
          expect([reply.status, reply.body.errors[0].field]).toEqual([400, field]);
        }
      });

      it('stand between the message and the server', async () => {
        const bare = await begun(await newChat());
        expect(bare.agent).toBe('deliberate');
        await server.api.follow(bare);
        const settings = { agent: 'react', model: 'openai/chat', system_prompt: 'Speak Latin.' };
        const chat = await newChat({ settings });
        const one = await server.api.say(chat, { user_message: 'One' });
        expect(one.find('INTERACTION_STARTED')).toMatchObject({
          ...{ agent: 'react', model: 'openai/chat' },
        });
        expect(contents()).toEqual(['Speak Latin.', 'One']);
        const two = await server.api.say(chat, { user_message: 'Two', model: 'openai/message' });
        expect(two.find('INTERACTION_STARTED')).toMatchObject({ model: 'openai/message' });
      });

      it('say how much models think, unless the message does', async () => {
        const settings = { agent: 'react', thinking: { budget_tokens: 9_000 } };
        const chat = await newChat({ settings });
        const effort = () => server.fake.requests.at(-1)!.body['reasoning_effort'];
        await server.api.say(chat, { user_message: 'One' });
        expect(effort()).toBe('medium');
        await server.api.say(chat, { user_message: 'Two', thinking: 'low' });
        expect(effort()).toBe('low');
        await server.api.patch(`/chats/${chat}`, { settings: { thinking: null } });
        await server.api.say(chat, { user_message: 'Three' });
        expect(effort()).toBeUndefined();
      });

      it('decide about approvals unless the message does', async () => {
        const bash = { name: 'bash', arguments: { command: 'echo hi' } };
        const results = async (chat: string, body: object = {}) => {
          server.fake.reply({ calls: [bash] }, { text: 'Done.' });
          const reader = await server.api.say(chat, { user_message: 'Go', ...body });
          return reader.find('TOOL_RESULT');
        };
        const isError = (is_error: boolean) => expect.objectContaining({ is_error });
        const denied = await newChat({ settings: { agent: 'react' } });
        expect(await results(denied)).toEqual(isError(true));
        const allowed = await newChat({ settings: { agent: 'react', approval_mode: 'auto' } });
        expect(await results(allowed)).toEqual(isError(false));
        expect(await results(allowed, { approval_mode: 'deny' })).toEqual(isError(true));
      });

      it('of an interaction that has begun do not change', async () => {
        const chat = await newChat({ settings: { agent: 'react', system_prompt: 'Before.' } });
        const gate = new Gate();
        server.fake.reply({ text: ['Wait', gate, '.'], calls: [calculate] }, { text: 'Done.' });
        const running = await begun(chat);
        await gate.reached;
        await server.api.patch(`/chats/${chat}`, { settings: { system_prompt: 'After.' } });
        gate.open();
        await server.api.follow(running);
        expect(contents()[0]).toBe('Before.');
        await server.api.say(chat, { user_message: 'Again' });
        expect(contents()[0]).toBe('After.');
      });

      it('let the model see only the last messages, and no result without its call', async () => {
        const chat = await newChat({
          messages: EARLIER,
          settings: { agent: 'react', context_messages: 3 },
        });
        await server.api.say(chat, { user_message: 'Now?' });
        expect(contents()).toEqual(['It is 2.', 'Now?']);
        server.fake.reply({ calls: [calculate, calculate] }, { text: '42' });
        const reader = await server.api.say(chat, { user_message: 'And 6*7, twice?' });
        expect(reader.faults).toEqual([]);
        expect(asked().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
        expect(contents()[0]).toBe('And 6*7, twice?');
      });

      it('go with the session log', async () => {
        const settings = { agent: 'react', system_prompt: 'Be brief.', context_messages: 50 };
        const chat = await newChat({ settings, messages: EARLIER });
        await server.api.say(chat, { user_message: 'Now?' });
        const { url, headers } = server.api;
        const log = await (await fetch(`${url}/chats/${chat}/log`, { headers })).text();
        const [head, chatLine, ...others] = log.split('\n');
        const line = JSON.parse(chatLine!);
        const changed = {
          ...line,
          settings: { ...line.settings, agent: 'gone', workspace: '/etc' },
        };
        const foreign = [head, JSON.stringify(changed), ...others].join('\n');
        const [copy, other] = [
          await server.api.post('/chats/import', log, NDJSON),
          await server.api.post('/chats/import', foreign, NDJSON),
        ];
        expect(copy.body).toMatchObject({ settings, messages: EARLIER, import: { problems: [] } });
        const { agent: _, ...rest } = settings;
        expect(other.body.settings).toEqual(rest);
        expect(other.body.import.problems).toMatchObject([
          { message: expect.stringContaining('setting agent') },
          { message: expect.stringContaining('setting workspace') },
        ]);
        await server.api.say(copy.body.id, { user_message: 'More' });
        expect(contents()).toEqual(expect.arrayContaining(['Be brief.', 'Now?', 'More']));
        expect(contents()[1]).toBe(EARLIER[0]!.content);
      });

      it('begin with the messages of the chat, also after an edit', async () => {
        const chat = await newChat({ agent: 'react', messages: EARLIER });
        expect((await server.api.get(`/chats/${chat}`)).body.messages).toEqual(EARLIER);
        const first = await server.api.say(chat, { user_message: 'Now?' });
        const { interaction_id: id } = first.find('INTERACTION_STARTED')!;
        expect(contents()).toEqual([...EARLIER.map(({ content }) => content ?? null), 'Now?']);
        const ended = await server.api.interaction({ chat_id: chat, id });
        expect(ended.final_agent_state?.messages.slice(0, 4)).toEqual(EARLIER);
        const edit = `/chats/${chat}/interactions/${id}/edit?wait=true`;
        await server.api.post(edit, { new_user_message: 'Then?' });
        expect(contents()).toEqual([...EARLIER.map(({ content }) => content ?? null), 'Then?']);
      });
    });
  });
}
