import { deepEqual, ok } from 'node:assert/strict';
import type { AgentIdentity } from '../agents/agent-context.js';
import type { DoneStep, HookContext, Step } from '../agents/agent-hooks.js';
import type { Hooks } from '../agents/server-hooks.js';
import type { Message } from '../protocol/message.js';
import type { Check } from './check.js';

const CALL = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } } as const;
const USAGE = { input_tokens: 3, output_tokens: 5 };
const TURN = {
  text: 'Hello.',
  tool_calls: [CALL],
  finish_reason: 'tool_calls',
  usage: USAGE,
} as const;
const OUTCOME = { tool_call_id: 'c1', tool_name: 'read', output: 'text', is_error: false };
const CHILD = { id: 'agent_9', type: 'react' };
const ERROR = new Error('It failed.');

/** Steps of each kind, among them one that fails. */
const STEPS = [
  { kind: 'generate', options: {}, value: TURN },
  { kind: 'tool_call', call: CALL, value: OUTCOME },
  { kind: 'tool_call', call: CALL, error: ERROR },
  { kind: 'ask', question: 'Sure?', options: {}, value: null },
  { kind: 'fork', prompt: 'Look it up.', options: {}, value: CHILD },
  { kind: 'wait', child: CHILD, value: 'It is red.' },
  { kind: 'step', name: 'load', value: 1 },
  { kind: 'say', text: 'Working.', value: undefined },
  { kind: 'notice', code: 'note', message: 'A note.', value: undefined },
  { kind: 'emit', name: 'progress', data: {}, value: undefined },
  { kind: 'set_metadata', key: 'a', value: undefined },
  { kind: 'tell', agent: 'parent', text: 'Done.', value: undefined },
] as unknown as readonly DoneStep[];

const MESSAGES: readonly Message[] = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'c1', content: 'text' },
];

export interface HooksUnderTest {
  readonly make: () => Hooks;
  /** Beside one of each kind: steps that it has to refuse. */
  readonly refused: readonly Step[];
}

/** The contract of a class of `Hooks`, as far as the server relies on it. */
export function hooksChecks({ make, refused }: HooksUnderTest): Check[] {
  const steps = [...STEPS, ...(refused as readonly DoneStep[])];
  return [
    {
      name: 'is synchronous, and answers nothing or a reason to refuse the step',
      run: async () => {
        const { before, after } = said(make(), contextOf('agent_1'), steps);
        for (const answer of before)
          ok(answer === undefined || typeof answer === 'string', `it answered ${typeof answer}`);
        for (const answer of after)
          ok(answer === undefined, 'afterStep and onMessage must not answer, nor be async');
      },
    },
    {
      name: 'refuses the steps of this test with a reason',
      run: async () => {
        for (const step of refused)
          ok(make().beforeStep?.(step, contextOf('agent_1')), `${step.kind} was not refused`);
      },
    },
    {
      name: 'answers the same when an agent runs again from its beginning',
      run: async () => {
        const context = contextOf('agent_1');
        deepEqual(said(make(), context, steps), said(make(), context, steps));
      },
    },
    {
      name: 'keeps agents apart that run at the same time',
      run: async () => {
        const alone = said(make(), contextOf('agent_2'), steps);
        const shared = make();
        said(shared, contextOf('agent_1'), steps);
        deepEqual(said(shared, contextOf('agent_2'), steps), alone);
      },
    },
  ];
}

interface Said {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

/** Calls the hooks as the server does: a step that was refused is not done. */
function said(hooks: Hooks, context: HookContext, steps: readonly DoneStep[]): Said {
  const before: unknown[] = [];
  const after: unknown[] = MESSAGES.map((message) => hooks.onMessage?.(message, context));
  for (const done of steps) {
    const { value: _value, error: _error, ...step } = done;
    const answer: unknown = hooks.beforeStep?.(step as Step, context);
    before.push(answer);
    if (answer === undefined) after.push(hooks.afterStep?.(done, context));
  }
  return { before, after };
}

function contextOf(id: string): HookContext {
  const agent: AgentIdentity = {
    ...{ id, type: 'react', parent_id: null, metadata: {} },
    ...{ chat_id: 'chat_1', chat_uid: 'uid_1', interaction_id: 'int_1' },
  };
  return {
    ...{ agent, messages: MESSAGES, resources: undefined, metadata: {}, max_iterations: 10 },
    emit: () => {},
    ...{ signal: new AbortController().signal, instructions: undefined, client_tools: [] },
  };
}
