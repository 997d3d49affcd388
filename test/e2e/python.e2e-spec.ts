import { eventually } from '../support/eventually.js';
import type { Following } from '../support/following.js';
import { script } from '../support/scripted-answers.js';
import type { ServerUnderTest } from './on-each-store.js';
import { withPeople } from './with-people.js';

type Interlude = (server: ServerUnderTest, following: Following) => Promise<unknown>;

const python = (code: string) => script({ calls: [{ name: 'python', arguments: { code } }] });

/** Forks a child that has to ask, has a call approved, asks itself, and waits for the child. What it notes first and last has to fit together. */
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

describe('A Python program that uses agents, people and tools', () => {
  for (const [way, PARK_AFTER_MS, interlude] of WAYS)
    describe(`and waits for them ${way}`, () => {
      withPeople({ PARK_AFTER_MS }, (server, person) => {
        it('goes on where it was, with each step done once', async () => {
          const following = await person.say('program', python(PROGRAM));
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

  describe('and may not', () => {
    withPeople({}, (server, person) => {
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
