import type { AgentContext } from '../../src/agents/agent-context.js';
import { Agent } from '../../src/agents/agent.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { Guardrail } from '../../src/guardrails/guardrail.js';
import type { InputVerdict, OpenFilter, OutputVerdict } from '../../src/guardrails/guardrail.js';
import { Guardrails } from '../../src/guardrails/guardrails.js';
import type { ToolPolicy } from '../../src/tools/core/tool.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { RunWorldOptions } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

/**
 * Trips the first time that it meets a text, and never again: whoever asks it again comes to
 * another end.
 */
class OnceGuardrail extends Guardrail {
  readonly name = 'once';
  private readonly met = new Set<string>();

  constructor(private readonly word = 'TRIP') {
    super();
  }

  override async checkInput(text: string): Promise<InputVerdict> {
    return this.isNew(text) ? { verdict: 'tripwire', reason: 'new' } : { verdict: 'pass' };
  }

  override openOutput(): OpenFilter {
    const push = (text: string): string => {
      if (this.isNew(text)) throw new Error('new');
      return text;
    };
    return () => ({ push, end: () => '' });
  }

  private isNew(text: string): boolean {
    if (!text.includes(this.word) || this.met.has(text)) return false;
    this.met.add(text);
    return true;
  }
}

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const stubborn = async (ctx: AgentContext): Promise<string> => {
  await ctx.generate().catch(() => {});
  return 'Whatever it was, I go on.';
};
const parent = async (ctx: AgentContext): Promise<string> => {
  const child = await ctx.fork('Do it', { agent_type: 'child' });
  return ctx.wait(child).catch(() => 'I do without it.');
};
const stumble = (): Promise<void> => Promise.reject(new Error('TRIP over this'));
const tool = new FakeTool('tell', () => 'TRIP over this');
const call = callTurn([{ id: 'c1', name: 'tell', arguments: '{}' }]);

const CASES: readonly [string, () => RunWorldOptions][] = [
  ['a turn', () => ({ agent: stubborn, provider: ScriptedProvider.playing(answerTurn('TRIP')) })],
  [
    'a result',
    () => ({
      agent: react,
      tools: [tool],
      provider: ScriptedProvider.playing(call, answerTurn('Done')),
    }),
  ],
  [
    'a turn of a child',
    () => ({
      agent: parent,
      kinds: { child: react },
      provider: ScriptedProvider.playing(answerTurn('TRIP'), answerTurn('Fine')),
    }),
  ],
  ['what a child fails with', () => ({ agent: parent, kinds: { child: stumble } })],
];

describe(Guardrails.name, () => {
  it.each(CASES)(
    'that have tripped on %s come to the same end whenever the process dies (I3)',
    async (_, options) => {
      let ends = 0;
      for (let deadAfter = 1; deadAfter < 8; deadAfter++) {
        const world = await RunWorld.open({ ...options(), guardrails: [new OnceGuardrail()] });
        await dieAfter(world, deadAfter);
        const text = JSON.stringify(await world.log());
        await world.run();
        expect(checkConversation((await world.messages()) ?? [])).toEqual([]);
        if (!text.includes('once stopped this run')) continue;
        ends++;
        expect(await world.all('ERROR')).toMatchObject([{ code: 'guardrail' }]);
        expect(await world.all('INTERACTION_COMPLETE')).toEqual([
          { type: 'INTERACTION_COMPLETE', status: 'FAILED' },
        ]);
      }
      expect(ends).toBeGreaterThan(1);
    },
  );

  it('that have tripped on a message do so again after a crash, without being asked', async () => {
    const provider = ScriptedProvider.playing(answerTurn('Hi'));
    const guardrails = [new OnceGuardrail('Hello')];
    const world = await RunWorld.open({ agent: react, provider, guardrails });
    await dieAfter(world, 1);
    expect(await world.types()).toEqual(['INTERACTION_STARTED', 'STEP_COMPLETED']);
    await world.run();
    expect((await world.row()).error).toMatchObject({ code: 'guardrail' });
    expect(provider.requests).toEqual([]);
  });

  it('that have tripped on a child tell whoever waits for it the same, live and from the log', async () => {
    const hear = async (isReplayed: boolean): Promise<unknown[]> => {
      const heard: unknown[] = [];
      const agent = async (ctx: AgentContext): Promise<string> => {
        const child = await ctx.fork('Do it', { agent_type: 'child' });
        return ctx.wait(child).catch((error: Error) => {
          heard.push([Object.fromEntries(Object.entries(error)), error.message, child.state]);
          return 'I do without it.';
        });
      };
      const options = { agent, kinds: { child: stumble } };
      const world = await RunWorld.open({ ...options, guardrails: [new OnceGuardrail()] });
      if (isReplayed) await dieAfter(world, 3);
      if (isReplayed) expect((await world.types()).at(-1)).toBe('AGENT_COMPLETED');
      await world.run();
      expect((await world.row()).error).toMatchObject({ code: 'guardrail' });
      return heard;
    };
    const live = await hear(false);
    expect(live).toMatchObject([[{ code: 'guardrail' }, expect.stringMatching(/: new$/), 'error']]);
    expect(await hear(true)).toEqual(live);
  });

  it('that trip on what an agent fails with are what it fails with', async () => {
    const world = await RunWorld.open({ agent: stumble, guardrails: [new OnceGuardrail()] });
    await world.run();
    const error = { code: 'guardrail', message: 'The guardrail once stopped this run: new' };
    expect((await world.row()).error).toEqual(error);
    expect(await world.all('ERROR')).toEqual([{ type: 'ERROR', ...error }]);
  });

  it('are not asked about a message whose agent has begun without them', async () => {
    const world = await RunWorld.open({
      agent: react,
      tools: [tool],
      provider: ScriptedProvider.playing(call, answerTurn('Done')),
    });
    await dieAfter(world, 2);
    await world.run({
      guardrails: [new OnceGuardrail()],
      tools: [new FakeTool('tell', () => 'fine')],
    });
    expect((await world.row()).status).toBe('COMPLETED');
  });

  it('that were asked are not missed by a process that has none', async () => {
    const world = await RunWorld.open({ agent: react });
    await dieAfter(world, 1, [new OnceGuardrail()]);
    expect(await world.types()).toEqual(['INTERACTION_STARTED', 'STEP_COMPLETED']);
    await world.run({ guardrails: [] });
    expect((await world.row()).status).toBe('COMPLETED');
  });
});

/** Takes the name of a tree out of all that it sees. */
class NoOaks extends Guardrail {
  readonly name = 'no_oaks';

  override openOutput(): OpenFilter {
    return () => ({ push: (text) => text.replaceAll('oak', '[tree]'), end: () => '' });
  }
}

class Flaky extends FakeTool {
  override readonly policy: ToolPolicy = {
    ...{ category: 'read', read_only: true, risk: 'low', recovery: 'rerun' },
    retries: { times: 1, backoff_ms: 0 },
  };
}

class Rooted extends Agent {
  override resources = fall;
  async run(): Promise<void> {}
}

function fall(): never {
  throw new Error('An oak fell.');
}

describe(NoOaks.name, () => {
  it.each<readonly [string, () => RunWorldOptions]>([
    ['an agent fails with', () => ({ agent: fall })],
    ['a child fails with', () => ({ agent: parent, kinds: { child: fall } })],
    ['the resources of an agent fail with', () => ({ agent: new Rooted() })],
    ['an agent notes', () => ({ agent: (ctx) => ctx.notice('tree', 'An oak fell.') })],
    [
      'a tool is tried again for',
      () => ({
        agent: react,
        tools: [new Flaky('tell', fall)],
        provider: ScriptedProvider.playing(call, answerTurn('Done')),
      }),
    ],
  ])('reads what %s, too', async (_, options) => {
    const world = await RunWorld.open({ ...options(), guardrails: [new NoOaks()] });
    await world.run();
    const log = JSON.stringify((await world.log()).map(({ body }) => body));
    expect(log).toContain('An [tree] fell.');
    expect(log).not.toContain('oak fell');
    expect(JSON.stringify((await world.row()).error)).not.toContain('oak fell');
  });
});

/** As somebody writes one in JavaScript, where nothing checks what it answers. */
class OddGuardrail extends Guardrail {
  readonly name = 'odd';

  constructor(private readonly answers: Readonly<Record<string, unknown>>) {
    super();
  }

  override checkInput(): InputVerdict {
    return this.answer('checkInput', { verdict: 'pass' }) as InputVerdict;
  }

  override openOutput(): OpenFilter {
    const { answers } = this;
    const push = (text: string): string => this.answer('push', text) as string;
    const end = (): string => this.answer('end', '') as string;
    const filter = {
      ...{ push, end },
      get remark(): string | undefined {
        if ('remark' in answers) throw new Error('no remark');
        return undefined;
      },
    };
    return () => filter;
  }

  override checkOutput(): OutputVerdict {
    return this.answer('checkOutput', { verdict: 'pass' }) as OutputVerdict;
  }

  private answer(method: string, usual: unknown): unknown {
    return method in this.answers ? this.answers[method] : usual;
  }
}

describe(OddGuardrail.name, () => {
  const odd: readonly Readonly<Record<string, unknown>>[] = [
    { checkInput: undefined },
    { checkInput: { verdict: 'Tripwire', reason: 'a slip' } },
    { checkInput: { verdict: 'replace' } },
    { push: 7 },
    { push: Promise.resolve('later') },
    { end: undefined },
    { remark: undefined },
    { checkOutput: undefined },
    { checkOutput: { verdict: 'block', reason: 'a slip' } },
  ];

  it.each(odd)('trips when it answers %p, which is no pass', async (answers) => {
    const provider = ScriptedProvider.playing(answerTurn('Hi'));
    const guardrails = [new OddGuardrail(answers)];
    const world = await RunWorld.open({ agent: react, provider, guardrails });
    await world.run();
    expect((await world.row()).error).toMatchObject({ code: 'guardrail' });
    expect(await world.all('ANSWER')).toEqual([]);
  });

  it('lets all pass otherwise', async () => {
    const world = await RunWorld.open({ agent: react, guardrails: [new OddGuardrail({})] });
    await world.run();
    expect((await world.row()).status).toBe('COMPLETED');
  });
});

/** The process writes so many appends, and is not there any more. */
async function dieAfter(
  world: RunWorld,
  appends: number,
  guardrails?: readonly Guardrail[],
): Promise<void> {
  let written = 0;
  await world.run({
    ...(guardrails && { guardrails }),
    holdsLease: () => written < appends,
    append: async (batches) => {
      const outcomes = await world.store.append(batches);
      written += batches.length;
      return outcomes;
    },
  });
}
