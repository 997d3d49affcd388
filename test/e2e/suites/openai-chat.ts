import OpenAI from 'openai';
import { OpenAI7 } from '../../clients/openai-7.js';
import { script } from '../../support/model/scripted-answers.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import type { ChatBody } from '../../support/model/fake-model.js';
import { eventually } from '../../support/eventually.js';
import type { Servers } from '../servers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import { withPeople } from '../with-people.js';

type Message = OpenAI.ChatCompletionMessageParam;

const OPEN_DOOR = {
  type: 'function' as const,
  function: {
    name: 'open_door',
    description: 'Opens a door.',
    parameters: { type: 'object', properties: { door: { type: 'string' } } },
  },
};
const open = (door: string) => ({ name: 'open_door', arguments: { door } });

/** Both lines of the package speak the same protocol. */
const CLIENTS = [
  ['openai 6', OpenAI],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI],
] as const;

export function describeOpenAiChat(servers: Servers): void {
  describe.each(CLIENTS)('Chat completions of %s', (name, Client) => {
    const mark = ` (${name})`;
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server, person) => {
      const client = () =>
        new Client({ baseURL: `${server.api.url}/v1`, apiKey: 'none', maxRetries: 0 });
      const ask = (messages: Message[], more: object = {}) =>
        client().chat.completions.create({ model: 'react', messages, ...more });
      /** Unlike those of the other client: equal conversations are one. */
      const play = (...turns: readonly FakeTurn[]): Message[] => [
        { role: 'user', content: script(...turns, { text: 'Done.' }, { text: mark }) },
      ];
      const say = (content: string): Message[] => [{ role: 'user', content: content + mark }];
      const chatOf = async (completion: { readonly id: string }) => {
        const id = completion.id.replace('chatcmpl-', '');
        const all = (await server.api.get('/chats?limit=200')).body.items as Chat[];
        for (const { id: chat } of all) {
          const { body } = await server.api.get(`/chats/${chat}?include=superseded`);
          if (idsIn(body).includes(id)) return body as Chat;
        }
        throw new Error(`no chat has ${id}`);
      };

      it('give the text of the answer, and its usage', async () => {
        const completion = await ask(play({ text: 'Hello.' }));
        expect(completion).toMatchObject({
          ...{ object: 'chat.completion', model: 'react' },
          choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        });
      });

      it('stream the text, without the tools, thoughts and children of the server', async () => {
        const turns = [
          { thinking: 'secret-thought', text: 'Wait.', calls: [calculate('6*7')] },
          { text: 'It is 42.' },
        ];
        const stream = client().chat.completions.stream({
          ...{ model: 'react', messages: play(...turns) },
          stream_options: { include_usage: true },
        });
        const chunks: OpenAI.ChatCompletionChunk[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        const completion = await stream.finalChatCompletion();
        expect(completion.choices[0]).toMatchObject({
          ...{ finish_reason: 'stop', message: { content: 'Wait.\n\nIt is 42.' } },
        });
        expect(completion.choices[0]!.message.tool_calls ?? []).toEqual([]);
        expect(completion.usage).toMatchObject({ total_tokens: 30 });
        const texts = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
        expect(texts).toBe('Wait.\n\nIt is 42.');
        expect(texts).not.toContain('secret-thought');
      });

      it('send system and earlier messages to the model, when the history is unknown', async () => {
        const asked = server.fake.requests.length + 1;
        await ask([
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'I am Ann.' },
          { role: 'assistant', content: 'Hello Ann.' },
          { role: 'user', content: [{ type: 'text', text: 'Who am I?' }] },
        ]);
        const { messages } = (await server.fake.request(asked)).body as unknown as Sent;
        expect(messages.map(({ role, content }) => [role, content])).toEqual(
          expect.arrayContaining([
            ['system', expect.stringContaining('Be brief.')],
            ['user', 'I am Ann.'],
            ['assistant', 'Hello Ann.'],
            ['user', 'Who am I?'],
          ]),
        );
      });

      it('continue the chat that made the history, and branch where it is edited', async () => {
        const first = await ask(say('One'));
        const history = [...say('One'), first.choices[0]!.message];
        const second = await ask([...history, ...say('Two')]);
        const chat = await chatOf(first);
        expect(chat.interactions).toHaveLength(2);
        const long = [...history, ...say('Two'), second.choices[0]!.message];
        await ask([...long, ...say('Three')]);
        expect((await chatOf(first)).interactions).toHaveLength(3);

        await ask([...history, ...say('Two again')]);
        const branched = await chatOf(first);
        expect(branched.id).toBe(chat.id);
        const active = branched.interactions.filter(({ superseded_at }) => !superseded_at);
        expect(active.map(({ user_message }) => user_message)).toEqual([
          `One${mark}`,
          `Two again${mark}`,
        ]);
        // the first branch again, which has gone on since
        await ask([...long, ...say('Three, the other way')]);
        const both = await chatOf(first);
        expect(
          both.interactions
            .filter(({ superseded_at }) => !superseded_at)
            .map((one) => one.user_message),
        ).toEqual([`One${mark}`, `Two${mark}`, `Three, the other way${mark}`]);
      });

      it('begin another chat for an answer that the server has not given', async () => {
        const first = await ask(say('Same beginning'));
        const changed: Message = { role: 'assistant', content: 'Something else.' };
        const other = await ask([...say('Same beginning'), changed, ...say('Go on')]);
        const [one, two] = [await chatOf(first), await chatOf(other)];
        expect(two.id).not.toBe(one.id);
        expect(two.messages).toEqual([
          ...say('Same beginning'),
          { role: 'assistant', content: 'Something else.' },
        ]);
        expect(one.interactions).toHaveLength(1);
        // and that one is known from now on
        await ask([
          ...[...say('Same beginning'), changed, ...say('Go on')],
          ...[other.choices[0]!.message, ...say('And on')],
        ]);
        expect((await chatOf(other)).interactions).toHaveLength(2);
      });

      it('ask the client to run its tools, and go on in the same interaction', async () => {
        const messages = play({ text: 'Opening.', calls: [open('front'), open('back')] });
        const asked = await ask(messages, { tools: [OPEN_DOOR] });
        const [choice] = asked.choices;
        expect(choice).toMatchObject({
          finish_reason: 'tool_calls',
          message: { content: 'Opening.' },
        });
        const calls = choice!.message.tool_calls!;
        expect(calls.map((call) => 'function' in call && call.function)).toEqual([
          { name: 'open_door', arguments: '{"door":"front"}' },
          { name: 'open_door', arguments: '{"door":"back"}' },
        ]);
        const result = ({ id }: { readonly id: string }, content = 'open'): Message => {
          return { role: 'tool', tool_call_id: id, content };
        };
        const half = ask([...messages, choice!.message, result(calls[0]!)], { tools: [OPEN_DOOR] });
        await expect(half).rejects.toMatchObject({ status: 400, param: 'messages' });
        const done = await ask(
          [...messages, choice!.message, ...calls.map((call) => result(call))],
          { tools: [OPEN_DOOR] },
        );
        expect(done.choices[0]).toMatchObject({
          ...{ finish_reason: 'stop', message: { content: 'Done.' } },
        });
        const chat = await chatOf(asked);
        expect(chat.interactions).toHaveLength(1);
        const again = await ask([
          ...[...messages, choice!.message, ...calls.map((call) => result(call))],
        ]);
        expect(again).toEqual(done);
        const other = ask([
          ...[...messages, choice!.message, ...calls.map((call) => result(call, 'shut'))],
        ]);
        await expect(other).rejects.toMatchObject({ status: 400, code: 'already_processed' });
        const history = [...messages, choice!.message, ...calls.map((call) => result(call))];
        await ask([...history, done.choices[0]!.message, ...say('Next')]);
        expect((await chatOf(asked)).interactions).toHaveLength(2);
      });

      it('work with the loop of tools that the package has', async () => {
        const runner = client().chat.completions.runTools({
          ...{ model: 'react', messages: play({ calls: [open('front')] }), stream: true },
          tools: [
            {
              type: 'function' as const,
              function: { ...OPEN_DOOR.function, function: () => 'open', parse: JSON.parse },
            },
          ],
        });
        expect(await runner.finalContent()).toBe('Done.');
      });

      it('ask questions as text, which the next message answers', async () => {
        const question = { question: 'Which city?', options: ['Bonn', 'Trier'] };
        const messages = play({
          text: 'Well.',
          calls: [{ name: 'ask_human', arguments: question }],
        });
        const asked = await ask(messages);
        const { message } = asked.choices[0]!;
        expect(message.content).toBe('Well.\n\nWhich city?\n- Bonn\n- Trier');
        const answer = { role: 'user' as const, content: 'Bonn' };
        const done = await ask([...messages, message, answer]);
        expect(done.choices[0]!.message.content).toBe('Done.');
        expect((await chatOf(asked)).interactions).toHaveLength(1);
      });

      it('wait for a decision that is made elsewhere', async () => {
        const chat = `approved-${name.replace(' ', '-')}`;
        await makeToolAsk(server.api, chat, 'calculator');
        const answer = ask(play({ calls: [calculate('1+1')] }), {
          metadata: { chat_id: chat },
        });
        const inbox = () => person.inbox(`status=pending&chat_id=${chat}`);
        await eventually(async () => (await inbox()).body.items.length === 1);
        const [item] = (await inbox()).body.items as Pending[];
        await person.approve({ chat_id: item!.chat_id, id: item!.interaction_id }, item!.id);
        expect((await answer).choices[0]!.message.content).toBe('Done.');
      });

      it.each([
        [{ max_tokens: 50 }, { max_tokens: 50 }],
        [{ max_tokens: 70, max_completion_tokens: 60 }, { max_tokens: 60 }],
        [
          { temperature: 0, top_p: 0.5 },
          { temperature: 0, top_p: 0.5 },
        ],
      ])('pass %j on to the model', async (more, passed) => {
        await ask(say('Hi'), more);
        expect(server.fake.requests.at(-1)!.body).toMatchObject(passed);
      });

      it.each([{ temperature: 2.1 }, { top_p: -1 }, { max_tokens: 0 }])(
        'refuse %j, which no model takes',
        async (more) => {
          await expect(ask(say('Hi'), more)).rejects.toMatchObject({
            ...{ status: 400, code: 'invalid_body', param: Object.keys(more)[0] },
          });
        },
      );

      it.each([
        [{ n: 2 }, 'n'],
        [{ logprobs: true }, 'logprobs'],
        [{ seed: 5 }, 'seed'],
        [{ stop: ['.'] }, 'stop'],
        [{ tool_choice: 'required', tools: [OPEN_DOOR] }, 'tool_choice'],
        [{ response_format: { type: 'json_object' } }, 'response_format.type'],
        [
          { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } },
          'response_format.json_schema.schema',
        ],
      ])('refuse %j, which agents can not honour', async (more, param) => {
        await expect(ask(say('Hi'), more)).rejects.toMatchObject({
          ...{ status: 400, code: 'unsupported_parameter', param },
        });
      });

      it('take a history of a megabyte, and refuse longer bodies', async () => {
        const big: Message[] = [
          { role: 'user', content: 'x'.repeat(1_000_000) },
          { role: 'assistant', content: 'Long.' },
        ];
        const completion = await ask([...big, ...say('Go on')]);
        expect(completion.choices[0]!.message.content).toBe('Done.');
        for (const length of [1_048_577, 5_000_000])
          await expect(ask(say('x'.repeat(length)))).rejects.toMatchObject({
            ...{ status: 413, code: 'body_too_large' },
          });
      });

      it('tell why a model did not answer', async () => {
        const messages = play({ status: 400 });
        await expect(ask(messages)).rejects.toMatchObject({
          status: 422,
          code: 'interaction_failed',
        });
        const stream = await client().chat.completions.create({
          ...{ model: 'react', messages, stream: true },
        });
        await expect(readAll(stream)).rejects.toMatchObject({ code: 'interaction_failed' });
      });
    });

    withPeople(servers, { DISCONNECT_GRACE_MS: '100' }, (server) => {
      it.each([true, false])(
        'are cancelled when the client leaves, streamed: %s',
        async (stream) => {
          const chat = `left-${name.replace(' ', '-')}-${stream}`;
          const client = new Client({
            baseURL: `${server.api.url}/v1`,
            apiKey: 'none',
            maxRetries: 0,
          });
          const leave = new AbortController();
          const content = script({ calls: [{ name: 'patient', arguments: {} }] });
          const body = { model: 'react', messages: [{ role: 'user' as const, content }], stream };
          const request = client.chat.completions.create(
            { ...body, metadata: { chat_id: chat } },
            { signal: leave.signal },
          );
          const statusOf = async () =>
            (await server.api.get(`/chats/${chat}`)).body.status as string;
          await eventually(async () => (await statusOf()) === 'RUNNING');
          const read = async (): Promise<void> => {
            const reply = await request;
            if (!('choices' in reply)) await readAll(reply);
          };
          const failed = read().catch(() => {});
          leave.abort();
          await failed;
          await eventually(async () => (await statusOf()) === 'CANCELLED');
        },
      );
    });
  });
}

const calculate = (expression: string) => ({ name: 'calculator', arguments: { expression } });
interface Chat {
  readonly id: string;
  readonly messages: readonly object[];
  readonly interactions: readonly {
    readonly id: string;
    readonly user_message: string;
    readonly superseded_at: string | null;
  }[];
}

interface Sent {
  readonly messages: readonly ChatBody[];
}

interface Pending {
  readonly id: string;
  readonly chat_id: string;
  readonly interaction_id: string;
}

function idsIn({ interactions }: Chat): string[] {
  return interactions.map(({ id }) => id);
}

async function readAll(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
