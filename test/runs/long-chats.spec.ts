import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import type { ModelEvent, ModelRequest } from '../../src/models/model-provider.js';
import type { Message } from '../../src/protocol/message.js';
import { ConversationLoader } from '../../src/runs/context-window/earlier-conversation.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import type { RunWorldOptions } from '../support/runs/run-world.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { FakeTool } from '../support/tools/fake-tool.js';

const SMALL = { MODEL_CONTEXT_TOKENS: '4000' };
const LONG = Array.from({ length: 24 }, (_, i) => `m${i} ${'x'.repeat(1_500)}`);
const WHOLE_BYTES = 12_000;
const dump = new FakeTool('dump', (input) => `${JSON.stringify(input)} ${'o'.repeat(3_000)}`);
const RULES: Message = { role: 'system', content: 'Be kind.' };
const START: readonly Message[] = [
  RULES,
  { role: 'user', content: 'Before all' },
  { role: 'assistant', content: 'Yes.' },
];
const CALLED: readonly Message[] = [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_begun', type: 'function', function: { name: 'dump', arguments: '{}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_begun', content: 'It was sunny.' },
  { role: 'assistant', content: 'Sunny.' },
];

function isSummary({ instructions }: ModelRequest): boolean {
  return instructions?.startsWith('You keep the memory') ?? false;
}

/** Calls `dump` once for each message, always by the same id. */
function calling(request: ModelRequest): ModelEvent[] {
  expect(checkConversation(request.messages)).toEqual([]);
  if (isSummary(request)) return answerTurn(`Summary of ${request.messages[0]!.content!.length}.`);
  const last = request.messages.at(-1)!;
  if (last.role === 'tool') return answerTurn('Fine.');
  const of = last.content!.slice(0, 3);
  return callTurn([{ id: 'c', name: 'dump', arguments: JSON.stringify({ of }) }]);
}

describe(ConversationLoader.name, () => {
  let seen: (readonly Message[])[];
  const react = async (ctx: AgentContext): Promise<void> => {
    seen.push(ctx.messages);
    await new ReactAgent().run(ctx);
  };

  beforeEach(() => {
    seen = [];
  });

  /** Says all of `LONG`; answers with the world, and with each request to its model. */
  async function talk(
    options: RunWorldOptions,
    texts = LONG,
  ): Promise<{ world: RunWorld; requests: readonly ModelRequest[] }> {
    const provider = new ScriptedProvider(calling);
    const world = await RunWorld.open({ agent: react, provider, tools: [dump], ...options });
    await world.run();
    for (const text of texts) {
      await world.say(text);
      await world.run();
    }
    return { world, requests: provider.requests };
  }

  it.each([
    ['compact', { ...SMALL }],
    ['window', { ...SMALL, CONTEXT_STRATEGY: 'window' }],
  ])('sends a model the same as if all were loaded (%s)', async (_, env) => {
    const whole = await talk({ env, messages: START, whole_bytes: Infinity });
    const all = seen;
    seen = [];
    const part = await talk({ env, messages: START, whole_bytes: WHOLE_BYTES });
    expect(part.requests.map(withoutIds)).toEqual(whole.requests.map(withoutIds));
    expect(all.at(-1)!.length).toBeGreaterThan(LONG.length * 4);
    const last = seen.at(-1)!;
    expect(last.length).toBeLessThan(60);
    expect(last[0]).toEqual(RULES);
    expect(checkConversation(last)).toEqual([]);
    const kept = await part.world.store.getPreviousState(part.world.interactionId);
    expect(kept.map(({ content }) => content)).toEqual(
      all
        .at(-1)!
        .slice(0, -1)
        .map(({ content }) => content),
    );
    expect(checkConversation(kept)).toEqual([]);
    const ids = kept.flatMap((message) => (message.role === 'tool' ? message.tool_call_id : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('reads no more from the store, however long the chat is', async () => {
    const { world } = await talk({ env: SMALL, whole_bytes: WHOLE_BYTES }, LONG.slice(0, 12));
    const read: number[] = [];
    const { store } = world;
    const { findAddedMessages } = store;
    store.findAddedMessages = async (ids) => {
      read.push(ids.length);
      return findAddedMessages.call(store, ids);
    };
    countStates(store, read);
    const counts: number[] = [];
    for (const text of LONG) {
      read.length = 0;
      await world.say(text);
      await world.run();
      counts.push(read.reduce((sum, count) => sum + count, 0));
    }
    expect(Math.max(...counts)).toBeLessThan(25);
  });

  it('loads the same for each run of an interaction', async () => {
    const { world } = await talk({ env: SMALL, whole_bytes: WHOLE_BYTES });
    await world.say('Go on');
    const lost = await world.takeUp({
      agent: async (ctx) => {
        seen.push(ctx.messages);
        lost!.lose();
        await new Promise(() => {});
      },
    });
    await lost!.execute();
    await world.run();
    expect(seen.at(-1)).toEqual(seen.at(-2));
    expect(seen.at(-1)!.at(-1)).toEqual({ role: 'user', content: 'Go on' });
  });

  it('loads what the settings of a chat let the model see', async () => {
    const options = { env: SMALL, messages: START, context_messages: 6 };
    const whole = await talk({ ...options, whole_bytes: Infinity });
    seen = [];
    const part = await talk({ ...options, whole_bytes: WHOLE_BYTES });
    expect(part.requests.map(withoutIds)).toEqual(whole.requests.map(withoutIds));
    const last = seen.at(-1)!;
    expect(last.length).toBeLessThan(60);
    expect(last[0]).toEqual(RULES);
  });

  it('opens outputs of calls that it has not loaded, and none that the chat does not show', async () => {
    const messages = [...START, ...CALLED];
    const { world } = await talk({ env: SMALL, whole_bytes: WHOLE_BYTES, messages });
    const before = await world.store.getPreviousState(world.interactionId);
    const [begun, old] = before.flatMap((message) => (message.role === 'tool' ? [message] : []));
    const read: number[] = [];
    const found: (string | undefined)[] = [];
    const open = new FakeTool('open', async (_, { earlier_output }) => {
      countStates(world.store, read);
      for (const id of [old!.tool_call_id, begun!.tool_call_id, 'call_unknown'])
        found.push(await earlier_output(id));
      return 'Opened.';
    });
    await world.say('Open it');
    await world.run({
      tools: [open],
      provider: ScriptedProvider.playing(
        callTurn([{ id: 'o', name: 'open', arguments: '{}' }]),
        answerTurn('Done.'),
      ),
    });
    expect(seen.at(-1)).not.toContainEqual(old);
    expect(found).toEqual([old!.content, 'It was sunny.', undefined]);
    expect(read).toEqual([messages.length, messages.length]);
  });
});

/** Adds the number of messages of each conversation that the store reads. */
function countStates(store: WholeStore, read: number[]): void {
  const { getPreviousState } = store;
  store.getPreviousState = async (id) => {
    const messages = await getPreviousState.call(store, id);
    read.push(messages.length);
    return messages;
  };
}

/** Calls get ids of their own if another may have theirs. */
function withoutIds({ messages, instructions }: ModelRequest): unknown {
  const text = JSON.stringify([messages, instructions]);
  return text.replace(/call_[0-9a-f-]{36}/g, 'call_-');
}
