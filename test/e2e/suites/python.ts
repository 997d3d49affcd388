import { eventually } from '../../support/eventually.js';
import type { Following } from '../../support/store/following.js';
import { DeedTool } from '../../support/runs/human-test.module.js';
import { PYTHON_FOLDER } from '../../support/tools/python-folder.js';
import { script } from '../../support/model/scripted-answers.js';
import { ALL } from '../../support/thoroughness.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';

type Interlude = (server: ServerUnderTest, following: Following) => Promise<unknown>;

const python = (code: string) => script({ calls: [{ name: 'python', arguments: { code } }] });

/**
 * Forks a child that has to ask, has a call approved, asks itself, and waits for the child. What it
 * notes first and last has to fit together.
 */
const PROGRAM = `import json, random, time, uuid
notes = [random.random(), str(uuid.uuid4()), time.time()]
helper = fork(${JSON.stringify(script({ calls: [{ name: 'ask_human', arguments: { question: 'Helper?' } }] }))})
print("forked", flush=True)
product = tool("calculator", expression="6*7")
print("product", product)
answer = ask("Program?", ["yes", "no"])
print("answer", answer)
print("helper", wait(helper))
print("later", time.time() > notes[2], time.time() - notes[2] < 86400)
json.dumps(notes)`;

const parked: Interlude = (server, { of }) => eventually(() => !server.runs(of.id));
const restarted: Interlude = async (server, following) => {
  await server.restart();
  await following.resume(server.api);
};
const WAYS: readonly (readonly [string, string, Interlude])[] = [
  ['in memory', '60000', async () => {}],
  ['parked', '0', parked],
  ['restarted', '60000', restarted],
];

export function describePython(servers: Servers): void {
  describe('A Python program that uses agents, people and tools', () => {
    for (const [way, PARK_AFTER_MS, interlude] of ALL ? WAYS : WAYS.slice(-1))
      describe(`and waits for them ${way}`, () => {
        withPeople(servers, { PARK_AFTER_MS, DATA_DIR: PYTHON_FOLDER }, (server, person) => {
          it('goes on where it was, with each step done once', async () => {
            const following = await person.say(
              `program-${way.replaceAll(' ', '-')}`,
              python(PROGRAM),
            );
            const helper = await following.record('INPUT_REQUIRED');
            const { approval_id, tool_call_id } = await following.record('APPROVAL_REQUIRED');
            await interlude(server, following);
            await person.approve(following.of, approval_id);
            const { request_id } = await following.record('INPUT_REQUIRED', 2);
            await interlude(server, following);
            await person.respond(following.of, request_id, 'yes');
            await person.respond(following.of, helper.request_id, 'Helped.');
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            const calls = reader.list('TOOL_CALL');
            const program = calls.find(({ tool_name }) => tool_name === 'python')!;
            expect(calls.filter(({ tool_name }) => tool_name === 'calculator')).toEqual([
              expect.objectContaining({ id: tool_call_id, parent_tool_call_id: program.id }),
            ]);
            expect(reader.list('AGENT_STARTED')).toMatchObject([{ tool_call_id: program.id }]);
            const result = reader.list('TOOL_RESULT').find(({ id }) => id === program.id)!;
            expect(result.tool_output).toMatch(
              /^forked\nproduct 42\nanswer yes\nhelper Done\.\nlater True True\n'\[[^\n]*\]'$/,
            );
            expect(result.is_error).toBe(false);
            const interaction = await server.api.interaction(following.of);
            const messages = interaction.final_agent_state!.messages;
            expect(messages.map(({ role }) => role)).toEqual([
              'user',
              'assistant',
              'tool',
              'assistant',
            ]);
          });
        });
      });

    describe('and that has no end', () => {
      const bounds = { MAX_AGENTS_TOTAL: '3', MAX_RECORDS: '120', DATA_DIR: PYTHON_FOLDER };
      withPeople(servers, bounds, (server) => {
        it('is told when it has started as many agents as it may', async () => {
          const user_message = python('while True: wait(fork("Hi"))');
          const reader = await server.api.say('forks', { user_message });
          expect(reader.faults).toEqual([]);
          expect(reader.list('AGENT_STARTED')).toHaveLength(3);
          expect(reader.find('TOOL_RESULT')).toMatchObject({
            is_error: true,
            tool_output: expect.stringContaining('No more than 3 agents'),
          });
          expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
        });

        it('ends with the room in the log when it does not listen', async () => {
          const code = 'while True:\n  try: wait(fork("Hi"))\n  except Exception: pass';
          const reader = await server.api.say('deaf', { user_message: python(code) });
          expect(reader.faults).toEqual([]);
          expect(reader.find('ERROR')).toMatchObject({ code: 'too_many_records' });
          expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'FAILED' });
          expect(reader.records.length).toBeLessThan(130);
        });
      });
    });

    describe('and whose calls are not run by the server at once', () => {
      withPeople(servers, { PARK_AFTER_MS: '0', DATA_DIR: PYTHON_FOLDER }, (server, person) => {
        it('waits for an approval where other calls are deferred', async () => {
          DeedTool.done.length = 0;
          const user_message = python('tool("deed", what="this")');
          const deferring = { user_message, approval_mode: 'defer' } as const;
          const following = await person.say('deferring', deferring);
          const { approval_id } = await following.record('APPROVAL_REQUIRED');
          await parked(server, following);
          expect(following.reader.types).not.toContain('TOOL_RESULT');
          await person.approve(following.of, approval_id);
          const reader = await following.end();
          expect(reader.faults).toEqual([]);
          expect(reader.types).not.toContain('NOTICE');
          expect(reader.list('TOOL_RESULT')).toMatchObject([
            { tool_name: 'deed', tool_output: 'Did this.' },
            { tool_name: 'python', tool_output: "'Did this.'" },
          ]);
          expect(DeedTool.done).toEqual(['this']);
        });

        it('waits for what the client runs, and hears when that fails', async () => {
          const client_tools = [
            { name: 'open_door', description: 'Opens a door.', input_schema: { type: 'object' } },
          ];
          const user_message = python(`print(tool("open_door", door="front"))
try:
    tool("open_door", door="back")
except ToolError as error:
    print("ToolError", error)`);
          const following = await person.say('clients', { user_message, client_tools });
          const results = [
            { tool_output: 'It is open.', is_error: false },
            { tool_output: 'It is stuck.', is_error: true },
          ];
          for (const [i, result] of results.entries()) {
            const { tool_call_id } = await following.record('TOOL_RESULT_REQUIRED', i + 1);
            await parked(server, following);
            await person.toolResult(following.of, { tool_call_id, ...result });
          }
          const reader = await following.end();
          expect(reader.faults).toEqual([]);
          expect(reader.list('TOOL_RESULT_REQUIRED')).toMatchObject([
            { tool_name: 'open_door', tool_input: '{"door":"front"}' },
            { tool_name: 'open_door', tool_input: '{"door":"back"}' },
          ]);
          expect(reader.list('TOOL_RESULT')).toMatchObject([
            results[0],
            results[1],
            { tool_name: 'python', tool_output: 'It is open.\nToolError It is stuck.' },
          ]);
        });
      });
    });

    describe('and may not', () => {
      withPeople(servers, { DATA_DIR: PYTHON_FOLDER }, (server, person) => {
        it.each([
          [
            'call a tool that is denied',
            'tool("calculator", expression="1")',
            /^ToolError This call is not allowed/,
          ],
          [
            'call a tool that is not there',
            'tool("calculater", expression="1")',
            /^ToolError There is no tool "calculater". Did you mean calculator/,
          ],
          [
            'give a tool what it does not take',
            'tool("current_time", timezone="Mars")',
            /^ToolError .*time zone/,
          ],
          ['start an agent that is not there', 'fork("x", "nobody")', /^ToolError .*nobody/],
          [
            'wait for an agent that it did not start',
            'wait("agent_x")',
            /^ToolError There is no agent "agent_x"/,
          ],
          ['ask without a question', 'ask("")', /^ToolError .*question/s],
        ])('hears so when it wants to %s', async (_, code, output) => {
          await server.api.post('/chats', { id: 'denied' });
          const rule = {
            scope: 'session',
            scope_id: 'denied',
            decision: 'deny',
            matcher: { type: 'tool', pattern: 'calculator' },
          };
          const { status, body } = await server.api.post('/permissions/rules', rule);
          expect([status, body.detail]).toEqual([201, undefined]);
          const program = `try:\n  ${code}\nexcept ToolError as error:\n  print("ToolError", error)`;
          const reader = await (await person.say('denied', python(program))).end();
          expect(reader.faults).toEqual([]);
          expect(reader.list('TOOL_RESULT').at(-1)).toMatchObject({
            tool_name: 'python',
            tool_output: expect.stringMatching(output),
          });
        });

        it('stops with a cancel, while it computes and while it waits (I7)', async () => {
          for (const code of ['print("on")\nwhile True: pass', 'print("on")\nask("Well?")']) {
            const following = await person.say('cancelled', python(code));
            await following.event('TOOL_OUTPUT_DELTA');
            await person.cancel(following.of);
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'CANCELLED' });
          }
        });
      });
    });
  });
}
