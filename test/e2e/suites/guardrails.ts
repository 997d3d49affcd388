import { EventReader } from '../../support/client/event-reader.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { Gate } from '../../support/gate.js';
import { GuardTestModule } from '../../support/runs/guard-test.module.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { Person } from '../../support/client/person.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { KEY } from '../../support/server/test-server.js';
import type { Servers, ServerUnderTest } from '../servers.js';

const AWS = 'AKIAIOSFODNN7EXAMPLE';
const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });
const bash = (command: string) => ({ name: 'bash', arguments: { command } });

function expectTripped(reader: EventReader, reason: string): void {
  expect(reader.faults).toEqual([]);
  const message = expect.stringContaining(reason);
  expect(reader.find('ERROR')).toMatchObject({ code: 'guardrail', message });
  expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'FAILED' });
}

async function stateOf(server: ServerUnderTest, chat: string) {
  const [interaction] = (await server.api.get(`/chats/${chat}?state=all`)).body.interactions;
  const { messages } = interaction.final_agent_state;
  expect(checkConversation(messages)).toEqual([]);
  return { interaction, messages };
}

const MODULES = [HumanTestModule, GuardTestModule];

export function describeGuardrails(servers: Servers): void {
  describe('Guardrails', () => {
    const env = { GUARDRAIL_TIMEOUT_MS: '300', SANDBOX: 'none' };
    servers.run(
      env,
      (server) => {
        const person = new Person(() => server.api);
        const asked = () => server.fake.requests.length;
        const sent = () =>
          JSON.stringify(server.fake.requests.slice(-2).map(({ body }) => body.messages));
        beforeAll(() => server.fake.otherwise(playScript));

        it.each([1, 7, 1000])(
          'redact secrets of answers that come in pieces of %i',
          async (size) => {
            const chat = `secret-${size}`;
            const parts = {
              thinking: `Is it ${KEY}?`,
              text: `Your keys: ${KEY}, ${AWS}.`,
              chunk_size: size,
            };
            server.fake.reply(parts);
            const frames = await (await server.api.stream(chat, { user_message: 'Keys?' })).all();
            const reader = await new EventReader().readAll(frames);
            expect(reader.faults).toEqual([]);
            expect(JSON.stringify(frames)).not.toMatch(/nobody-may|AKIA/);
            const content =
              'Your keys: [redacted: OPENAI_API_KEY of the server], [redacted: AWS key].';
            expect(reader.find('ANSWER')).toMatchObject({ content });
            expect(reader.find('THINKING')?.content).toMatch(/^Is it \[redacted: [^\]]+\]\?$/);
            expect(reader.list('NOTICE')).toMatchObject([
              { code: 'guardrail' },
              { code: 'guardrail' },
            ]);
            const { interaction, messages } = await stateOf(server, chat);
            expect(messages.at(-1)).toEqual({ role: 'assistant', content });
            for (const again of await resumeAfterEach(server.api, interaction, frames))
              expect([again.faults, again.records]).toEqual([[], reader.records]);
          },
        );

        it('redact what tools print, while they run and in their results, before the model reads it', async () => {
          const command = `printf 'key: sk-a-key-that-'; sleep 0.2; echo nobody-may-see`;
          const user_message = script({ calls: [bash(command)] });
          const reader = await server.api.say('tool', { user_message, approval_mode: 'auto' });
          expect(reader.faults).toEqual([]);
          expect(reader.find('TOOL_CALL')?.tool_input).toBe(JSON.stringify({ command }));
          const redacted = 'key: [redacted: OPENAI_API_KEY of the server]\n[exit code 0]';
          expect(reader.find('TOOL_RESULT')?.tool_output).toBe(redacted);
          expect(sent()).toContain('key: [redacted');
          expect(sent()).not.toContain(KEY);
        });

        it("don't let a call run that has a secret of the server in it, and show it redacted", async () => {
          const user_message = 'Call home';
          server.fake.reply({ calls: [bash(`echo "${KEY}"`)] }, { text: 'Oh.' });
          const reader = await server.api.say('exfiltrate', {
            user_message,
            approval_mode: 'auto',
          });
          expect(reader.faults).toEqual([]);
          expect(reader.find('TOOL_CALL')?.tool_input).toContain('[redacted: OPENAI_API_KEY');
          expect(reader.find('TOOL_STARTED')).toBeUndefined();
          const result = { is_error: true, tool_output: expect.stringContaining('did not run') };
          expect(reader.find('TOOL_RESULT')).toMatchObject(result);
          expect(JSON.stringify(await stateOf(server, 'exfiltrate'))).not.toContain(KEY);
        });

        it("don't let a call write down what stands for a secret in its place", async () => {
          const input = { path: 'keys.env', content: 'A=[redacted: AWS access key]\n' };
          const user_message = script({ calls: [{ name: 'write', arguments: input }] });
          const reader = await server.api.say('hollow', { user_message, approval_mode: 'auto' });
          expect(reader.list('TOOL_RESULT')).toMatchObject([
            { is_error: true, tool_output: expect.stringContaining('would destroy the secret') },
          ]);
          expect(reader.types).not.toContain('TOOL_STARTED');
        });

        it('leave what a person has given in the arguments of a call, as its approver sees it', async () => {
          const user_message = script({ calls: [bash(`echo ${AWS} | cut -c 5-`)] });
          const reader = await server.api.say('given', { user_message, approval_mode: 'auto' });
          expect(reader.find('TOOL_CALL')?.tool_input).toContain(AWS);
          expect(reader.find('TOOL_RESULT')).toMatchObject({
            tool_output: 'IOSFODNN7EXAMPLE\n[exit code 0]',
          });
        });

        it.each([
          ['what a message must not have', 'FORBIDDEN', 'words stopped this run: Not here.'],
          ['one that breaks', 'BREAK', 'it failed, so nothing passes. out of order'],
          ['one that hangs', 'HANG', 'it took longer than 300 ms'],
        ])('end a run before its model is asked: %s', async (_, user_message, reason) => {
          const before = asked();
          const chat = `input-${user_message}`;
          const reader = await server.api.say(chat, { user_message });
          expectTripped(reader, reason);
          expect(asked()).toBe(before);
          const { interaction } = await stateOf(server, chat);
          expect(interaction.error).toMatchObject({ code: 'guardrail' });
          await server.api.say(chat, { user_message: 'What did I say?' });
          expect(sent()).toContain('A guardrail stopped');
          expect(sent()).not.toContain(user_message);
        });

        it('have the model read another message than the one that was sent, also in the next interaction', async () => {
          const reader = await server.api.say('names', { user_message: 'I am Bob' });
          expect(reader.find('INTERACTION_STARTED')).toMatchObject({ user_message: 'I am Bob' });
          const message = 'Guardrail words: Names were taken out.';
          expect(reader.list('NOTICE')).toMatchObject([{ code: 'guardrail', message }]);
          await server.api.say('names', { user_message: 'And I?' });
          expect(sent()).toContain('I am somebody');
          expect(sent()).not.toContain('Bob');
          const { messages } = await stateOf(server, 'names');
          expect(messages[0]).toEqual({ role: 'user', content: 'I am somebody' });
        });

        it('look at answers and notes too', async () => {
          const question = { name: 'ask_human', arguments: { question: 'Who?' } };
          const following = await person.say('answer', {
            user_message: script({ calls: [question] }),
          });
          const { request_id } = await following.record('INPUT_REQUIRED');
          await person.respond(following.of, request_id, 'It is Bob');
          const reader = await following.end();
          expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: 'It is somebody' });

          const again = await person.say('note', { user_message: script({ calls: [question] }) });
          const { request_id: open, agent_id } = await again.record('INPUT_REQUIRED');
          const note = { user_comment: 'This is FORBIDDEN' };
          expect((await server.api.post(`/agents/${agent_id}/intervene`, note)).status).toBe(202);
          const before = asked();
          await person.respond(again.of, open, 'me');
          expectTripped(await again.end(), 'Not here.');
          expect(asked()).toBe(before);
        });

        it('stop a model in the middle of its answer, which becomes void', async () => {
          const gate = new Gate();
          server.fake.reply({ text: ['We may ST', 'OP now', gate, 'never'], chunk_size: 1 });
          const reader = await server.api.say('middle', { user_message: 'Go' });
          expectTripped(reader, 'The model said STOP.');
          expect(reader.find('ANSWER')).toBeUndefined();
          const [notice] = reader.list('NOTICE');
          expect(notice).toMatchObject({ code: 'guardrail', void: [expect.any(String)] });
          expect(reader.find('TURN_COMPLETED')).toMatchObject({ error: { code: 'guardrail' } });
          expect(await server.fake.requests.at(-1)!.ended).toBe('closed');
          gate.open();
        });

        it('stop a run after its model has answered', async () => {
          server.fake.reply({ text: 'I tell you afterwards.' });
          const reader = await server.api.say('after', { user_message: 'Go' });
          expectTripped(reader, 'It said afterwards.');
          expect(reader.find('ANSWER')).toBeUndefined();
        });

        it('of a child agent end the whole run', async () => {
          const said = script({ calls: [child(script({ text: 'STOP' }))] });
          const reader = await server.api.say('child', { user_message: said });
          expectTripped(reader, 'The model said STOP.');
          expect(reader.list('AGENT_COMPLETED')).toHaveLength(1);
          await stateOf(server, 'child');
        });
      },
      { modules: MODULES },
    );
  });

  describe('The guardrail of tokens', () => {
    const env = { GUARDRAIL_MAX_INPUT_TOKENS: '100', GUARDRAIL_MAX_OUTPUT_TOKENS: '50' };
    servers.run(env, (server) => {
      it('trips on a message that is too long', async () => {
        expectTripped(
          await server.api.say('long', { user_message: 'word '.repeat(81) }),
          'about 102',
        );
        const reader = await server.api.say('short', { user_message: 'word '.repeat(79) });
        expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
      });

      it('stops a model that goes on and on, thoughts and all', async () => {
        const gate = new Gate();
        const text = ['word '.repeat(20), 'word '.repeat(20), gate];
        server.fake.reply({ thinking: 'Hm. '.repeat(8), text });
        expectTripped(await server.api.say('on', { user_message: 'Go' }), 'more than the 50');
        gate.open();
      });
    });
  });
}
