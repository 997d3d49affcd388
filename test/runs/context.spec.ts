import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { FittedConversation } from '../../src/runs/model-turn/fitted-conversation.js';
import { Guardrail } from '../../src/guardrails/guardrail.js';
import type { OutputVerdict } from '../../src/guardrails/guardrail.js';
import { ModelError } from '../../src/models/model-error.js';
import type { ModelEvent, ModelRequest } from '../../src/models/model-provider.js';
import { addUsage } from '../../src/protocol/interaction.js';
import { fixedTokens, messageTokens, sum } from '../../src/runs/context-window/estimate-tokens.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn, USAGE } from '../support/model/model-events.js';
import type { ToolContext } from '../../src/tools/core/tool.js';
import { RunWorld } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const dump = new FakeTool('dump', () => 'o'.repeat(20_000), 'rerun');
const SMALL = { MODEL_CONTEXT_TOKENS: '4000' };
const TOO_LONG = new ModelError('model_context_exceeded', 'prompt is too long', {
  retryable: false,
});

function isSummary({ instructions }: ModelRequest): boolean {
  return instructions?.startsWith('You keep the memory') ?? false;
}

/** A model that counts no tokens. */
function uncounted(events: ModelEvent[]): ModelEvent[] {
  const usage = { input_tokens: 0, output_tokens: 0 };
  return events.map((event) => (event.type === 'response_completed' ? { ...event, usage } : event));
}

function estimateOf(request: ModelRequest): number {
  return fixedTokens(request) + sum(request.messages.map(messageTokens));
}

/** A model that summarises, and else plays `turn`. */
function summarising(turn: (request: ModelRequest) => ModelEvent[]): ScriptedProvider {
  return new ScriptedProvider((request) => {
    expect(checkConversation(request.messages)).toEqual([]);
    return isSummary(request) ? answerTurn('They said many x.') : turn(request);
  });
}

/** Says these, one after the other; answers the codes of all notices. */
async function talk(world: RunWorld, messages: readonly string[]): Promise<string[]> {
  await world.run();
  const codes: string[] = [];
  for (const message of messages) {
    await world.say(message);
    await world.run();
    const notices = (await world.all('NOTICE')).map(({ code }) => code);
    codes.push(...notices.filter((code) => code !== 'usage_estimated'));
  }
  return codes;
}

const LONG = Array.from({ length: 6 }, (_, i) => `m${i} ${'x'.repeat(2_000)}`);

describe(FittedConversation.name, () => {
  it('summarises what no longer fits, once, and tells of it', async () => {
    const provider = summarising(() => answerTurn('Fine.'));
    const world = await RunWorld.open({ agent: react, provider, env: SMALL });
    await talk(world, LONG);
    const summaries = provider.requests.filter(isSummary);
    expect(summaries).toHaveLength(1);
    expect(summaries[0]).toMatchObject({ tools: [] });
    expect(summaries[0]!.messages[0]!.content).toMatch(/^<transcript>\n\[user\]\nHello[^]*m0 x/);
    const sent = provider.requests.at(-1)!.messages;
    expect(sent[0]!.content).toMatch(
      /^\[The beginning of this conversation [^]*They said many x\.$/,
    );
    expect(sent.at(-1)!.content).toBe(LONG.at(-1));
    expect(sent.length).toBeLessThan(10);
  });

  it('makes no calls of a model that plays on what it was to summarise', async () => {
    const provider = new ScriptedProvider((request) => {
      const call = { id: 'c', name: 'dump', arguments: '{}' };
      return isSummary(request) ? callTurn([call], 'They said many x.') : answerTurn('Fine.');
    });
    const world = await RunWorld.open({ agent: react, provider, tools: [dump], env: SMALL });
    expect(await talk(world, LONG.slice(0, 5))).toEqual(['context_compacted']);
    expect(await world.types()).toEqual([
      ...['INTERACTION_STARTED', 'NOTICE', 'TURN_COMPLETED'],
      ...['ANSWER', 'TURN_COMPLETED', 'INTERACTION_COMPLETE'],
    ]);
  });

  it('ends the run when a guardrail trips on the summary, also on a replay', async () => {
    class NoMemory extends Guardrail {
      readonly name = 'no_memory';
      override checkOutput(text: string): OutputVerdict {
        const isFine = !text.startsWith('They said');
        return isFine ? { verdict: 'pass' } : { verdict: 'tripwire', reason: 'Forget it.' };
      }
    }
    const provider = summarising(() => answerTurn('Fine.'));
    const guardrails = [new NoMemory()];
    const world = await RunWorld.open({ agent: react, provider, env: SMALL, guardrails });
    await talk(world, LONG.slice(0, 4));
    await world.say(LONG[4]!);
    const lost = await world.takeUp({
      append: async (batches) => {
        const outcomes = await world.store.append(batches);
        lost!.lose();
        return outcomes;
      },
    });
    await lost!.execute();
    expect(await world.types()).toEqual(['INTERACTION_STARTED', 'TURN_COMPLETED']);
    const before = provider.requests.length;
    await world.run();
    expect(provider.requests).toHaveLength(before);
    expect((await world.row()).error).toMatchObject({ code: 'guardrail' });
  });

  it('keeps the whole history, and the next interaction finds the summary', async () => {
    const provider = summarising(() => answerTurn('Fine.'));
    const world = await RunWorld.open({ agent: react, provider, env: SMALL });
    await talk(world, LONG);
    await world.say('And now?');
    await world.run();
    expect(provider.requests.filter(isSummary)).toHaveLength(1);
    expect(provider.requests.at(-1)!.messages[0]!.content).toContain('They said many x.');
    const before = await world.store.getPreviousState(world.interactionId);
    expect(before.map(({ content }) => content)).toEqual([
      ...['Hello', 'Fine.'],
      ...LONG.flatMap((message) => [message, 'Fine.']),
    ]);
  });

  it('sends the same when it is killed after it has summarised, and asks for no other summary', async () => {
    const provider = summarising(() => answerTurn('Fine.'));
    const world = await RunWorld.open({ agent: react, provider, env: SMALL });
    await talk(world, LONG.slice(0, 4));
    let asked: ModelRequest | undefined;
    await world.say(LONG[4]!);
    const lost = await world.takeUp({
      provider: new ScriptedProvider((request) => {
        if (isSummary(request)) return answerTurn('They said many x.');
        asked = request;
        lost!.lose();
        return answerTurn('Nobody hears this.');
      }),
    });
    await lost!.execute();
    expect(await world.types()).toEqual(['INTERACTION_STARTED', 'NOTICE', 'TURN_COMPLETED']);
    const before = provider.requests.length;
    await world.run();
    expect(provider.requests.slice(before)).toEqual([asked]);
    expect((await world.row()).status).toBe('COMPLETED');
    expect((await world.log()).map(({ key }) => key).slice(1, 3)).toEqual([
      null,
      'main/1/context.1',
    ]);
  });

  it('sends the same when it is killed after it has cut, and cuts once', async () => {
    const env = { ...SMALL, CONTEXT_STRATEGY: 'window' };
    const provider = summarising(() => answerTurn('Fine.'));
    const world = await RunWorld.open({ agent: react, provider, env });
    await talk(world, LONG.slice(0, 4));
    let asked: ModelRequest | undefined;
    await world.say(LONG[4]!);
    const lost = await world.takeUp({
      provider: new ScriptedProvider((request) => {
        asked = request;
        lost!.lose();
        return answerTurn('Nobody hears this.');
      }),
    });
    await lost!.execute();
    await world.run();
    expect(provider.requests.at(-1)).toEqual(asked);
    expect((await world.log()).filter(({ key }) => key === 'main/1/context.1')).toHaveLength(1);
    expect(await world.all('NOTICE')).toHaveLength(1);
  });

  it('keeps the message that the agent works on, and sends large outputs as references first', async () => {
    let turns = 0;
    const call = () => ({ id: 'c', name: 'dump', arguments: `{"n":${turns}}` });
    const provider = summarising(() =>
      turns++ < 12 ? callTurn([call()], `step ${turns} ${'y'.repeat(1_000)}`) : answerTurn('Done'),
    );
    const env = { MODEL_CONTEXT_TOKENS: '12000' };
    const world = await RunWorld.open({
      agent: react,
      provider,
      tools: [dump],
      env,
      max_iterations: 20,
    });
    await world.run();
    expect((await world.row()).error).toBeNull();
    const codes = (await world.all('NOTICE')).map(({ code }) => code);
    expect(codes[0]).toBe('context_cut');
    expect(codes).toContain('context_compacted');
    const last = provider.requests.at(-1)!.messages;
    expect(last.slice(0, 2).map(({ content }) => content)).toEqual([
      expect.stringContaining('They said many x.'),
      'Hello',
    ]);
    expect(last.some(({ content }) => content?.includes('read: .parley/outputs/'))).toBe(true);
    expect(checkConversation((await world.messages()) ?? [])).toEqual([]);
    expect((await world.messages())?.filter(({ role }) => role === 'tool')).toHaveLength(12);
  });

  it('leaves out what does not fit where a window is asked for, or no summary comes', async () => {
    for (const env of [{ ...SMALL, CONTEXT_STRATEGY: 'window' }, SMALL]) {
      const provider = new ScriptedProvider((request) =>
        uncounted(answerTurn(isSummary(request) ? '' : 'Fine.')),
      );
      const world = await RunWorld.open({ agent: react, provider, env });
      expect(await talk(world, LONG.slice(0, 5))).toEqual(['context_cut']);
      expect(provider.requests.filter(isSummary)).toHaveLength('CONTEXT_STRATEGY' in env ? 0 : 1);
      expect(provider.requests.at(-1)!.messages[0]!.content).toMatch(/ is left out: [^]*\]$/);
    }
  });

  it('fails the turn, and says what to do, when nothing is left to leave out', async () => {
    const provider = summarising(() => answerTurn('Fine.'));
    const world = await RunWorld.open({ agent: react, provider, env: SMALL });
    await talk(world, ['x'.repeat(20_000)]);
    const { error, status } = await world.row();
    expect({ status, code: error?.code }).toEqual({ status: 'FAILED', code: 'context_overflow' });
    expect(error?.message).toContain('MODEL_CONTEXT_TOKENS');
    expect(provider.requests).toHaveLength(1);
  });

  it('asks once more with less when the provider says that it is too long', async () => {
    const provider = new ScriptedProvider((request) => {
      if (isSummary(request)) return answerTurn('They said many x.');
      if (request.messages.length > 10) throw TOO_LONG;
      return answerTurn('Fine.');
    });
    const world = await RunWorld.open({ agent: react, provider });
    expect(await talk(world, LONG)).toEqual(['context_compacted', 'context_compacted']);
    expect((await world.row()).status).toBe('COMPLETED');
    expect(provider.requests.filter(isSummary)).toHaveLength(1); // the second time it is found
    expect(provider.requests.at(-1)!.messages[0]!.content).toContain('They said many x.');
  });

  it.each([{}, { CONTEXT_STRATEGY: 'none' }])(
    'fails clearly when the provider goes on saying so (%j)',
    async (env) => {
      const provider = new ScriptedProvider((request) => {
        if (isSummary(request)) return answerTurn('They said many x.');
        throw TOO_LONG;
      });
      const world = await RunWorld.open({ agent: react, provider, env });
      await world.run();
      const { error } = await world.row();
      expect(error?.code).toBe('context_overflow');
      expect(error?.message).toMatch(/fake\/model does not take [^]*prompt is too long/);
      expect(provider.requests.length).toBeLessThan(4);
    },
  );

  it('learns from what the model reports how far off its estimates are', async () => {
    const provider = new ScriptedProvider((request) => {
      const answer = answerTurn(isSummary(request) ? 'They said many x.' : 'Fine.');
      const usage = {
        input_tokens: 3 * Math.ceil(JSON.stringify(request.messages).length / 4),
        output_tokens: 1,
      };
      return answer.map((event) =>
        event.type === 'response_completed' ? { ...event, usage } : event,
      );
    });
    const agent = async (ctx: AgentContext): Promise<void> => {
      for (let turns = 0; turns < 2; turns++) await ctx.generate();
    };
    const world = await RunWorld.open({ agent, provider, env: SMALL });
    const half = LONG.map((message) => message.slice(0, 1_000));
    await talk(world, half.slice(0, 4));
    const [first, ...later] = provider.requests.filter((request) => !isSummary(request)).slice(-2);
    expect(first!.messages.length).toBeGreaterThan(later[0]!.messages.length);
  });

  describe('at a server that cuts long prompts without a word', () => {
    /** Counts at most `window` tokens of a prompt. */
    const cutting = (window: number) =>
      new ScriptedProvider((request) => {
        const input_tokens = Math.min(window, estimateOf(request));
        const usage = { input_tokens, output_tokens: 1 };
        const answer = answerTurn(isSummary(request) ? 'They said many x.' : 'Fine.');
        return answer.map((event) =>
          event.type === 'response_completed' ? { ...event, usage } : event,
        );
      });

    it('tells of it once, with both numbers and the way out, and fits its window from then on', async () => {
      const provider = cutting(4_096);
      const world = await RunWorld.open({ agent: react, provider });
      const codes = await talk(world, Array<string>(8).fill('word '.repeat(1_500)));
      expect(codes.filter((code) => code === 'prompt_cut')).toHaveLength(1);
      expect(codes).toContain('context_compacted');
      expect(estimateOf(provider.requests.at(-1)!)).toBeLessThan(4_096);
    });

    it('says what it has read of how much, and sends a message that is too long all the same', async () => {
      const world = await RunWorld.open({ agent: react, provider: cutting(4_096) });
      await talk(world, ['word '.repeat(12_000)]);
      const [notice] = await world.all('NOTICE');
      expect(notice).toMatchObject({ code: 'prompt_cut' });
      expect(notice!.message).toMatch(
        /^fake\/model has read only 4096 tokens of a prompt of about 15\d{3}: .*MODEL_CONTEXTS/,
      );
      await talk(world, ['word '.repeat(12_000)]);
      expect(await world.row()).toMatchObject({ status: 'COMPLETED' });
    });

    it.each([
      ['the window is named', { MODEL_CONTEXTS: '{"fake/model":64000}' }],
      ['nothing may be left out', { CONTEXT_STRATEGY: 'none' }],
    ])('cuts nothing itself where %s', async (_, env) => {
      const provider = cutting(4_096);
      const world = await RunWorld.open({ agent: react, provider, env });
      const codes = await talk(world, Array<string>(6).fill('word '.repeat(2_000)));
      expect(codes).toEqual(['prompt_cut']);
    });
  });

  it('keeps outputs for later calls, of this interaction and of those after it, and of no other chat', async () => {
    const open = new FakeTool(
      'open',
      async (input, { earlier_output }) =>
        (await earlier_output((input as { id: string }).id))?.slice(0, 3) ?? 'none',
      'rerun',
    );
    const calls: { id: string; name: string; arguments: string }[][] = [
      [{ id: 'c1', name: 'dump', arguments: '{}' }],
      [{ id: 'c2', name: 'open', arguments: '{"id":"c1"}' }],
      [],
      [
        { id: 'c3', name: 'open', arguments: '{"id":"c1"}' },
        { id: 'c4', name: 'open', arguments: '{"id":"c2"}' },
        { id: 'c5', name: 'open', arguments: '{"id":"elsewhere"}' },
      ],
      [],
    ];
    const provider = new ScriptedProvider(() => {
      const next = calls.shift()!;
      return next.length > 0 ? callTurn(next) : answerTurn('Done');
    });
    const world = await RunWorld.open({ agent: react, provider, tools: [dump, open] });
    await world.run();
    expect((await world.all('TOOL_RESULT')).at(-1)).toMatchObject({ tool_output: 'ooo' });
    await world.say('Again');
    await world.run();
    const outputs = (await world.all('TOOL_RESULT')).map(({ id, tool_output }) => [
      id,
      tool_output,
    ]);
    expect(Object.fromEntries(outputs)).toEqual({ c3: 'ooo', c4: 'ooo', c5: 'none' });
  });

  it('keeps of an output what a model does not get to read at once, through a crash and for later interactions', async () => {
    const long = `${'a'.repeat(50_000)}middle${'b'.repeat(50_000)}`;
    let runs = 0;
    const print = new FakeTool('print', () => (runs++, long));
    const seen: (string | undefined)[] = [];
    const look = async (_: unknown, { earlier_output }: ToolContext) =>
      `${seen.push(await earlier_output('c1'))}`;
    const tools = [print, new FakeTool('look', look, 'rerun')];
    const call = (id: string, name: string) => callTurn([{ id, name, arguments: '{}' }]);
    const turns = [
      ...[call('c1', 'print'), call('c2', 'look'), answerTurn('Done')],
      ...[call('c3', 'look'), answerTurn('Done')],
    ];
    const provider = ScriptedProvider.playing(...turns);
    const world = await RunWorld.open({ agent: react, provider, tools });
    await world.run({
      append: async (batches) => {
        const isOver = (await world.types()).includes('TOOL_RESULT');
        return isOver ? batches.map(() => 'fenced') : world.store.append(batches);
      },
    });
    const replayed = ScriptedProvider.playing(...turns.slice(1));
    await world.run({ provider: replayed });
    await world.say('Again');
    await world.run({ provider: replayed });
    expect([runs, seen]).toEqual([1, [long, long]]);
    const [sent] = replayed.requests;
    expect(sent!.messages.at(-1)!.content).toMatch(
      /^a+\n\[… \d+ characters cut; to see them, open \.parley\/outputs\/c1\.txt with the tool read …\]\nb+$/,
    );
    expect(sent!.messages.at(-1)!.content!.length).toBeLessThanOrEqual(30_000);
  });

  it('cuts the conversation of a child, and leaves that of its parent', async () => {
    const provider = summarising(() => uncounted(answerTurn('z'.repeat(2_000))));
    const kinds = {
      child: async (ctx: AgentContext) => {
        for (let turn = 0; turn < 7; turn++) await ctx.generate();
      },
    };
    const agent = async (ctx: AgentContext) => {
      await ctx.wait(await ctx.fork('Look into it', { agent_type: 'child' }));
      await ctx.generate();
    };
    const world = await RunWorld.open({ agent, kinds, provider, env: SMALL });
    await world.run();
    const cuts = (await world.log()).filter(
      ({ body }) => body.type === 'NOTICE' && body.code !== 'usage_estimated',
    );
    expect(cuts.map(({ agent_id }) => agent_id === world.rootId)).toEqual([false]);
    expect(provider.requests.at(-1)!.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    const turns = await world.all('TURN_COMPLETED');
    const used = provider.requests.map((request) =>
      isSummary(request) ? USAGE : { input_tokens: estimateOf(request), output_tokens: 2_000 / 4 },
    );
    expect(turns.map(({ usage }) => usage)).toEqual(used);
    expect(turns.filter((turn) => turn.usage_estimated)).toHaveLength(turns.length - 1);
    expect((await world.row()).usage).toEqual(used.reduce(addUsage));
  });
});
