import type { AgentContext } from '../../src/agents/agent-context.js';
import type { DoneStep, HookContext, Step } from '../../src/agents/agent-hooks.js';
import { Agent } from '../../src/agents/agent.js';
import { Run } from '../../src/runs/run.js';
import type { Message } from '../../src/protocol/message.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { AgentFunction, ProcessOptions } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

type Hooks = Pick<Agent<string[]>, 'beforeStep' | 'afterStep' | 'onMessage'>;

/** Tells what its hooks are told, into its resources, which `answers` shows. */
class Hooked extends Agent<string[]> {
  constructor(
    private readonly code: (ctx: AgentContext<string[]>) => Promise<string | void>,
    private readonly hooks: Hooks = {},
  ) {
    super();
  }

  override resources(): string[] {
    return [];
  }

  run(ctx: AgentContext<string[]>): Promise<string | void> {
    return this.code(ctx);
  }

  override beforeStep(step: Step, ctx: HookContext<string[]>): string | void {
    ctx.resources.push(`before ${step.kind}`);
    return this.hooks.beforeStep?.(step, ctx);
  }

  override afterStep(step: DoneStep, ctx: HookContext<string[]>): void {
    const outcome = step.error === undefined ? JSON.stringify(valueOf(step)) : step.error.message;
    ctx.resources.push(`after ${step.kind} ${outcome}`);
    return this.hooks.afterStep?.(step, ctx);
  }

  override onMessage(message: Message, ctx: HookContext<string[]>): void {
    ctx.resources.push(`${message.role}: ${message.content}`);
    this.hooks.onMessage?.(message, ctx);
  }
}

function valueOf(step: DoneStep): unknown {
  switch (step.kind) {
    case 'generate':
      return step.value?.text;
    case 'tool_call':
      return step.value?.output;
    case 'fork':
      return step.value?.type;
    case 'ask':
    case 'wait':
    case 'step':
    case 'say':
    case 'notice':
    case 'emit':
    case 'set_metadata':
    case 'tell':
      return step.value;
  }
}

const tool = new FakeTool('tool', ({ n }) => `did ${n}`);
const react: (ctx: AgentContext<string[]>) => Promise<void> = async (ctx) => {
  for (;;) {
    const turn = await ctx.generate();
    if (turn.tool_calls.length === 0) return;
    await ctx.callTools(turn.tool_calls);
  }
};

function calling(...numbers: number[]): ScriptedProvider {
  const calls = numbers.map((n) => ({ id: `c${n}`, name: 'tool', arguments: `{"n":${n}}` }));
  return ScriptedProvider.playing(callTurn(calls, 'Look'), answerTurn('Done'));
}

async function ended(options: ProcessOptions): Promise<RunWorld> {
  const world = await RunWorld.open();
  await world.run({ tools: [tool], ...options });
  await expectEnded(world);
  return world;
}

describe(Run.name, () => {
  it('calls the hooks of an agent around each step, and for each message that joins', async () => {
    let seen: readonly string[] = [];
    const agent = new Hooked(async (ctx) => {
      seen = ctx.resources;
      await react(ctx);
      await ctx.step('count', () => 3);
      await ctx.say('Well');
      await ctx.notice('code', 'text');
      await ctx.wait(await ctx.fork('Go', { agent_type: 'child' }));
      return 'The end';
    });
    const child: AgentFunction = async () => 'went';
    await ended({ agent, kinds: { child }, provider: calling(1) });
    expect(seen).toEqual([
      'user: Hello',
      ...['before generate', 'assistant: Look', 'after generate "Look"'],
      ...['before tool_call', 'tool: did 1', 'after tool_call "did 1"'],
      ...['before generate', 'assistant: Done', 'after generate "Done"'],
      ...['before step', 'after step 3'],
      ...['before say', 'assistant: Well', 'after say undefined'],
      ...['before notice', 'after notice undefined'],
      ...['before fork', 'after fork "child"', 'before wait', 'after wait "went"'],
      'assistant: The end',
    ]);
  });

  it('calls the hooks of the server before those of the agent, and for every agent', async () => {
    const seen: string[] = [];
    const hooks = (name: string) => ({
      beforeStep: ({ kind }: Step) => void seen.push(`${name} ${kind}`),
    });
    const agent = new Hooked(async (ctx) => {
      await ctx.say('Well');
      await ctx.wait(await ctx.fork('Go', { agent_type: 'child' }));
    }, hooks('agent'));
    const child: AgentFunction = async (ctx) => ctx.say('Hi');
    await ended({ agent, kinds: { child }, hooks: [hooks('server')] });
    expect(seen).toEqual([
      ...['server say', 'agent say', 'server fork', 'agent fork'],
      ...['server say', 'server wait', 'agent wait'], // the child has no hooks of its own
    ]);
  });

  it('does not ask the agent about a step that a hook of the server refuses', async () => {
    const seen: string[] = [];
    const agent = new Hooked(
      async (ctx) => {
        await ctx.say('Well').catch(({ message }: Error) => seen.push(message));
      },
      { beforeStep: () => void seen.push('asked') },
    );
    await ended({ agent, hooks: [{ beforeStep: () => 'Be quiet.' }] });
    expect(seen).toEqual(['The step "say" was refused: Be quiet.']);
  });

  it('tells hooks of a step that fails', async () => {
    let seen: readonly string[] = [];
    const agent = new Hooked(async (ctx) => {
      seen = ctx.resources;
      await ctx.step('break', () => Promise.reject(new Error('broken'))).catch(() => {});
    });
    await ended({ agent });
    expect(seen.at(-1)).toMatch(/^after step .*broken/);
  });

  it('has no hooks for the messages of earlier interactions, nor for turns beside the conversation', async () => {
    const seen: string[] = [];
    const agent = new Hooked(async (ctx) => void (await ctx.generate({ visible: false })), {
      onMessage: ({ content }) => void seen.push(`${content}`),
    });
    const world = await ended({ agent });
    await world.say('And now?');
    await world.run({ agent });
    expect(seen).toEqual(['Hello', 'And now?']);
  });

  describe('when a hook refuses', () => {
    it('answers a tool call with the reason, and runs the others', async () => {
      const agent = new Hooked(react, {
        beforeStep: (step) =>
          step.kind === 'tool_call' && step.call.function.arguments.includes('2')
            ? 'Not that one.'
            : undefined,
      });
      const world = await ended({ agent, provider: calling(1, 2, 3) });
      const results = await world.all('TOOL_RESULT');
      const outcomes = results.map(({ id, tool_output, is_error }) => [id, tool_output, is_error]);
      expect(outcomes.toSorted(([a], [b]) => (a! < b! ? -1 : 1))).toEqual([
        ['c1', 'did 1', false],
        ['c2', 'This call was refused: Not that one.', true],
        ['c3', 'did 3', false],
      ]);
      expect((await world.all('TOOL_STARTED')).map(({ id }) => id)).toEqual(['c1', 'c3']);
    });

    it('rejects any other step, which is not done', async () => {
      let isDone = false;
      const agent = new Hooked(
        async (ctx) => {
          return ctx.step('x', () => `${(isDone = true)}`).catch(({ message }: Error) => message);
        },
        { beforeStep: ({ kind }) => (kind === 'step' ? 'not today' : undefined) },
      );
      const world = await ended({ agent });
      expect(isDone).toBe(false);
      expect(await world.all('STEP_COMPLETED')).toEqual([]);
      expect((await world.all('ANSWER')).at(-1)?.content).toBe(
        'The step "step" was refused: not today',
      );
    });
  });

  const fail = (): never => {
    throw new Error('hooked');
  };
  const HOOKS: readonly (readonly [string, number, Hooks])[] = [
    ['beforeStep', 0, { beforeStep: fail }],
    ['afterStep', 1, { afterStep: fail }],
    ['onMessage, of the prompt', 0, { onMessage: fail }],
    [
      'onMessage, of a turn',
      1,
      { onMessage: ({ role }) => (role === 'assistant' ? fail() : undefined) },
    ],
    [
      'onMessage, of what it returned',
      1,
      { onMessage: ({ content }) => (content === 'End' ? fail() : undefined) },
    ],
  ];

  it.each(HOOKS)('ends the agent with what its hook threw: %s', async (_, answers, hooks) => {
    const code = async (ctx: AgentContext<string[]>) => {
      await ctx.generate().catch(() => {});
      return 'End';
    };
    const world = await ended({ agent: new Hooked(code, hooks) });
    expect((await world.row()).error).toMatchObject({
      code: 'agent_error',
      message: expect.stringMatching(/hooked$/),
    });
    expect(await world.all('ANSWER')).toHaveLength(answers);
  });

  it.each<readonly [string, Hooks]>([
    ['a message', { onMessage: (message) => void Object.assign(message, { content: 'Changed' }) }],
    [
      'a call',
      {
        beforeStep: (step) => {
          if (step.kind === 'tool_call')
            Object.assign(step.call.function, { arguments: '{"n":"Changed"}' });
        },
      },
    ],
    [
      'what is asked for',
      {
        beforeStep: (step) => {
          if (step.kind === 'generate') Object.assign(step.options, { instructions: 'Changed' });
        },
      },
    ],
  ])('lets no hook change %s: the conversation is what the log says', async (_, hooks) => {
    const provider = calling(1);
    const world = await ended({ agent: new Hooked(react, hooks), provider });
    expect((await world.row()).error).toMatchObject({ code: 'agent_error' });
    expect(JSON.stringify([provider.requests, await world.messages()])).not.toContain('Changed');
  });

  it('refuses a hook that takes its time, and one that asks for an effect', async () => {
    const later = new Hooked(react, {
      // oxlint-disable-next-line typescript/no-misused-promises -- the mistake that is told
      afterStep: async () => {},
    });
    expect((await (await ended({ agent: later })).row()).error?.code).toBe('hook_not_synchronous');
    const asking = new Hooked(react, {
      beforeStep: (_, ctx) => void (ctx as AgentContext).say('Hi'),
    });
    expect((await (await ended({ agent: asking })).row()).error?.code).toBe('context_in_hook');
  });
});
