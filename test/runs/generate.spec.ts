import { jest } from '@jest/globals';
import type { AgentContext } from '../../src/agents/agent-context.js';
import { GenerateEffect } from '../../src/runs/effects/generate.effect.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { ModelError } from '../../src/models/model-error.js';
import type { ModelEvent } from '../../src/models/model-provider.js';
import type { Delta } from '../../src/protocol/events.js';
import type { Thinking } from '../../src/protocol/thinking.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import {
  answerTurn,
  callTurn,
  completed,
  textDelta,
  thinkingDelta,
  USAGE,
} from '../support/model/model-events.js';
import type { Run } from '../../src/runs/run.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { RunWorldOptions } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const echo = new FakeTool('echo', (input) => JSON.stringify(input), 'rerun');
const TRY_AGAIN = new ModelError('model_overloaded', 'It is busy.', { retryable: true });
const FOR_GOOD = new ModelError('model_auth', 'The key was refused.', { retryable: false });

async function ran(options: RunWorldOptions): Promise<RunWorld> {
  const world = await RunWorld.open({ agent: react, tools: [echo], ...options });
  await world.run();
  expect(world.errors).toEqual([]);
  expect(checkConversation((await world.messages()) ?? [])).toEqual([]);
  return world;
}

/** A model that plays each of these once; an error is thrown where it stands. */
function playing(...turns: (ModelEvent | Error)[][]): ScriptedProvider {
  let played = 0;
  return new ScriptedProvider(function* () {
    for (const event of turns[played++] ?? []) {
      if (event instanceof Error) throw event;
      yield event;
    }
  });
}

function deltas(world: RunWorld): Delta[] {
  const items = world.frames.flatMap((frame) => frame.items);
  return items.flatMap((item) => (item.kind === 'delta' ? [item.delta] : []));
}

describe(GenerateEffect.name, () => {
  beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(1)); // the shortest backoff
  afterEach(() => void jest.restoreAllMocks());

  it('fails a turn with an event that it does not know, which readers of traces get', async () => {
    const unknown = { type: 'tool_call_completed', index: 0, name: 'echo' };
    const world = await ran({
      provider: playing([unknown as unknown as ModelEvent, completed('')]),
    });
    expect(await world.row()).toMatchObject({
      status: 'FAILED',
      error: {
        code: 'model_bad_response',
        message: expect.stringMatching(/unknown type "tool_call_completed".*tool_call_ready/),
      },
    });
    const frames = JSON.stringify(world.frames);
    expect(frames).toContain(JSON.stringify({ name: 'unknown_event', detail: unknown }).slice(1));
  });

  it('fails a turn whose message has calls that were in no event', async () => {
    const call = { id: 'c1', name: 'echo', arguments: '{}' };
    const world = await ran({ provider: playing([completed('', [call])]) });
    expect(await world.row()).toMatchObject({
      status: 'FAILED',
      error: { code: 'model_bad_response', message: expect.stringMatching(/no tool_call_ready/) },
    });
  });

  it.each([{ budget_tokens: 1_023 }, { budget_tokens: 2_000.5 }, 'much'])(
    'asks no model to think %j, which is out of bounds',
    async (thinking) => {
      const provider = playing([completed('')]);
      const agent = (ctx: AgentContext) => ctx.generate({ thinking: thinking as Thinking });
      const world = await ran({ agent: async (ctx) => void (await agent(ctx)), provider });
      const { error } = await world.row();
      expect(error).toMatchObject({
        code: 'invalid_thinking',
        message: expect.stringContaining('low, medium, high or {"budget_tokens"'),
      });
      expect(provider.requests).toEqual([]);
    },
  );

  it('records a turn at once and in order: thoughts, text, calls, its completion', async () => {
    const call = { id: 'c1', name: 'echo', arguments: '{"a":1}' };
    const first = [thinkingDelta('Hm'), ...callTurn([call, { ...call, id: 'c2' }], 'Look')];
    const world = await ran({ provider: playing(first, answerTurn('Do', 'ne')) });
    expect((await world.types()).slice(0, 6)).toEqual([
      'INTERACTION_STARTED',
      ...['THINKING', 'MESSAGE', 'TOOL_CALL', 'TOOL_CALL', 'TURN_COMPLETED'],
    ]);
    expect((await world.types()).slice(-3)).toEqual([
      ...['ANSWER', 'TURN_COMPLETED', 'INTERACTION_COMPLETE'],
    ]);
    const log = await world.log();
    expect(log.map(({ key }) => key).slice(3, 6)).toEqual(['main/1.0', 'main/1.1', 'main/1']);
    expect(await world.all('ANSWER')).toMatchObject([{ content: 'Done' }]);
  });

  it('streams deltas that add up to the blocks of the records', async () => {
    const call = { id: 'c1', name: 'echo', arguments: '{"a":"🦜"}' };
    const first = [thinkingDelta('H'), thinkingDelta('m \ud83e'), thinkingDelta('\udd9c!')];
    const provider = playing(
      [...first, ...callTurn([call], 'Look')],
      answerTurn('\ud83e', '\udd9c'),
    );
    const world = await ran({ provider });
    const blocks = new Map<string, string>();
    for (const { block_id, offset, delta } of deltas(world)) {
      expect(blocks.get(block_id)?.length ?? 0).toBe(offset);
      expect(delta.isWellFormed()).toBe(true);
      blocks.set(block_id, (blocks.get(block_id) ?? '') + delta);
    }
    const [thinking] = await world.all('THINKING');
    const [toolCall] = await world.all('TOOL_CALL');
    const [answer] = await world.all('ANSWER');
    expect(thinking?.content).toBe('Hm 🦜!');
    expect(blocks.get(thinking!.block_id)).toBe('Hm 🦜!');
    expect(blocks.get(toolCall!.block_id)).toBe(toolCall!.tool_input);
    expect(blocks.get(answer!.block_id)).toBe('🦜');
    expect(deltas(world).find(({ type }) => type === 'TOOL_INPUT_DELTA')?.tool_call_id).toBe('c1');
  });

  it('gives every call an id of its own, whatever the provider sends', async () => {
    const calls = ['same', 'same', '', 'k'.repeat(1_024), 'with space'].map((id, n) => {
      return { id, name: 'echo', arguments: `{"n":${n}}` };
    });
    const provider = playing(callTurn(calls), callTurn(calls.slice(0, 2)), answerTurn('Done'));
    const world = await ran({ provider });
    const ids = (await world.all('TOOL_CALL')).map(({ id }) => id);
    expect(new Set(ids).size).toBe(7);
    expect(ids[0]).toBe('same');
    expect((await world.all('TOOL_RESULT')).map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  it('keeps ids apart over the interactions of a chat', async () => {
    const call = { id: 'call_0', name: 'echo', arguments: '{}' };
    const world = await ran({ provider: playing(callTurn([call]), answerTurn('One')) });
    await world.say('Again');
    const provider = playing(callTurn([call]), answerTurn('Two'));
    await world.run({ provider });
    expect((await world.all('TOOL_CALL'))[0]?.id).not.toBe('call_0');
    expect(checkConversation(provider.requests[1]!.messages)).toEqual([]);
    expect(provider.requests[1]!.messages).toHaveLength(7);
  });

  it.each(['{"a":', '[1]', '"text"', 'null', '', '{}{}'])(
    'keeps the arguments %j in the log, and an object in the conversation',
    async (args) => {
      const call = { id: 'c1', name: 'echo', arguments: args };
      const world = await ran({ provider: playing(callTurn([call]), answerTurn('Done')) });
      expect((await world.all('TOOL_CALL'))[0]?.tool_input).toBe(args);
      const assistant = (await world.messages())![1];
      expect(assistant).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
      const isNone = ['', 'null', '{}{}'].includes(args);
      expect((await world.all('TOOL_RESULT'))[0]?.is_error).toBe(!isNone);
    },
  );

  it('takes a call that comes whole', async () => {
    const call = { id: 'c1', name: 'echo', arguments: '{"a":1}' };
    const ready: ModelEvent = { type: 'tool_call_ready', index: 0, ...call };
    const world = await ran({ provider: playing([ready, completed('', [call])], answerTurn('')) });
    expect((await world.all('TOOL_CALL'))[0]?.tool_input).toBe('{"a":1}');
    expect((await world.all('TOOL_RESULT'))[0]?.tool_output).toBe('{"a":1}');
  });

  it.each(['functions.echo', '', 'no such tool'])(
    'keeps a conversation usable in which the model calls %j',
    async (name) => {
      const call = { id: 'c1', name, arguments: '{}' };
      const world = await ran({ provider: playing(callTurn([call]), answerTurn('Done')) });
      const [toolCall] = await world.all('TOOL_CALL');
      const [result] = await world.all('TOOL_RESULT');
      expect(result).toMatchObject({ tool_name: toolCall?.tool_name, is_error: true });
      expect(result?.tool_output).toContain('There is no tool');
    },
  );

  it('ends with an empty answer when the model says nothing', async () => {
    const world = await ran({ provider: playing([completed('')]) });
    expect(await world.all('ANSWER')).toMatchObject([{ content: '' }]);
    expect((await world.row()).status).toBe('COMPLETED');
  });

  it('voids the blocks of a try that failed, and uses new ones', async () => {
    const half = [thinkingDelta('Hm'), textDelta('Hal'), TRY_AGAIN];
    const world = await ran({ provider: playing(half, answerTurn('Whole')) });
    const [notice] = await world.all('NOTICE');
    const [answer] = await world.all('ANSWER');
    const first = deltas(world).filter(({ delta }) => delta !== 'Whole');
    expect(notice).toMatchObject({ code: 'model_retry' });
    expect(notice?.message).toContain('It is busy.');
    expect(notice?.void).toEqual(first.map(({ block_id }) => block_id));
    expect(notice?.void).not.toContain(answer?.block_id);
    expect(await world.all('THINKING')).toEqual([]);
    expect(await world.all('TURN_COMPLETED')).toHaveLength(1);
  });

  it('tries again when the stream ends without an end, and voids nothing where nothing was shown', async () => {
    const world = await ran({ provider: playing([], answerTurn('Whole')) });
    const [notice] = await world.all('NOTICE');
    expect(notice?.message).toContain('stopped in the middle');
    expect(notice).not.toHaveProperty('void');
    expect(await world.all('ANSWER')).toMatchObject([{ content: 'Whole' }]);
  });

  it('completes a turn that fails for good, and fails the agent with the same error', async () => {
    const world = await ran({ provider: playing([textDelta('Hal'), FOR_GOOD]) });
    const error = { code: 'model_auth', message: 'The key was refused.' };
    expect(await world.all('TURN_COMPLETED')).toMatchObject([{ finish_reason: 'error', error }]);
    const [notice] = await world.all('NOTICE');
    expect(notice?.void).toEqual([deltas(world)[0]?.block_id]);
    expect(await world.all('ERROR')).toMatchObject([error]);
    expect(await world.row()).toMatchObject({ status: 'FAILED', error });
    expect(await world.messages()).toEqual([{ role: 'user', content: 'Hello' }]);
  });

  it('lets an agent catch a failed turn and go on', async () => {
    const world = await ran({
      provider: playing([FOR_GOOD], answerTurn('Second')),
      agent: async (ctx) => {
        const failure = await ctx.generate().catch((error: { code: string }) => error.code);
        expect(failure).toBe('model_auth');
        await ctx.generate();
      },
    });
    expect((await world.row()).status).toBe('COMPLETED');
    expect(await world.all('TURN_COMPLETED')).toHaveLength(2);
  });

  it('is quiet about what nobody is to see', async () => {
    const call = { id: 'c1', name: 'echo', arguments: '{}' };
    const world = await ran({
      provider: playing([thinkingDelta('Hm'), ...callTurn([call], 'Secret')]),
      agent: async (ctx) => {
        const turn = await ctx.generate({ visible: false });
        expect(turn.text).toBe('Secret');
        await ctx.callTools(turn.tool_calls);
        return 'Shown';
      },
    });
    expect(deltas(world)).toEqual([]);
    expect(await world.types()).toEqual([
      ...['INTERACTION_STARTED', 'TOOL_CALL', 'TURN_COMPLETED', 'TOOL_STARTED', 'TOOL_RESULT'],
      ...['ANSWER', 'INTERACTION_COMPLETE'],
    ]);
    expect(await world.messages()).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Shown' },
    ]);
  });

  it('sends a conversation of its own where one is given', async () => {
    const own = [{ role: 'user', content: 'Own' }] as const;
    const provider = playing(answerTurn('To own'), answerTurn('To all'));
    const world = await ran({
      provider,
      agent: async (ctx) => {
        await ctx.generate({ messages: own, visible: false });
        await ctx.generate();
      },
    });
    expect(provider.requests.map(({ messages }) => messages)).toEqual([
      own,
      [{ role: 'user', content: 'Hello' }],
    ]);
    expect(await world.messages()).toHaveLength(2);
  });

  it('asks the model for what the agent asks for', async () => {
    const provider = playing(answerTurn('{}'));
    const schema = { type: 'object' };
    const options = { instructions: 'Be brief', schema, max_output_tokens: 7 };
    await ran({
      provider,
      agent: async (ctx) => {
        await ctx.generate({ ...options, tools: ['echo'], tool_choice: 'required' });
      },
    });
    expect(provider.requests[0]).toMatchObject({
      ...options,
      model: 'model',
      tool_choice: 'required',
    });
    expect(provider.requests[0]?.tools?.map(({ name }) => name)).toEqual(['echo']);
  });

  it('adds up what turns used, also those of a run that was lost', async () => {
    const call = { id: 'c1', name: 'echo', arguments: '{}' };
    const world = await RunWorld.open({ agent: react, tools: [echo] });
    const lost = await world.takeUp({
      provider: playing(callTurn([call])),
      tools: [new FakeTool('echo', () => lost!.lose() as never, 'rerun')],
    });
    await lost!.execute();
    expect((await world.row()).usage).toEqual(USAGE);
    await world.run({ provider: playing(answerTurn('Done')) });
    expect((await world.row()).usage).toEqual({
      input_tokens: 2 * USAGE.input_tokens,
      output_tokens: 2 * USAGE.output_tokens,
    });
  });

  it.each<[string, object | undefined, object]>([
    ['no usage', undefined, { output_tokens: 1 }],
    ['numbers that are none', { input_tokens: -1e300, output_tokens: NaN }, { output_tokens: 1 }],
    [
      'more parts than there are tokens',
      { input_tokens: '12', output_tokens: 3, cached_tokens: 1e300, cache_write_tokens: 1e300 },
      { input_tokens: 12, output_tokens: 3, cached_tokens: 12, cache_write_tokens: 0 },
    ],
    ['a cost below 0', { ...USAGE, cost_usd: -1 }, USAGE],
  ])(
    'completes a turn whose provider sends %s, and spends no less than nothing',
    async (_, usage, told) => {
      const done = { ...completed('Done'), usage } as ModelEvent;
      const env = { MODEL_PRICES: JSON.stringify({ 'fake/model': { input: 1, output: 2 } }) };
      const world = await RunWorld.open({
        ...{ agent: react, env },
        provider: playing([textDelta('Done'), done]),
      });
      await world.run();
      const row = await world.row();
      expect(row).toMatchObject({ status: 'COMPLETED', usage: told });
      expect(row.usage.cost_usd).toBeGreaterThan(0);
      const [turn] = await world.all('TURN_COMPLETED');
      expect(row.usage).toEqual(turn!.usage);
    },
  );

  it('counts an estimate of a turn that a cancel cuts off, with its cost', async () => {
    let run: Run | undefined;
    const provider = new ScriptedProvider(function* () {
      yield textDelta('Two words');
      run!.cancel('Enough.');
    });
    const env = { MODEL_PRICES: JSON.stringify({ 'fake/model': { input: 1, output: 2 } }) };
    const world = await RunWorld.open({ agent: react, provider, env });
    run = await world.takeUp();
    await run!.execute();
    const { status, usage } = await world.row();
    expect([status, usage.output_tokens]).toEqual(['CANCELLED', 3]);
    const { input_tokens, cost_usd } = usage;
    expect(input_tokens).toBeGreaterThan(0);
    expect(cost_usd).toBeCloseTo((input_tokens + 2 * 3) / 1_000_000, 10);
  });

  it('sends no model more than it may be sent', async () => {
    const provider = playing(answerTurn('Done'));
    const env = { CONTEXT_STRATEGY: 'none' };
    const world = await RunWorld.open({ agent: react, provider, env });
    await world.run();
    await world.say('x'.repeat(4_000_001));
    await world.run();
    expect((await world.row()).error?.code).toBe('input_too_large');
    expect(provider.requests).toHaveLength(1);
  });

  it.each([
    ['unknown_model', { model: 'nobody/nothing' }],
    ['unknown_tool', { tools: ['nothing'] }],
  ])('fails the turn with %s', async (code, options) => {
    const world = await ran({
      agent: async (ctx) => {
        await ctx.generate(options);
      },
    });
    expect(await world.all('TURN_COMPLETED')).toMatchObject([{ error: { code } }]);
    expect((await world.row()).error?.code).toBe(code);
  });

  it('says that an answer was cut off at the limit of tokens', async () => {
    const world = await ran({
      agent: react,
      provider: playing([textDelta('too lo'), completed('too lo', [], 'length')]),
    });
    expect(await world.all('ANSWER')).toMatchObject([
      { content: 'too lo', finish_reason: 'length' },
    ]);
    expect(await world.all('NOTICE')).toMatchObject([{ code: 'answer_cut' }]);
    const whole = await ran({ agent: react });
    expect((await whole.all('ANSWER'))[0]).not.toHaveProperty('finish_reason');
    expect(await whole.all('NOTICE')).toEqual([]);
  });

  it('ends the interaction, and logs why, when a provider has a bug', async () => {
    const bug = new TypeError('undefined is not a function');
    const world = await RunWorld.open({ agent: react, provider: playing([textDelta('H'), bug]) });
    await world.run();
    expect(await world.row()).toMatchObject({ status: 'FAILED', error: { code: 'agent_error' } });
    expect(world.errors).toEqual([bug]);
  });

  it('passes on what it does not know as a trace', async () => {
    const trace: ModelEvent = { type: 'trace', name: 'odd', detail: { a: 1 } };
    const world = await ran({ provider: playing([trace, ...answerTurn('Hi')]) });
    const items = world.frames.flatMap((frame) => frame.items);
    expect(items.find((item) => item.kind === 'trace')).toMatchObject({ trace: { name: 'odd' } });
  });
});
