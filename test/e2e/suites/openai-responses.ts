import OpenAI from 'openai';
import { OpenAI7 } from '../../clients/openai-7.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import { script } from '../../support/model/scripted-answers.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

type Response = OpenAI.Responses.Response;
type Event = OpenAI.Responses.ResponseStreamEvent;

const OPEN_DOOR = {
  ...{ type: 'function' as const, name: 'open_door', description: 'Opens.', strict: false },
  parameters: { type: 'object', properties: { door: { type: 'string' } } },
};
const calculate = (expression: string) => ({ name: 'calculator', arguments: { expression } });

const CLIENTS = [
  ['openai 6', OpenAI],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI],
] as const;

export function describeOpenAiResponses(servers: Servers): void {
  describe.each(CLIENTS)('Responses of %s', (name, Client) => {
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server, person) => {
      const mark = ` (${name})`;
      const chat = (what: string) => `${what}-${name.replace(' ', '-')}`;
      const client = () =>
        new Client({ baseURL: `${server.api.url}/v1`, apiKey: 'none', maxRetries: 0 });
      const play = (...turns: readonly FakeTurn[]) =>
        script(...turns, { text: 'Done.' }, { text: mark });
      const ask = (input: OpenAI.Responses.ResponseInput | string, more: object = {}) =>
        client().responses.create({ model: 'react', input, ...more }) as Promise<Response>;
      const stream = (input: OpenAI.Responses.ResponseInput | string, more: object = {}) =>
        client().responses.stream({ model: 'react', input, ...more });

      it('give what the agent says, thinks and calls, as items', async () => {
        const response = await ask(
          play({ thinking: 'Let me see.', text: 'Wait.', calls: [calculate('6*7')] }),
        );
        expect(response).toMatchObject({ object: 'response', status: 'completed', error: null });
        expect(response.output_text).toBe('Wait.Done.');
        expect(response.output).toMatchObject([
          { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Let me see.' }] },
          { type: 'message', status: 'completed', content: [{ text: 'Wait.' }] },
          { type: 'mcp_call', server_label: 'parley', name: 'calculator', output: '42' },
          { type: 'message', status: 'completed', content: [{ text: 'Done.' }] },
        ]);
        expect(response.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
        expect(await client().responses.retrieve(response.id)).toEqual(response);
      });

      it('stream them as the helper of the package takes them, and replay them', async () => {
        const run = stream(
          play({ thinking: 'Let me see.', text: 'Wait.', calls: [calculate('6*7')] }),
        );
        const events: Event[] = [];
        for await (const event of run) events.push(event);
        const final = await run.finalResponse();
        expect(final.output_text).toBe('Wait.Done.');
        const numbers = events.map((event) => event.sequence_number);
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
        const again = client().responses.stream({ response_id: final.id });
        expect((await again.finalResponse()).output).toEqual(final.output);
      });

      it('go on after each event that a reader has', async () => {
        const run = await client().responses.create({
          ...{ model: 'react', stream: true },
          input: play({ thinking: 'Let me see.', text: 'Wait.', calls: [calculate('6*7')] }),
        });
        const events = await read(run);
        const { id } = (events[0] as { readonly response: Response }).response;
        const whole = foldTexts(events);
        for (const [index, { sequence_number }] of events.entries()) {
          const rest = await client().responses.retrieve(id, {
            ...{ stream: true, starting_after: sequence_number },
          });
          const after = await read(rest);
          expect([index, foldTexts([...events.slice(0, index + 1), ...after])]).toEqual([
            ...[index, whole],
          ]);
          const all = [...events.slice(0, index + 1), ...after];
          expect(typesOf(all).toSorted()).toEqual(typesOf(events).toSorted());
        }
      });

      it('can be left and read again while the model still writes', async () => {
        const held = new Gate();
        server.fake.reply({ text: ['Hel', held, 'lo.'], chunk_size: 3 });
        const run = await client().responses.create({
          ...{ model: 'react', input: `Hi${mark}`, stream: true, background: true },
        });
        const events: Event[] = [];
        for await (const event of run) {
          events.push(event);
          if (event.type === 'response.output_text.delta') break;
        }
        const [{ response }] = events as unknown as [{ readonly response: Response }];
        expect((await client().responses.retrieve(response.id)).status).toBe('in_progress');
        const rest = await client().responses.retrieve(response.id, {
          ...{ stream: true, starting_after: events.at(-1)!.sequence_number },
        });
        held.open();
        expect(foldTexts([...events, ...(await read(rest))])).toEqual(['Hello.']);
      });

      it('fork after an older response, and go on after the last', async () => {
        const one = await ask(`One${mark}`);
        const two = await ask('Two', { previous_response_id: one.id });
        const three = await ask('Three', { previous_response_id: two.id });
        const other = await ask('Another two', { previous_response_id: one.id });
        const id = one.conversation!.id;
        expect([two, three, other].map(({ conversation }) => conversation!.id)).toEqual([
          id,
          id,
          id,
        ]);
        const active = (await server.api.get(`/chats/${id}`)).body.interactions as Said[];
        expect(active.map(({ user_message }) => user_message)).toEqual([
          `One${mark}`,
          'Another two',
        ]);
        const four = await ask('Four', { previous_response_id: three.id });
        expect(four.status).toBe('completed');
        const now = (await server.api.get(`/chats/${id}`)).body.interactions as Said[];
        expect(now.map(({ user_message }) => user_message)).toEqual([
          ...[`One${mark}`, 'Two', 'Three', 'Four'],
        ]);
        const in_chat = await ask('Five', { conversation: id });
        expect(in_chat.conversation).toEqual({ id });
        const previous = [one, two, three, other, four, in_chat].map(
          (each) => each.previous_response_id,
        );
        expect(previous).toEqual([null, one.id, two.id, one.id, three.id, null]);
      });

      it('tell which response they follow, also when they are read later', async () => {
        const metadata = { topic: 'doors' };
        const one = await ask(`First${mark}`, { metadata });
        const run = stream('Second', { previous_response_id: one.id, metadata });
        const [created] = await read(run);
        const two = await run.finalResponse();
        expect(created).toMatchObject({ response: { previous_response_id: one.id } });
        for (const response of [two, await client().responses.retrieve(two.id)])
          expect(response).toMatchObject({ previous_response_id: one.id, metadata });
      });

      it('are there only as far as the interaction has got', async () => {
        const question = { name: 'ask_human', arguments: { question: 'Which city?' } };
        const first = await ask(play({ calls: [question] }));
        const second = await ask('Bonn', { previous_response_id: first.id });
        expect((await client().responses.retrieve(second.id)).output_text).toBe('Done.');
        const { responses } = client();
        const at = Number(second.id.split('.')[1]);
        for (const id of [`${first.id}.99`, `${first.id}.${at - 1}`, `${first.id}.${at + 1}`])
          for (const [request, param] of [
            [() => responses.retrieve(id), null],
            [() => responses.retrieve(id, { stream: true }), null],
            [() => responses.inputItems.list(id), null],
            [() => responses.cancel(id), null],
            [() => responses.delete(id), null],
            [() => ask('So?', { previous_response_id: id }), 'previous_response_id'],
          ] as const)
            await expect(request()).rejects.toMatchObject({
              ...{ status: 404, code: 'response_not_found', param },
              message: expect.stringContaining(second.id),
            });
      });

      it('name the response that goes on after a decision that is made elsewhere', async () => {
        const conversation = chat('elsewhere');
        await makeToolAsk(server.api, conversation, 'calculator');
        const one = { calls: [calculate('6*7')] };
        const first = await ask(play(one, one), { conversation, metadata: { topic: 'sums' } });
        const ids = [first.id];
        for (const status of ['incomplete', 'completed'] as const) {
          const waiting = await client().responses.retrieve(ids.at(-1)!);
          const { topic, next_response_id: next } = waiting.metadata!;
          expect([waiting.status, topic]).toEqual(['incomplete', 'sums']);
          const queued = await client().responses.retrieve(next!);
          expect(queued).toMatchObject({ status: 'queued', output: [], metadata: { topic } });
          const events = await client().responses.retrieve(next!, { stream: true });
          const { items } = (await person.inbox(`status=pending&chat_id=${conversation}`)).body;
          const [{ id: approval_id, interaction_id: id }] = items;
          expect((await person.approve({ chat_id: conversation, id }, approval_id)).status).toBe(
            200,
          );
          const last = (await read(events)).at(-1) as { readonly response: Response };
          const rest = await client().responses.retrieve(next!);
          expect(last.response).toMatchObject({ id: next, status, output: rest.output });
          expect(rest).toMatchObject({ status, previous_response_id: ids.at(-1) });
          expect(rest.output[0]).toMatchObject({ type: 'mcp_call', output: '42' });
          expect(await client().responses.retrieve(ids.at(-1)!)).toEqual(waiting);
          ids.push(next!);
        }
        const whole = await client().responses.retrieve(ids.at(-1)!);
        expect(whole).toMatchObject({ output_text: 'Done.', metadata: { topic: 'sums' } });
        expect(whole.metadata).not.toHaveProperty('next_response_id');
      });

      it('go on with the outputs of several calls, at once or one by one', async () => {
        const open = (door: string) => ({ name: 'open_door', arguments: { door } });
        const begin = async () => {
          const input = play({ calls: [open('front'), open('back')] });
          const { id, output } = await ask(input, { tools: [OPEN_DOOR] });
          const [front, back] = output.map((each) => {
            const { call_id } = each as { readonly call_id: string };
            return { type: 'function_call_output' as const, call_id, output: 'open' };
          });
          return { id, front: front!, back: back! };
        };
        const whole = { status: 'completed', output_text: 'Done.' };
        const { id, front, back } = await begin();
        const both = await ask([front, back], { previous_response_id: id });
        expect(both).toMatchObject({ ...whole, previous_response_id: id });
        expect(await ask([front, back], { previous_response_id: id })).toEqual(both);
        const run = stream([back], { previous_response_id: both.id });
        expect(await run.finalResponse()).toMatchObject({ ...whole, id: both.id });

        const other = await begin();
        for (const _ of ['once', 'again']) {
          const half = await ask([other.front]);
          expect(half).toMatchObject({ status: 'incomplete', output: [] });
          const now = await client().responses.retrieve(half.id);
          expect(now).toEqual({ ...half, status: 'queued', usage: null });
          const { id: same, status } = await stream([other.front]).finalResponse();
          expect([same, status]).toEqual([half.id, 'incomplete']);
        }
        const rest = await ask([other.back], { previous_response_id: other.id });
        expect(rest).toMatchObject({ ...whole, previous_response_id: other.id });
        for (const given of [[other.front], [other.front, other.back]])
          expect(await ask(given)).toEqual(rest);
        const { data } = await client().responses.inputItems.list(rest.id, { order: 'asc' });
        expect(data).toMatchObject([other.front, other.back]);
        await expect(ask([{ ...other.back, output: 'shut' }])).rejects.toMatchObject({
          ...{ status: 400, code: 'already_processed' },
        });
      });

      it('ask for approvals, which go on with a verdict', async () => {
        for (const approve of [true, false]) {
          const conversation = `${chat('approve')}-${approve}`;
          await makeToolAsk(server.api, conversation, 'calculator');
          const first = await stream(play({ calls: [calculate('6*7')] }), {
            conversation,
          }).finalResponse();
          expect(first).toMatchObject({ status: 'incomplete', incomplete_details: null });
          expect(first.output).toMatchObject([
            { type: 'mcp_approval_request', server_label: 'parley', name: 'calculator' },
          ]);
          const approval_request_id = first.output[0]!.id!;
          const verdict = { type: 'mcp_approval_response' as const, approval_request_id, approve };
          const given = [{ ...verdict, reason: 'Because.' }];
          const second = await stream(given, { previous_response_id: first.id }).finalResponse();
          expect(second.status).toBe('completed');
          expect(second.output).toMatchObject([
            { type: 'mcp_call', approval_request_id, status: approve ? 'completed' : 'failed' },
            { type: 'message' },
          ]);
          const again = await ask(given, { previous_response_id: first.id });
          expect(again).toEqual(await client().responses.retrieve(second.id));
          expect(again).toMatchObject({ id: second.id, previous_response_id: first.id });
          expect(await ask(given, { conversation })).toEqual(again);
          const other = [{ ...verdict, approve: !approve }];
          await expect(ask(other, { previous_response_id: first.id })).rejects.toMatchObject({
            ...{ status: 400, code: 'already_processed' },
            message: expect.stringContaining(approve ? 'was approved by' : 'was rejected by'),
          });
          const { data } = await client().responses.inputItems.list(second.id);
          expect(data).toMatchObject([{ type: 'mcp_approval_response', approve }]);
        }
      });

      it('refuse a verdict on the call of another conversation', async () => {
        const [mine, other] = [chat('mine'), chat('other')];
        for (const each of [mine, other]) await makeToolAsk(server.api, each, 'calculator');
        const asked = await ask(play({ calls: [calculate('1+1')] }), { conversation: mine });
        const elsewhere = await ask(play({ calls: [calculate('1+1')] }), { conversation: other });
        const approval_request_id = asked.output[0]!.id!;
        const verdict = { type: 'mcp_approval_response' as const, approval_request_id };
        await expect(
          ask([{ ...verdict, approve: true }], { previous_response_id: elsewhere.id }),
        ).rejects.toMatchObject({ status: 404, code: 'request_not_found' });
        for (const { conversation } of [asked, elsewhere]) {
          const { items } = (await person.inbox(`chat_id=${conversation!.id}`)).body;
          expect(items).toHaveLength(1);
        }
      });

      it('ask questions as text, which the next message answers', async () => {
        const question = { question: 'Which city?', options: ['Bonn', 'Trier'] };
        const first = await ask(play({ calls: [{ name: 'ask_human', arguments: question }] }));
        expect(first).toMatchObject({
          ...{ status: 'incomplete', output_text: 'Which city?\n- Bonn\n- Trier' },
        });
        const second = await ask('Bonn', { previous_response_id: first.id });
        expect(second).toMatchObject({ status: 'completed', output_text: 'Done.' });
        expect(second.conversation).toEqual(first.conversation);
      });

      it('run in the background, can be cancelled, and deleted', async () => {
        const input = play({ calls: [{ name: 'patient', arguments: {} }] });
        const begun = await ask(input, { background: true });
        expect(['queued', 'in_progress']).toContain(begun.status);
        const status = async () => (await client().responses.retrieve(begun.id)).status;
        await eventually(async () => (await status()) === 'in_progress');
        expect(await client().responses.cancel(begun.id)).toMatchObject({ status: 'cancelled' });
        await client().responses.delete(begun.id);
        await expect(client().responses.retrieve(begun.id)).rejects.toMatchObject({
          ...{ status: 404, code: 'response_not_found' },
        });
      });

      it('leave no item open after a turn that is tried again', async () => {
        server.fake.reply({ text: ['Half an ans', { cut: true }] });
        server.fake.reply({ text: 'A whole one.' });
        const run = stream(`Again${mark}`);
        const final = await run.finalResponse();
        expect(final.output_text).toContain('A whole one.');
        expect(
          final.output.every((each) => !('status' in each) || each.status !== 'in_progress'),
        ).toBe(true);
        expect((await client().responses.retrieve(final.id)).output_text).toBe('A whole one.');
      });

      it('tell why a model did not answer', async () => {
        const response = await ask(play({ status: 400 }));
        expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
      });

      it('pass sampling and the limit of tokens on to the model', async () => {
        await ask('Hi', { temperature: 0.2, top_p: 0.5, max_output_tokens: 50 });
        expect(server.fake.requests.at(-1)!.body).toMatchObject({
          ...{ temperature: 0.2, top_p: 0.5, max_tokens: 50 },
        });
      });

      it.each([{ text: { format: { type: 'text' } } }, { text: { verbosity: 'medium' } }])(
        'take %j, which changes nothing',
        async (more) => {
          expect((await ask('Hi', more)).status).toBe('completed');
        },
      );

      it('tell which formats there are', async () => {
        for (const format of [{ type: 'json_object' }, { type: 'json_schema', schema: 1 }])
          await expect(ask('Hi', { text: { format } })).rejects.toThrow(
            /only {"type":"text"} is supported.* declare a function/,
          );
        await expect(ask('Hi', { text: { format: 'json' } })).rejects.toMatchObject({
          ...{ status: 400, code: 'invalid_body', param: 'text.format' },
        });
      });

      it.each([
        [{ tools: [{ type: 'web_search' }] }, 'tools.0'],
        [{ text: { format: { type: 'json_object' } } }, 'text.format.type'],
        [
          { text: { format: { type: 'json_schema', name: 'a', schema: {} } } },
          'text.format.schema',
        ],
        [{ text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema'],
        [{ text: { verbosity: 'low' } }, 'text.verbosity'],
        [{ parallel_tool_calls: false }, 'parallel_tool_calls'],
      ])('refuse %j, which agents can not honour', async (more, param) => {
        await expect(ask('Hi', more)).rejects.toMatchObject({
          ...{ status: 400, code: 'unsupported_parameter', param },
        });
      });
    });
  });
}

interface Said {
  readonly user_message: string;
}

async function read(run: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** Texts of messages, put together of their pieces. */
function foldTexts(events: readonly Event[]): string[] {
  const texts: string[] = [];
  for (const event of events) {
    if (event.type === 'response.output_item.added') texts.push('');
    if (
      event.type === 'response.output_text.delta' ||
      event.type === 'response.reasoning_text.delta'
    )
      texts[event.output_index] += event.delta;
  }
  return texts;
}

/** Without deltas, of which there may be more or fewer. */
function typesOf(events: readonly Event[]): string[] {
  return events.map(({ type }) => type).filter((type) => !type.endsWith('.delta'));
}
