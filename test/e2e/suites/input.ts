/// <reference lib="es2024.string" />
import { EventReader } from '../../support/client/event-reader.js';
import { delta } from '../../support/model/fake-openai-turn.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

interface BadRequest {
  readonly name: string;
  readonly method?: 'GET' | 'PATCH';
  readonly path?: string;
  readonly body?: Readonly<Record<string, unknown>> | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly type: string;
  readonly field?: string;
}

const START = '/chats/bad/interactions';
const DEEP = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;
const BAD_REQUESTS: readonly BadRequest[] = [
  { name: 'no body', type: 'invalid_body', field: 'user_message' },
  { name: 'no message', body: {}, type: 'invalid_body', field: 'user_message' },
  {
    name: 'an empty message',
    body: { user_message: '' },
    type: 'invalid_body',
    field: 'user_message',
  },
  {
    name: 'a blank message',
    body: { user_message: ' \n\t' },
    type: 'invalid_body',
    field: 'user_message',
  },
  {
    name: 'a message that is a number',
    body: { user_message: 42 },
    type: 'invalid_body',
    field: 'user_message',
  },
  {
    name: 'a message that is a list',
    body: { user_message: ['Hi'] },
    type: 'invalid_body',
    field: 'user_message',
  },
  {
    name: 'a message that is null',
    body: { user_message: null },
    type: 'invalid_body',
    field: 'user_message',
  },
  {
    name: 'an unknown field',
    body: { user_message: 'Hi', user_mesage: 'Hi' },
    type: 'invalid_body',
    field: 'user_mesage',
  },
  {
    name: 'an unknown agent',
    body: { user_message: 'Hi', agent: 'bot' },
    type: 'unknown_agent',
    field: 'agent',
  },
  {
    name: 'an unknown provider',
    body: { user_message: 'Hi', model: 'nobody/gpt' },
    type: 'unknown_model',
    field: 'model',
  },
  {
    name: 'a model without provider',
    body: { user_message: 'Hi', model: 'gpt' },
    type: 'unknown_model',
    field: 'model',
  },
  {
    name: 'max_iterations 0',
    body: { user_message: 'Hi', max_iterations: 0 },
    type: 'invalid_body',
    field: 'max_iterations',
  },
  {
    name: 'max_iterations as text',
    body: { user_message: 'Hi', max_iterations: '3' },
    type: 'invalid_body',
    field: 'max_iterations',
  },
  {
    name: 'max_iterations 1.5',
    body: { user_message: 'Hi', max_iterations: 1.5 },
    type: 'invalid_body',
    field: 'max_iterations',
  },
  {
    name: 'an odd on_disconnect',
    body: { user_message: 'Hi', on_disconnect: 'wait' },
    type: 'invalid_body',
    field: 'on_disconnect',
  },
  {
    name: 'metadata that is a list',
    body: { user_message: 'Hi', metadata: [] },
    type: 'invalid_body',
    field: 'metadata',
  },
  {
    name: 'too much metadata',
    body: { user_message: 'Hi', metadata: { a: 'x'.repeat(20_000) } },
    type: 'invalid_body',
    field: 'metadata',
  },
  {
    name: 'a message of 2 MB',
    body: { user_message: 'x'.repeat(2_000_000) },
    status: 413,
    type: 'body_too_large',
  },
  {
    name: 'a message with U+0000',
    body: { user_message: 'Hi\0there' },
    type: 'invalid_text',
    field: 'user_message',
  },
  {
    name: 'metadata with U+0000',
    body: { user_message: 'Hi', metadata: { a: ['\0'] } },
    type: 'invalid_text',
    field: 'metadata.a.0',
  },
  {
    name: 'a key with U+0000',
    body: '{"user_message":"Hi","metadata":{"\\u0000":1}}',
    type: 'invalid_text',
    field: 'metadata.\\u0000',
  },
  { name: 'JSON that breaks off', body: '{"user_message": "Hi"', type: 'malformed_json' },
  { name: 'JSON that is a text', body: '"Hi"', type: 'invalid_body' },
  { name: 'JSON that is null', body: 'null', type: 'invalid_body' },
  { name: 'JSON that is a list', body: '[{"user_message":"Hi"}]', type: 'invalid_body' },
  ...['1234567890123456789', '1e400', '0.12345678901234567890'].map((number) => ({
    name: `the number ${number}, which would be changed`,
    body: `{"user_message":"Hi","metadata":{"id":${number}}}`,
    type: 'inexact_number',
  })),
  {
    name: 'JSON that is nested too deep',
    body: `{"user_message":"Hi","metadata":${DEEP}}`,
    type: 'too_deep',
  },
  {
    name: 'a body that is not JSON',
    body: 'user_message=Hi',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    type: 'unsupported_media_type',
  },
  {
    name: 'JSON that says it is text',
    body: '{"user_message":"Hi"}',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    type: 'unsupported_media_type',
  },
  {
    name: 'a chat id with a dot',
    path: '/chats/a.b/interactions',
    body: { user_message: 'Hi' },
    type: 'invalid_path',
    field: 'chat_id',
  },
  {
    name: 'a chat id with a slash',
    path: '/chats/a%2Fb/interactions',
    body: { user_message: 'Hi' },
    type: 'invalid_path',
    field: 'chat_id',
  },
  {
    name: 'a chat id that is too long',
    path: `/chats/${'x'.repeat(65)}/interactions`,
    body: { user_message: 'Hi' },
    type: 'invalid_path',
    field: 'chat_id',
  },
  {
    name: 'a chat id with U+0000',
    path: '/chats/a%00b/interactions',
    body: { user_message: 'Hi' },
    type: 'invalid_text',
  },
  {
    name: 'a chat id that is not UTF-8',
    path: '/chats/%ff/interactions',
    body: { user_message: 'Hi' },
    type: 'malformed_url',
  },
  {
    name: 'an odd trace',
    path: `${START}?trace=yes`,
    body: { user_message: 'Hi' },
    type: 'invalid_query',
    field: 'trace',
  },
  {
    name: 'an unknown query',
    path: `${START}?stream=1`,
    body: { user_message: 'Hi' },
    type: 'invalid_query',
    field: 'stream',
  },
  {
    name: 'a new chat with an odd id',
    path: '/chats',
    body: { id: 'ü' },
    type: 'invalid_body',
    field: 'id',
  },
  {
    name: 'a new chat with an unknown agent',
    path: '/chats',
    body: { agent: 'bot' },
    type: 'unknown_agent',
    field: 'agent',
  },
  {
    name: 'a new chat with a long title',
    path: '/chats',
    body: { title: 'x'.repeat(501) },
    type: 'invalid_body',
    field: 'title',
  },
  {
    name: 'a title that is a number',
    method: 'PATCH',
    path: '/chats/bad',
    body: { title: 1 },
    type: 'invalid_body',
    field: 'title',
  },
  {
    name: 'a change of what never changes',
    method: 'PATCH',
    path: '/chats/bad',
    body: { id: 'other' },
    type: 'invalid_body',
    field: 'id',
  },
  { name: 'limit 0', method: 'GET', path: '/chats?limit=0', type: 'invalid_query', field: 'limit' },
  {
    name: 'limit 10000',
    method: 'GET',
    path: '/chats?limit=10000',
    type: 'invalid_query',
    field: 'limit',
  },
  {
    name: 'a limit that is no number',
    method: 'GET',
    path: '/chats?limit=many',
    type: 'invalid_query',
    field: 'limit',
  },
  {
    name: 'an odd page cursor',
    method: 'GET',
    path: '/chats?cursor=banana',
    type: 'invalid_query',
    field: 'cursor',
  },
  {
    name: 'an odd interaction id',
    method: 'GET',
    path: `${START}/a.b`,
    type: 'invalid_path',
    field: 'interaction_id',
  },
  {
    name: 'a page before nothing',
    method: 'GET',
    path: '/chats/bad?before=a.b',
    type: 'invalid_query',
    field: 'before',
  },
];

const CEILINGS = { MAX_ITERATIONS: '3', ALLOWED_APPROVAL_MODES: 'deny,ask' };

export function describeInput(servers: Servers): void {
  describe('What the operator bounds', () => {
    withPeople(servers, CEILINGS, (server) => {
      const start = (more: object) =>
        server.api.post('/chats/bounded/interactions', { user_message: 'Hi', ...more });

      it.each([
        [{ max_iterations: 4 }, 'max_iterations', 'at most 3'],
        [{ approval_mode: 'auto' }, 'approval_mode', 'deny, ask'],
        [{ approval_mode: 'defer' }, 'approval_mode', 'deny, ask'],
      ])('is refused beyond that: %j', async (more, field, message) => {
        const refused = await start(more);
        expect(refused.status).toBe(400);
        expect(refused.body).toMatchObject({
          type: '/problems/invalid_body',
          errors: [{ field, message: expect.stringContaining(message) }],
        });
        expect((await server.api.get('/chats/bounded')).status).toBe(404);
      });

      it('is open up to it, and for an agent that has more by itself', async () => {
        const bodies = [
          { max_iterations: 3 },
          { approval_mode: 'deny' },
          { agent: 'coder', max_iterations: 50 },
        ];
        for (const [at, body] of bodies.entries())
          expect(
            (await server.api.say(`open-${at}`, { user_message: 'Hi', ...body })).records.at(-1),
          ).toMatchObject({
            status: 'COMPLETED',
          });
      });
    });
  });

  describe('A bad request', () => {
    servers.run(
      {},
      (server) => {
        it.each(BAD_REQUESTS)('with $name is refused with a problem that says so', async (bad) => {
          const { method = 'POST', path = START, body, headers, status = 400, type, field } = bad;
          const reply = await server.api.send(method, path, { body, headers });
          expect(reply.status).toBe(status);
          expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
          expect(reply.body).toMatchObject({
            type: `/problems/${type}`,
            title: expect.stringMatching(/^[A-Z]/),
            status,
            detail: expect.stringMatching(/\w/),
            instance: path.split('?')[0],
          });
          if (field !== undefined)
            expect(reply.body.errors).toEqual([{ field, message: expect.stringMatching(/\w/) }]);
        });

        it('has written nothing, and asked no model', async () => {
          expect((await server.api.get('/chats')).body).toEqual({ items: [], next_cursor: null });
          expect(server.fake.requests).toEqual([]);
        });

        it('names every field that is wrong', async () => {
          const { body } = await server.api.post(START, {
            user_message: 1,
            agent: 2,
            colour: 'red',
          });
          expect(body.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual([
            'agent',
            'colour',
            'user_message',
          ]);
        });

        it('for a path that does not exist is told where to look', async () => {
          const reply = await server.api.get('/chat');
          expect(reply.status).toBe(404);
          expect(reply.body).toMatchObject({
            status: 404,
            detail: expect.stringContaining('/docs'),
          });
        });
      },
      { isOwn: true },
    );
  });

  describe('Any text', () => {
    servers.run({}, (server) => {
      const said = (chat: string) =>
        server.fake.requests.at(-1)!.body['messages'].at(-1).content ?? chat;

      it.each([
        ['emoji', '👩‍👩‍👧‍👦 and 😀'],
        ['line ends', 'a\r\nb\rc\nd\n\n'],
        ['separators', 'a\u2028b\u2029c\u0085d\u001fe'],
        ['what looks like an event', 'data: x\n\nevent: interaction_complete\ndata: {}\n\n'],
        ['right to left', 'שלום \u202e'],
      ])('arrives as it was sent: %s', async (name, text) => {
        server.fake.reply({ text, chunk_size: 1 });
        const chat = name.replaceAll(' ', '-');
        const reader = await server.api.say(chat, text);
        expect(reader.faults).toEqual([]);
        expect(reader.records[0]).toMatchObject({ user_message: text });
        expect(reader.find('ANSWER')).toMatchObject({ content: text });
        expect(said(chat)).toBe(text);
        const { interactions } = (await server.api.get(`/chats/${chat}`)).body;
        expect(interactions[0]).toMatchObject({
          user_message: text,
          final_agent_state: { messages: [{ content: text }, { content: text }] },
        });
      });

      it('has no half characters: lone surrogates of a client become U+FFFD', async () => {
        const reader = await server.api.say('lone', { user_message: 'a\ud83db\ude00c' });
        expect(reader.records[0]).toMatchObject({ user_message: 'a\ufffdb\ufffdc' });
        expect(said('lone')).toBe('a\ufffdb\ufffdc');
      });

      it('keeps characters whole that the model API sends in halves', async () => {
        const bytes = Buffer.from(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'é😀' } }] })}\n\n`,
        );
        server.fake.reply({
          steps: [
            delta({ content: 'a\ud83d' }),
            delta({ content: '\ude00b' }),
            ...[...bytes].map((byte) => ({ raw: Buffer.from([byte]) })),
            delta({}, 'stop'),
            { raw: 'data: [DONE]\n\n' },
          ],
        });
        const frames = await (await server.api.stream('halves', 'Hi')).all();
        const reader = await new EventReader().readAll(frames);
        expect(reader.faults).toEqual([]);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'a😀bé😀' });
        for (const { data } of frames)
          if ('offset' in data) expect(data.delta.isWellFormed()).toBe(true);
      });

      it('of a model may be odd: NUL and half characters go through the log', async () => {
        server.fake.reply({ steps: [delta({ content: 'a\0b\ud83dc' }), delta({}, 'stop')] });
        const reader = await server.api.say('odd', 'Hi');
        expect(reader.faults).toEqual([]);
        const { content } = reader.find('ANSWER')!;
        expect(content).toMatch(/^a\0b.c$/u);
        const of = { chat_id: 'odd', id: reader.records[0]!.interaction_id };
        expect((await server.api.follow(of)).records).toEqual(reader.records);
        const next = await server.api.say('odd', 'And now?');
        expect(next.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      });
    });
  });
}
