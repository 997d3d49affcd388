import OpenAI from 'openai';
import type { Scope } from '../../../src/auth/principal.js';
import type { Servers } from '../servers.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import { script } from '../../support/model/scripted-answers.js';
import { withPeople } from '../with-people.js';
import { ADMIN_KEY, WITH_KEYS, makeKey } from '../with-keys.js';

const MIB = 1024 * 1024;
const BOTH: readonly Scope[] = ['chat', 'decide'];

const idOf = ({ id }: { readonly id: string }) => id.replace('chatcmpl-', '');

/** What is the same for all façades, by way of the one for OpenAI's clients. */
export function describeFacades(servers: Servers): void {
  describe('A façade', () => {
    servers.run(WITH_KEYS, (server) => {
      it('answers in the error shape of its protocol, whatever refuses a request', async () => {
        const { key } = await makeKey(server.api, ['chat']);
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const post = (body: string, more: object = {}): RequestInit => {
          return { method: 'POST', body, headers: { ...headers, ...more } };
        };
        const wrong = { authorization: 'Bearer wrong' };
        for (const [path, init, status, code] of [
          ['models', {}, 401, 'unauthenticated'],
          ['models', { headers: wrong }, 401, 'invalid_credential'],
          ['models', post('{}', { origin: 'https://x.example' }), 403, 'cross_site_request'],
          ['nothing', { headers }, 404, 'not_found'],
          ['models/none', { headers }, 404, 'model_not_found'],
          ['models', post('{}'), 405, 'method_not_allowed'],
          ['models', post('{"a":'), 400, 'malformed_json'],
          ['models', post('x', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
          ['models', post(' '.repeat(4 * MIB + 1)), 413, 'body_too_large'],
        ] as const) {
          const response = await fetch(`${server.api.url}/v1/${path}`, init);
          const { error } = (await response.json()) as { error: object };
          expect([path, response.status, error]).toEqual([
            ...[path, status],
            expect.objectContaining({ code, message: expect.stringMatching(/./) }),
          ]);
          expect(response.headers.get('content-type')).toMatch(/^application\/json/);
        }
      });

      it('shows agents as models', async () => {
        const { key: apiKey } = await makeKey(server.api, ['chat']);
        const client = new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey, maxRetries: 0 });
        const { data } = await client.models.list();
        expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['coder', 'react']));
        const named = await client.models.retrieve('react:openai/fake');
        expect(named).toMatchObject({ id: 'react:openai/fake', object: 'model' });
        await expect(client.models.retrieve('gpt')).rejects.toMatchObject({
          ...{ status: 404, code: 'model_not_found', param: 'model' },
          message: expect.stringContaining('react'),
        });
      });
    });

    withPeople(servers, WITH_KEYS, (server) => {
      const clientOf = async (user_id: string, tenant_id = 'default', scopes = BOTH) => {
        const { key: apiKey } = await makeKey(server.api, scopes, { user_id, tenant_id });
        return new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey, maxRetries: 0 });
      };
      const strangers = () => Promise.all([clientOf('ben'), clientOf('ann', 'another')]);
      const door = { calls: [{ name: 'open_door', arguments: {} }] };
      const tools = [{ type: 'function' as const, function: { name: 'open_door' } }];

      it('matches the history of its user only', async () => {
        const ann = await clientOf('ann');
        const said: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Mine' }];
        const first = await ann.chat.completions.create({ model: 'react', messages: said });
        const history = [...said, first.choices[0]!.message];
        const next = { role: 'user' as const, content: 'And then?' };
        const { conversation: mine } = await ann.responses.retrieve(`resp_${idOf(first)}`);
        const api = server.api.bearing(String(ann.apiKey));
        const path = `/chats/${mine!.id}`;
        expect((await api.patch(path, { visibility: 'tenant' })).status).toBe(200); // may be read
        for (const stranger of await strangers()) {
          const messages = [...history, next];
          const reply = await stranger.chat.completions.create({ model: 'react', messages });
          const { conversation } = await stranger.responses.retrieve(`resp_${idOf(reply)}`);
          expect(conversation!.id).toBeDefined();
          const chat = await api.get(`${path}?include=superseded`);
          expect(chat.body.interactions).toHaveLength(1);
          await expect(ann.responses.retrieve(`resp_${idOf(reply)}`)).rejects.toMatchObject({
            status: 404,
          });
        }
      });

      it('begins chats with long histories, which are exported and imported', async () => {
        const admin = server.api.bearing(ADMIN_KEY);
        const history: OpenAI.ChatCompletionMessageParam[] = Array.from(
          { length: 1_500 },
          (_, at) => {
            return { role: at % 2 === 0 ? 'user' : 'assistant', content: `Message ${at}` };
          },
        );
        const ann = await clientOf('ann');
        const messages = [...history, { role: 'user' as const, content: 'And?' }];
        const reply = await ann.chat.completions.create({ model: 'react', messages });
        const { conversation } = await ann.responses.retrieve(`resp_${idOf(reply)}`);
        const path = `/chats/${conversation!.id}/log`;
        const log = await (await server.api.bearing(String(ann.apiKey)).fetch(path)).text();
        const headers = { 'content-type': 'application/x-ndjson' };
        const imported = await admin.post('/chats/import?chat_id=imported', log, headers);
        expect(imported.status).toBe(201);
        const { body } = await admin.get('/chats/imported');
        expect(body.messages).toHaveLength(1_500);
      });

      it('takes no result, and no verdict, of those who do not see the chat', async () => {
        const ann = await clientOf('ann');
        const messages = [{ role: 'user' as const, content: script(door) }];
        const asked = await ann.chat.completions.create({ model: 'react', messages, tools });
        const { message } = asked.choices[0]!;
        const tool_call_id = message.tool_calls![0]!.id;
        const result = { role: 'tool' as const, tool_call_id, content: 'open' };
        const body = { model: 'react', messages: [...messages, message, result] };
        for (const stranger of await strangers())
          await expect(stranger.chat.completions.create(body)).rejects.toMatchObject({
            status: 404,
          });
        const done = await ann.chat.completions.create(body);
        expect(done.choices[0]!.message.content).toBe('Done.');
      });

      it('needs the scope `decide` for a verdict, an answer and a result', async () => {
        const chat = await clientOf('ann', 'default', ['chat']);
        const model = 'react';
        const question = { calls: [{ name: 'ask_human', arguments: { question: 'Which?' } }] };
        const asked = await chat.responses.create({ model, input: script(question) });
        const messages = [{ role: 'user' as const, content: script(question, { text: 'B' }) }];
        const inChat = await chat.chat.completions.create({ model, messages });
        const call = await chat.chat.completions.create({
          ...{ model, tools, messages: [{ role: 'user', content: script(door) }] },
        });
        const { message } = call.choices[0]!;
        const tool_call_id = message.tool_calls![0]!.id;
        const answer = { role: 'user' as const, content: 'This' };
        const refused = { status: 403, code: 'missing_scope' };
        await expect(
          chat.responses.create({ model, input: 'This', previous_response_id: asked.id }),
        ).rejects.toMatchObject(refused);
        const answered = [...messages, inChat.choices[0]!.message, answer];
        await expect(
          chat.chat.completions.create({ model, messages: answered }),
        ).rejects.toMatchObject(refused);
        const result = { role: 'tool' as const, tool_call_id, content: 'open' };
        await expect(
          chat.chat.completions.create({ model, messages: [message, result] }),
        ).rejects.toMatchObject(refused);
        const item = { type: 'function_call_output' as const, call_id: tool_call_id };
        await expect(
          chat.responses.create({ model, input: [{ ...item, output: 'open' }] }),
        ).rejects.toMatchObject(refused);
        const verdict = { type: 'mcp_approval_response' as const, approval_request_id: 'x' };
        await expect(
          chat.responses.create({ model: 'react', input: [{ ...verdict, approve: true }] }),
        ).rejects.toMatchObject({ status: 403, code: 'missing_scope' });
      });
    });

    servers.run({}, (server) => {
      it.each([
        ['/v1', '/v1/responses', (message: object) => ({ error: { message, param: null } })],
        ['/ai-sdk', '/ai-sdk/chat', (message: object) => message],
        ['/ag-ui', '/ag-ui/{agent}', (message: object) => ({ error: 'not_found', message })],
        [
          '/copilotkit/none',
          '/copilotkit/info',
          (message: object) => ({ error: 'not_found', message }),
        ],
        ['/langgraph', '/langgraph/threads', (detail: object) => ({ error: 'not_found', detail })],
        ['/mcp/none', '/mcp', (message: object) => ({ jsonrpc: '2.0', error: { message } })],
        ['/a2a', '/a2a/{agent}', (message: object) => ({ error: { code: 404, message } })],
      ])('tells at %s in its own shape which paths there are', async (prefix, known, toBody) => {
        const deep = `${prefix}/no/such/path`;
        for (const path of [prefix, `${prefix}/`, deep, deep.toUpperCase()])
          for (const method of ['GET', 'POST']) {
            const response = await fetch(`${server.api.url}${path}`, { method });
            const text = await response.text();
            const isText = response.headers.get('content-type')!.startsWith('text/');
            const message = expect.stringContaining(`There is no ${method} ${path}. Paths here: `);
            expect({
              status: response.status,
              body: isText ? text : JSON.parse(text),
            }).toMatchObject({ status: 404, body: toBody(message) });
            expect(text.split(/[ ,."]+/)).toContain(known);
          }
      });
    });

    withPeople(servers, {}, (server) => {
      it('takes what the API takes, and no more', async () => {
        const client = new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey: 'x', maxRetries: 0 });
        const tool = (at: number, parameters = {}) => {
          return { type: 'function' as const, function: { name: `tool_${at}`, parameters } };
        };
        const start = (more: object) => {
          const messages = [{ role: 'user' as const, content: 'Hi' }];
          return client.chat.completions.create({ model: 'react', messages, ...more });
        };
        const refused = { status: 400, code: 'invalid_body' };
        for (const more of [
          { metadata: { long: 'x'.repeat(16_385) } },
          { tools: Array.from({ length: 65 }, (_, at) => tool(at)) },
          { tools: [tool(1), tool(1)] },
        ])
          await expect(start(more)).rejects.toMatchObject(refused);
        const ask = (calls: FakeTurn['calls'], more: object = {}) =>
          client.responses.create({ model: 'react', input: script({ calls }), ...more });
        const question = { name: 'ask_human', arguments: { question: 'Which?' } };
        const { id: previous_response_id } = await ask([question]);
        const answer = { model: 'react', input: 'x'.repeat(100_001), previous_response_id };
        await expect(client.responses.create(answer)).rejects.toMatchObject(refused);
        const tools = [{ type: 'function', name: 'open_door', parameters: {} }];
        const called = await ask([{ name: 'open_door', arguments: {} }], { tools });
        const [call] = called.output.filter(({ type }) => type === 'function_call');
        const { call_id } = call as OpenAI.Responses.ResponseFunctionToolCall;
        const output = { type: 'function_call_output' as const, call_id };
        const given = [{ ...output, output: 'x'.repeat(500_001) }];
        await expect(
          client.responses.create({ model: 'react', input: given }),
        ).rejects.toMatchObject(refused);
      });
    });

    servers.run({ FACADES: 'mcp' }, (server) => {
      it('that is not served has no routes', async () => {
        const reply = await server.api.get('/v1/models');
        expect([reply.status, reply.body.type]).toEqual([404, '/problems/not_found']);
      });
    });
  });
}
