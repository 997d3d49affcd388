import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventReader } from '../../support/client/event-reader.js';
import { Following } from '../../support/store/following.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { Person } from '../../support/client/person.js';
import { playScript } from '../../support/model/scripted-answers.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import type { Servers, ServerUnderTest } from '../servers.js';

/** Anything of this form has to be gone before it is kept or sent. */
const CANARY = /CANARY-\d/;
const PATTERNS = [
  { name: 'canary', pattern: 'CANARY-[0-9]+' },
  { name: 'card', pattern: '\\b\\d{4}-\\d{4}\\b', replacement: '****' },
];
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const NDJSON = { 'content-type': 'application/x-ndjson' };
const bash = (command: string) => ({ name: 'bash', arguments: { command } });
const calculate = { name: 'calculator', arguments: { expression: '6*7' } };
const ask = { name: 'ask_human', arguments: { question: 'Which?' } };
const noticesOf = (reader: EventReader) => reader.list('NOTICE').map(({ message }) => message);

/** Everything that clients can read of a chat. */
async function allOf({ api }: ServerUnderTest, chat: string): Promise<string> {
  const log = await (await fetch(`${api.url}/chats/${chat}/log`, { headers: api.headers })).text();
  const replies = await Promise.all(
    [`/chats/${chat}?state=all`, `/requests?chat_id=${chat}`, `/agents/tree?chat_id=${chat}`].map(
      async (path) => JSON.stringify((await api.get(path)).body),
    ),
  );
  return [log, ...replies].join('\n');
}

export function describeRedaction(servers: Servers): void {
  const folder = mkdtempSync(join(tmpdir(), 'parley-redact-'));
  const file = join(folder, 'patterns.json');
  writeFileSync(file, JSON.stringify(PATTERNS));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const env = { REDACT_PATTERNS: file, GUARDRAIL_SECRETS_INPUT: 'true', SANDBOX: 'none' };

  describe('Redaction', () => {
    servers.run(
      env,
      (server) => {
        const person = new Person(() => server.api);
        const sent = () => JSON.stringify(server.fake.requests.map(({ body }) => body));
        const expectClean = async (chat: string, frames: unknown = []) => {
          expect(await allOf(server, chat)).not.toMatch(CANARY);
          expect(JSON.stringify(frames)).not.toMatch(CANARY);
          expect(sent()).not.toMatch(CANARY);
        };
        beforeAll(() => server.fake.otherwise(playScript));

        it('takes matches out of a message before it is saved, hashed or read by a model', async () => {
          const user_message = `I am CANARY-1, CANARY-2, card 1234-5678, key ${GITHUB}.`;
          const key = { 'idempotency-key': 'once' };
          const first = await server.api.begin('message', { user_message }, key);
          const again = await server.api.begin('message', { user_message }, key);
          expect(again.id).toBe(first.id);
          const other = await server.api.post(
            '/chats/message/interactions',
            { user_message: 'I am somebody.' },
            { ...key, accept: 'application/json' },
          );
          expect(other.status).toBe(422);
          const reader = await server.api.follow(first);
          const redacted =
            'I am [redacted: canary], [redacted: canary], card ****, key [redacted: GitHub token].';
          expect(reader.find('INTERACTION_STARTED')?.user_message).toBe(redacted);
          expect(noticesOf(reader)).toEqual([
            'The message was redacted: canary (2×), card (1×), GitHub token (1×).',
          ]);
          expect(sent()).toContain(redacted);
          const edited = await person.edit(first, 'Now CANARY-3');
          await server.api.follow(edited.body);
          expect(sent()).toContain('Now [redacted: canary]');
          expect(sent()).not.toContain(GITHUB);
          await expectClean('message');
        });

        it('takes them out of what a chat starts with', async () => {
          const call = { name: 'calculator', arguments: '{"expression":"CANARY-3"}' };
          const messages = [
            { role: 'user', content: 'I am CANARY-2.' },
            {
              ...{ role: 'assistant', content: null, provider_data: { kept: 'CANARY-3' } },
              tool_calls: [{ id: 'call_1', type: 'function', function: call }],
            },
            { role: 'tool', tool_call_id: 'call_1', content: 'CANARY-4' },
          ];
          const settings = { system_prompt: 'Never say CANARY-1.' };
          await server.api.post('/chats', { id: 'earlier', settings, messages });
          await server.api.say('earlier', { user_message: 'Go' });
          expect(sent()).toContain('Never say [redacted: canary].');
          expect(sent()).toContain('I am [redacted: canary].');
          const later = { settings: { system_prompt: 'Nor CANARY-5.' } };
          const { body } = await server.api.patch('/chats/earlier', later);
          expect(body.settings).toEqual({ system_prompt: 'Nor [redacted: canary].' });
          await expectClean('earlier');
        });

        it.each([1, 7, 1000])(
          'takes them out of deltas and blocks in pieces of %i',
          async (size) => {
            const chat = `pieces-${size}`;
            const long = 'word '.repeat(200);
            const text = `${long}CANARY-1 ${long}CANARY-${'2'.repeat(400)}. ${long}CANARY-3`;
            server.fake.reply({ thinking: `Is it CANARY-4? ${long}`, text, chunk_size: size });
            const frames = await (await server.api.stream(chat, { user_message: 'Go' })).all();
            const reader = await new EventReader().readAll(frames);
            expect(reader.faults).toEqual([]);
            const gone = '[redacted: canary]';
            expect(reader.find('ANSWER')?.content).toBe(
              `${long}${gone} ${long}${gone}. ${long}${gone}`,
            );
            expect(reader.find('THINKING')?.content).toBe(`Is it ${gone}? ${long}`);
            expect(noticesOf(reader)).toEqual([
              'Guardrail patterns: Text was redacted: canary (4×).',
            ]);
            expect(frames.some(({ data }) => data.type === 'TEXT_DELTA')).toBe(true);
            const interaction = { chat_id: chat, id: frames[0]!.data.interaction_id };
            for (const resumed of await resumeAfterEach(server.api, interaction, frames))
              expect([resumed.faults, resumed.records]).toEqual([[], reader.records]);
            await expectClean(chat, frames);
          },
        );

        it('takes them out of what tools print, before the model reads it', async () => {
          const command = `printf 'CANARY'; sleep 0.1; printf -- '-%d and ' 12; printf '%d-%d' 1234 5678`;
          server.fake.reply({ calls: [bash(command)] });
          const body = { user_message: 'Go', approval_mode: 'auto' };
          const frames = await (await server.api.stream('tool', body)).all();
          const reader = await new EventReader().readAll(frames);
          expect(reader.find('TOOL_RESULT')?.tool_output).toBe(
            '[redacted: canary] and ****\n[exit code 0]',
          );
          await expectClean('tool', frames);
        });

        it.each([
          ['as it is', JSON.stringify({ command: 'echo CANARY-1' })],
          ['behind escapes', '{"command":"echo CANARY\\u002d1"}'],
        ])('runs no call with a match in its arguments: %s', async (how, args) => {
          const chat = `arguments-${how.replaceAll(' ', '-')}`;
          server.fake.reply({ calls: [{ name: 'bash', arguments: args }] });
          const body = { user_message: 'Go', approval_mode: 'auto' };
          const frames = await (await server.api.stream(chat, body)).all();
          const reader = await new EventReader().readAll(frames);
          expect(reader.faults).toEqual([]);
          expect(reader.find('TOOL_CALL')?.tool_input).toBe(
            '{"command":"echo [redacted: canary]"}',
          );
          expect(reader.types).not.toContain('TOOL_STARTED');
          expect(reader.find('TOOL_RESULT')).toMatchObject({
            is_error: true,
            tool_output: expect.stringContaining('did not run'),
          });
          await expectClean(chat, frames);
          expect(JSON.stringify(frames)).not.toMatch(/CANARY.{1,8}1/);
        });

        it('takes them out of answers and notes', async () => {
          server.fake.reply({ calls: [ask] });
          const following = await person.say('answer', { user_message: 'Go' });
          const { request_id, agent_id } = await following.record('INPUT_REQUIRED');
          const note = { user_comment: 'See CANARY-1', user_content: 'and CANARY-2' };
          expect((await server.api.post(`/agents/${agent_id}/intervene`, note)).status).toBe(202);
          await person.respond(following.of, request_id, 'It is CANARY-3 CANARY-4');
          const reader = await following.end();
          expect(reader.find('INPUT_RECEIVED')?.answer).toBe(
            'It is [redacted: canary] [redacted: canary]',
          );
          expect(reader.find('AGENT_INTERVENED')).toMatchObject({
            user_comment: 'See [redacted: canary]',
            user_content: 'and [redacted: canary]',
          });
          expect(noticesOf(reader)).toEqual([
            'The answer was redacted: canary (2×).',
            'The note was redacted: canary (2×).',
          ]);
          expect(JSON.stringify((await server.api.get(`/agents/${agent_id}`)).body)).not.toMatch(
            CANARY,
          );
          await expectClean('answer', following.frames);
        });

        it('takes them out of reasons, and refuses changed input that would not run as it is saved', async () => {
          server.fake.reply({ calls: [calculate] });
          const following = await person.say('approve', { user_message: 'Go' });
          const { approval_id } = await following.record('APPROVAL_REQUIRED');
          const modified_input = { expression: 'CANARY-1' };
          const refused = await person.approve(following.of, approval_id, { modified_input });
          expect([refused.status, refused.body.type]).toEqual([400, '/problems/redacted_input']);
          expect(JSON.stringify(refused.body)).not.toMatch(CANARY);
          await person.reject(following.of, approval_id, { reason: 'CANARY-2 said no' });
          const reader = await following.end();
          expect(reader.find('REJECTED')?.reason).toBe('[redacted: canary] said no');
          expect(noticesOf(reader)).toEqual(['The reason was redacted: canary (1×).']);
          await expectClean('approve', following.frames);
        });

        it('takes them out of the results of client tools', async () => {
          const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } };
          server.fake.reply({ calls: [{ name: 'look', arguments: {} }] });
          const body = { user_message: 'Go', client_tools: [tool] };
          const of = await server.api.begin('client', body);
          const following = new Following(server.api, of);
          const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED');
          await person.toolResult(of, { tool_call_id, tool_output: 'CANARY-1' });
          const reader = await following.end();
          expect(reader.find('TOOL_RESULT')?.tool_output).toBe('[redacted: canary]');
          expect(noticesOf(reader)).toEqual([
            'The result of the client was redacted: canary (1×).',
          ]);
          await expectClean('client', following.frames);
        });

        it('takes them out of titles and tasks', async () => {
          await server.api.post('/chats', { id: 'board', title: 'Of CANARY-1' });
          await server.api.patch('/chats/board', { title: 'About CANARY-2' });
          const task = { chat_id: 'board', title: 'CANARY-3', description: 'CANARY-4' };
          const { body } = await server.api.post('/tasks', task);
          expect(body).toMatchObject({ title: '[redacted: canary]' });
          await server.api.patch(`/tasks/${body.id}`, { description: 'Now CANARY-5' });
          const board = JSON.stringify((await server.api.get('/tasks?chat_id=board')).body);
          expect(board).toContain('Now [redacted: canary]');
          expect(board).not.toMatch(CANARY);
          await expectClean('board');
        });

        it('takes them out of names of files, also where a name is cut or cleaned', async () => {
          const names = [
            ['of CANARY-1.txt', 'of [redacted: canary].txt'],
            ['CAN\u200BARY-1', '[redacted: canary]'],
            [`${'x'.repeat(249)} 1234-5678`, `${'x'.repeat(249)} ****`],
          ];
          for (const [sent, kept] of names) {
            const form = new FormData();
            form.set('file', new Blob(['x']), sent);
            const { body } = await server.api.send('POST', '/files', { form });
            expect(body['filename']).toBe(kept);
            expect((await server.api.get(`/files/${body['id']}`)).body.filename).toBe(kept);
          }
        });

        it('takes them out of session logs that are imported, and reports the lines', async () => {
          server.fake.reply({ calls: [calculate] }, { text: 'So much.' });
          await server.api.say('origin', { user_message: 'Sum', approval_mode: 'auto' });
          const { url, headers } = server.api;
          const log = await (await fetch(`${url}/chats/origin/log`, { headers })).text();
          const foreign = log.replaceAll('Sum', 'Sum CANARY-1').replaceAll('6*7', 'CANARY-2');
          const { status, body } = await server.api.post(
            '/chats/import?chat_id=copy',
            foreign.replaceAll('So much.', 'CANARY-3'),
            NDJSON,
          );
          expect(status).toBe(201);
          expect(body.import.problems).toContainEqual({
            line: expect.any(Number),
            message: 'The line was redacted: canary (1×).',
          });
          const [interaction] = (await server.api.get('/chats/copy')).body.interactions;
          expect(interaction).toMatchObject({
            status: 'COMPLETED',
            user_message: 'Sum [redacted: canary]',
          });
          await expectClean('copy');
        });
      },
      { modules: [HumanTestModule] },
    );
  });
}
