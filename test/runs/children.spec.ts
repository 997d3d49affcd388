import { uidOf } from '../support/store/chat-parts.js';
import type { AgentContext, AgentHandle } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { Children } from '../../src/runs/children/children.js';
import { Conversation } from '../../src/conversation/conversation.js';
import { MaxIterations } from '../../src/agents/kinds/react/react-loop.js';
import type { LogRecord } from '../../src/persistence/rows/log-record.js';
import type { RecordOf } from '../../src/protocol/events.js';
import type { Message } from '../../src/protocol/message.js';
import { AgentTool } from '../../src/tools/agent/agent.tool.js';
import { checkConversation } from '../support/runs/check-conversation.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { Gate } from '../support/gate.js';
import { answerTurn, callTurn, completed, textDelta } from '../support/model/model-events.js';
import { aborted, quiet } from '../support/quiet.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { AgentFunction, RunWorldOptions } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const CALL = { id: 'c1', name: 'tool', arguments: '{}' };
const react: AgentFunction = (ctx) => new ReactAgent().run(ctx);
const waitsForever: AgentFunction = async (ctx) => void (await ctx.ask('Are you there?'));

async function ran(options: RunWorldOptions): Promise<RunWorld> {
  const world = await RunWorld.open({ kinds: { react }, ...options });
  await world.run();
  await expectEnded(world);
  return world;
}

function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch(({ code, message }: { code: string; message: string }) => [code, message]);
}

async function endsOf(world: RunWorld): Promise<RecordOf<'AGENT_COMPLETED'>[]> {
  return world.all('AGENT_COMPLETED');
}

function conversationOf(log: readonly LogRecord[], agentId: string): readonly Message[] {
  const conversation = new Conversation([]);
  for (const record of log) if (record.agent_id === agentId) conversation.apply(record);
  return conversation.messages;
}

/** An agent whose work goes on for a while after it was stopped. */
function workUntilStopped(working: Gate, stopped: () => void) {
  return (ctx: AgentContext): Promise<void> =>
    ctx.step('work', async () => {
      void working.pass();
      await aborted(ctx.signal);
      await quiet(undefined);
      stopped();
    });
}

describe(Children.name, () => {
  it('are in the log of their root with an agent_id of their own, and say messages, not answers', async () => {
    let child: AgentHandle | undefined;
    const world = await ran({
      agent: async (ctx) => {
        child = await ctx.fork('Say hi');
        return `It said ${await ctx.wait(child)}`;
      },
    });
    const { agent_id } = child!;
    expect(agent_id).toMatch(/^agent_/);
    const log = await world.log();
    const theirs = log.filter((record) => record.agent_id === agent_id).map(({ body }) => body);
    expect(theirs).toMatchObject([
      {
        type: 'AGENT_STARTED',
        parent_agent_id: world.rootId,
        agent_type: 'react',
        prompt: 'Say hi',
      },
      { type: 'MESSAGE', content: 'Hi' },
      { type: 'TURN_COMPLETED' },
      { type: 'AGENT_COMPLETED', status: 'completed', result: 'Hi' },
    ]);
    expect(await world.all('ANSWER')).toMatchObject([{ content: 'It said Hi' }]);
    expect(await world.messages()).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'It said Hi' },
    ]);
    expect((await world.row()).usage.input_tokens).toBe(10);
    expect(conversationOf(log, agent_id)).toEqual([
      { role: 'user', content: 'Say hi' },
      { role: 'assistant', content: 'Hi' },
    ]);
  });

  it('know who they are, and their handle knows how they are', async () => {
    const states: string[] = [];
    let identity: unknown;
    const world = await ran({
      agent: async (ctx) => {
        const child = await ctx.fork('', { agent_type: 'kind' });
        expect(child).toMatchObject({ type: 'kind', parent_id: ctx.agent.id });
        states.push(child.state);
        await ctx.wait(child);
        states.push(child.state);
      },
      kinds: { kind: async (ctx) => void (identity = ctx.agent) },
    });
    expect(states).toEqual(['running', 'completed']);
    const [started] = (await world.log()).filter(({ body }) => body.type === 'AGENT_STARTED');
    expect(identity).toEqual({
      id: started!.agent_id,
      type: 'kind',
      parent_id: world.rootId,
      chat_id: world.chatId,
      chat_uid: uidOf(world.chatId),
      interaction_id: world.interactionId,
      metadata: {},
    });
  });

  it('begin with the prompt, and ask with what their fork says unless they say otherwise', async () => {
    const provider = ScriptedProvider.playing(answerTurn('Hi'));
    const tools = [new FakeTool('one', () => ''), new FakeTool('two', () => '')];
    await ran({
      provider,
      tools,
      agent: async (ctx) => {
        const settings = { tools: ['two'], instructions: 'Be kind', model: 'fake/other' };
        await ctx.wait(await ctx.fork('Go', { agent_type: 'kind', ...settings }));
      },
      kinds: { kind: async (ctx) => void (await ctx.generate({ instructions: 'Be short' })) },
    });
    const [request] = provider.requests;
    expect(request).toMatchObject({ model: 'other', instructions: 'Be short' });
    expect(request!.tools!.map(({ name }) => name)).toEqual(['two']);
    expect(request!.messages).toEqual([{ role: 'user', content: 'Go' }]);
  });

  it('run beside each other and beside their parent', async () => {
    const gates = [new Gate(), new Gate(), new Gate()];
    const meet = async (ctx: AgentContext, i: number): Promise<void> => {
      await ctx.step('meet', async () => {
        gates[i]!.open();
        await Promise.all(gates.map((gate) => gate.pass()));
      });
    };
    const world = await ran({
      agent: async (ctx) => {
        const children = await Promise.all(
          ['1', '2'].map((prompt) => ctx.fork(prompt, { agent_type: 'kind' })),
        );
        await meet(ctx, 0);
        return (await Promise.all(children.map((child) => ctx.wait(child)))).join();
      },
      kinds: {
        kind: async (ctx) => {
          const prompt = ctx.messages[0]?.content;
          await meet(ctx, Number(prompt));
          return `child ${prompt}`;
        },
      },
    });
    expect(await world.all('ANSWER')).toMatchObject([{ content: 'child 1,child 2' }]);
  });

  it('that fail end "error", and whoever waits gets their error, however often and late', async () => {
    const world = await ran({
      agent: async (ctx) => {
        const child = await ctx.fork('', { agent_type: 'broken' });
        const first = await outcome(ctx.wait(child));
        return JSON.stringify([first, await outcome(ctx.wait(child)), child.state]);
      },
      kinds: { broken: () => Promise.reject(new MaxIterations(3)) },
    });
    const error = ['max_iterations', new MaxIterations(3).message];
    const [answer] = await world.all('ANSWER');
    expect(JSON.parse(answer!.content)).toEqual([error, error, 'error']);
    expect(await endsOf(world)).toMatchObject([{ status: 'error', result: error[1] }]);
  });

  it('that fail while nobody waits harm nobody', async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', listen);
    const world = await ran({
      agent: async (ctx) => {
        const child = await ctx.fork('', { agent_type: 'broken' });
        void ctx.wait(child);
        void ctx.fork('', { agent_type: 'missing' });
        await ctx.step('a while', () => quiet(undefined));
        return child.state;
      },
      kinds: { broken: () => Promise.reject(new Error('Oops')) },
    });
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
    expect(await world.all('ANSWER')).toMatchObject([{ content: 'error' }]);
  });

  it('fail their parent where it does not catch that', async () => {
    const world = await ran({
      agent: async (ctx) => ctx.wait(await ctx.fork('', { agent_type: 'broken' })),
      kinds: { broken: () => Promise.reject(new Error('Oops')) },
    });
    expect(await world.row()).toMatchObject({
      status: 'FAILED',
      error: { code: 'agent_error', message: 'The agent failed: Oops' },
    });
  });

  it('are stopped when their parent returns: calls get results, blocks end, and the end is told', async () => {
    const streaming = new Gate();
    const running = new Gate();
    let stopped = false;
    const tool = new FakeTool('tool', async (_, { signal }) => {
      running.open();
      await aborted(signal);
      stopped = true;
      return 'late';
    });
    const provider = new ScriptedProvider(async function* ({ messages }, signal) {
      if (messages[0]?.content === 'call') return yield* callTurn([CALL]);
      yield textDelta('Never seen to its ');
      await Promise.race([streaming.pass(), aborted(signal)]);
      signal.throwIfAborted();
      yield completed('end');
    });
    const world = await ran({
      provider,
      tools: [tool],
      agent: async (ctx) => {
        await ctx.fork('call');
        await ctx.fork('talk');
        await ctx.step('a while', () => Promise.all([streaming.reached, running.pass()]));
        return 'Done';
      },
    });
    expect(stopped).toBe(true);
    expect(await endsOf(world)).toMatchObject([
      { status: 'cancelled', result: expect.stringContaining('without waiting') },
      { status: 'cancelled', result: expect.stringContaining('without waiting') },
    ]);
    expect(await world.all('TOOL_RESULT')).toMatchObject([{ is_error: true }]);
    expect(await world.all('NOTICE')).toMatchObject([{ void: [expect.any(String)] }]);
    expect((await world.types()).slice(-2)).toEqual(['ANSWER', 'INTERACTION_COMPLETE']);
    const log = await world.log();
    const [caller] = log.filter(({ body }) => body.type === 'AGENT_STARTED');
    expect(checkConversation(conversationOf(log, caller!.agent_id))).toEqual([]);
    const [turn] = await world.all('TURN_COMPLETED');
    const { output_tokens } = (await world.row()).usage;
    expect(output_tokens).toBeGreaterThan(turn!.usage.output_tokens); // the turn that was cut off
  });

  it('are stopped with their own children, requests and all, while the interaction goes on', async () => {
    const world = await ran({
      agent: async (ctx) => {
        const child = await ctx.fork('', { agent_type: 'parent' });
        await ctx.step('a while', () => quiet(undefined));
        child.interrupt();
        const end = await outcome(ctx.wait(child));
        return JSON.stringify([end, child.state]);
      },
      kinds: {
        parent: async (ctx) => void (await ctx.wait(await ctx.fork('', { agent_type: 'asker' }))),
        asker: waitsForever,
      },
    });
    const [answer] = await world.all('ANSWER');
    expect(JSON.parse(answer!.content)).toEqual([
      ['agent_cancelled', 'Its parent stopped it.'],
      'cancelled',
    ]);
    expect(await world.all('INPUT_RECEIVED')).toMatchObject([{ answer: null }]);
    expect(await endsOf(world)).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
    const requests = await world.store.listRequests({ limit: 10 });
    expect(requests).toMatchObject([
      { status: 'settled', settlement: { by: { kind: 'system' }, cause: 'cancel' } },
    ]);
    expect((await world.log()).map(({ agent_id }) => agent_id)).toContain(requests[0]!.agent_id);
  });

  it('are named by a cancel, and have ended before it is told (I7)', async () => {
    const world = await RunWorld.open({
      agent: async (ctx) => void (await ctx.wait(await ctx.fork('', { agent_type: 'parent' }))),
      kinds: {
        parent: async (ctx) => void (await ctx.wait(await ctx.fork('', { agent_type: 'asker' }))),
        asker: waitsForever,
      },
    });
    const run = (await world.takeUp())!;
    const done = run.execute();
    while (!(await world.types()).includes('INPUT_REQUIRED')) await quiet(undefined, 1);
    run.cancel('user');
    await done;
    await expectEnded(world);
    const [child, grandchild] = (await world.log()).filter(
      ({ body }) => body.type === 'AGENT_STARTED',
    );
    expect(await world.all('CANCELLED')).toMatchObject([
      {
        stopped: [
          { kind: 'agent', name: 'asker', id: grandchild!.agent_id, state: 'stopped' },
          { kind: 'agent', name: 'parent', id: child!.agent_id, state: 'stopped' },
        ],
      },
    ]);
    expect((await world.types()).slice(-4)).toEqual([
      ...['AGENT_COMPLETED', 'AGENT_COMPLETED', 'CANCELLED', 'INTERACTION_COMPLETE'],
    ]);
  });

  it('have no work left when a cancel is told (I7)', async () => {
    const working = new Gate();
    const events: string[] = [];
    const world = await RunWorld.open({
      agent: async (ctx) => void (await ctx.wait(await ctx.fork('', { agent_type: 'worker' }))),
      kinds: { worker: workUntilStopped(working, () => events.push('stopped')) },
    });
    const run = (await world.takeUp({
      append: (batches) => {
        if (JSON.stringify(batches).includes('"CANCELLED"')) events.push('told');
        return world.store.append(batches);
      },
    }))!;
    const done = run.execute();
    await working.reached;
    run.cancel('user');
    await done;
    await expectEnded(world);
    expect(events).toEqual(['stopped', 'told']);
  });

  it('that are stopped have no work left when their end is told (I7)', async () => {
    const working = new Gate();
    const events: string[] = [];
    const world = await RunWorld.open({
      agent: async (ctx) => {
        const child = await ctx.fork('', { agent_type: 'worker' });
        await working.reached;
        child.interrupt();
        await outcome(ctx.wait(child));
      },
      kinds: { worker: workUntilStopped(working, () => events.push('stopped')) },
    });
    await world.run({
      append: (batches) => {
        if (JSON.stringify(batches).includes('"AGENT_COMPLETED"')) events.push('told');
        return world.store.append(batches);
      },
    });
    await expectEnded(world);
    expect(events).toEqual(['stopped', 'told']);
  });

  it('may not be nested without end, nor be too many at once; that can be caught', async () => {
    const deep: AgentFunction = async (ctx) => {
      const below = await outcome(ctx.fork('', { agent_type: 'deep' }));
      if (Array.isArray(below)) return `refused: ${below[0]}`;
      return `${await ctx.wait(below as AgentHandle)}, deeper`;
    };
    const world = await ran({
      agent: async (ctx) => {
        const depth = await ctx.wait(await ctx.fork('', { agent_type: 'deep' }));
        const forks = Array.from({ length: 110 }, () => ctx.fork('', { agent_type: 'asker' }));
        const refused = (await Promise.all(forks.map(outcome))).filter(Array.isArray);
        return `${depth}; ${refused.length} refused`;
      },
      kinds: { deep, asker: waitsForever },
    });
    expect(await world.all('ANSWER')).toMatchObject([
      { content: 'refused: too_many_agents, deeper, deeper, deeper; 10 refused' },
    ]);
    expect((await world.all('NOTICE')).map(({ code }) => code)).toEqual(
      Array.from({ length: 11 }, () => 'fork_refused'),
    );
  });

  it('may be as deep and as many as the server allows', async () => {
    const deep: AgentFunction = async (ctx) => {
      const below = await outcome(ctx.fork('', { agent_type: 'deep' }));
      return Array.isArray(below) ? String(below) : ctx.wait(below as AgentHandle);
    };
    const world = await ran({
      env: { MAX_AGENT_DEPTH: '1', MAX_AGENTS: '2' },
      agent: async (ctx) => {
        const depth = await ctx.wait(await ctx.fork('', { agent_type: 'deep' }));
        for (let i = 0; i < 2; i++) await ctx.fork('', { agent_type: 'asker' });
        return `${depth} ${String(await outcome(ctx.fork('', { agent_type: 'asker' })))}`;
      },
      kinds: { deep, asker: waitsForever },
    });
    const [answer] = await world.all('ANSWER');
    expect(answer!.content).toMatch(/nested 1 deep.*2 agents may run at once/);
  });

  it('that have used up their budget end, and their parent goes on', async () => {
    const turns: AgentFunction = async (ctx) => {
      for (;;) await ctx.generate();
    };
    const asked: string[] = [];
    const provider = new ScriptedProvider(({ messages }) => {
      asked.push(messages[0]!.content ?? '');
      return answerTurn('Hm.');
    });
    const agent: AgentFunction = async (ctx) => {
      const child = await ctx.fork('Think', { agent_type: 'turns', budget: { tokens: 25 } });
      const end = await outcome(ctx.wait(child));
      if ((await ctx.ask('Go on?')) === null) return 'Over';
      return String(end);
    };
    const world = await RunWorld.open({ agent, provider, kinds: { turns } });
    for (let run = 0; run < 2; run++) {
      const lost = (await world.takeUp())!;
      const over = lost.execute();
      await quiet(undefined);
      lost.lose();
      await over;
    }
    const [end] = await endsOf(world);
    expect(end).toMatchObject({
      status: 'error',
      result: expect.stringMatching(/budget of this agent.*of 25 tokens are used/),
    });
    const thought = asked.length;
    expect(thought).toBeGreaterThan(0);
    expect(asked).toEqual(Array.from({ length: thought }, () => 'Think'));
    const failed = (await world.all('TURN_COMPLETED')).filter(({ error }) => error);
    expect(failed.map(({ error }) => error!.code)).toEqual(['budget_exceeded']);
    expect(await world.all('TURN_COMPLETED')).toHaveLength(thought + 1);
  });

  it('are waited for by nobody but their parent', async () => {
    const world = await ran({
      agent: async (ctx) => {
        const stranger = { ...(await ctx.fork('', { agent_type: 'asker' })), agent_id: 'agent_x' };
        return JSON.stringify(await outcome(ctx.wait(stranger)));
      },
      kinds: { asker: waitsForever },
    });
    expect((await world.all('ANSWER'))[0]!.content).toContain('unknown_child');
  });

  it('leave their parent time for nothing more: what its code does on the side is not gone on with', async () => {
    const world = await ran({
      agent: async (ctx) => {
        await ctx.fork('', { agent_type: 'asker' });
        const onTheSide = async (): Promise<void> => {
          await ctx.step('one', () => 1);
          await ctx.step('two', () => 2);
        };
        void onTheSide();
        return 'Done';
      },
      kinds: { asker: waitsForever },
    });
    const steps = (await world.all('STEP_COMPLETED')).map(({ name }) => name);
    expect(steps).not.toContain('two');
  });

  it('start nothing once they are stopped, whatever their code does', async () => {
    let late = 0;
    const world = await ran({
      agent: async (ctx) => {
        const child = await ctx.fork('', { agent_type: 'stubborn' });
        await ctx.step('a while', () => quiet(undefined));
        child.interrupt();
        await outcome(ctx.wait(child));
        await ctx.step('a while', () => quiet(undefined));
      },
      kinds: {
        stubborn: async (ctx) => {
          await aborted(ctx.signal);
          await Promise.race([
            ctx.step('late', () => ++late),
            ctx.say('Still here'),
            ctx.generate(),
          ]);
        },
      },
    });
    expect(late).toBe(0);
    expect((await world.types()).filter((type) => /MESSAGE|TURN/.test(type))).toEqual([]);
  });

  it.each([
    ['fork', (ctx: AgentContext) => ctx.fork('')],
    ['wait', (ctx: AgentContext, child: AgentHandle) => ctx.wait(child)],
  ])('are not for use inside a step: %s', async (_, use) => {
    const world = await ran({
      agent: async (ctx) => {
        const child = await ctx.fork('');
        await ctx.step('inside', () => use(ctx, child).then(() => 1));
      },
    });
    expect((await world.row()).error?.message).toContain('ctx was used inside');
  });

  it('of another kind than the log has are a mismatch that names the step', async () => {
    const forking = (agent_type: string): AgentFunction => {
      return async (ctx) => void (await ctx.wait(await ctx.fork('', { agent_type })));
    };
    const world = await RunWorld.open({ kinds: { react, asker: waitsForever } });
    const lost = (await world.takeUp({ agent: forking('asker') }))!;
    const over = lost.execute();
    while (!(await world.types()).includes('INPUT_REQUIRED')) await quiet(undefined, 1);
    lost.lose();
    await over;
    await world.run({ agent: forking('react') });
    await expectEnded(world);
    expect((await world.row()).error).toMatchObject({
      code: 'journal_mismatch',
      message: expect.stringContaining(
        'at step main/1 the log has the fork of an agent "asker", and the code now asks for the fork of an agent "react"',
      ),
    });
  });

  it('are held by a handle that knows their place, their children and their messages, the same when it all runs again', async () => {
    const seen: unknown[] = [];
    const kinds = {
      react,
      middle: async (ctx: AgentContext) => {
        const { metadata } = ctx.agent;
        const heir = await ctx.fork('Deep', { agent_type: 'react' });
        return `${await ctx.wait(heir)} ${JSON.stringify([metadata, heir.metadata])}`;
      },
    };
    const agent: AgentFunction = async (ctx) => {
      const child = await ctx.fork('Go', { agent_type: 'middle', metadata: { of: 'mine' } });
      const before = [child.state, child.children.length, child.messages];
      const answer = await ctx.wait(child);
      const { messages, children } = child;
      seen.push({ before, answer, messages, children });
      expect(child.parent_tool_call_id).toBeNull();
      if ((await ctx.ask('Go on?')) === null) return 'Over';
    };
    const provider = new ScriptedProvider(() => answerTurn('Deep down'));
    const world = await RunWorld.open({ agent, kinds, provider });
    for (let run = 0; run < 2; run++) {
      const lost = (await world.takeUp())!;
      const over = lost.execute();
      await quiet(undefined);
      lost.lose();
      await over;
    }
    expect(seen).toHaveLength(2);
    const heir = (await world.log()).find(({ body }) => 'prompt' in body && body.prompt === 'Deep');
    expect(seen[1]).toEqual(seen[0]);
    const answer = 'Deep down [{"of":"mine"},{"of":"mine"}]';
    expect(seen[0]).toEqual({
      before: ['running', 0, [{ role: 'user', content: 'Go' }]],
      answer,
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: answer },
      ],
      children: [heir!.agent_id],
    });
  });

  it('can be started by a model, and are stopped with the call that started them', async () => {
    const provider = new ScriptedProvider(({ messages }) => {
      const [first] = messages;
      if (first?.content === 'Sum it up') return answerTurn('All of it');
      if (messages.length > 1) return answerTurn('Done');
      return callTurn([{ id: 'c1', name: 'agent', arguments: '{"prompt":"Sum it up"}' }]);
    });
    const world = await ran({ agent: react, provider, tools: [new AgentTool()] });
    expect(await world.all('TOOL_RESULT')).toMatchObject([
      { tool_name: 'agent', tool_output: 'All of it', is_error: false },
    ]);
    expect(await world.all('AGENT_STARTED')).toMatchObject([{ tool_call_id: 'c1' }]);
  });

  it('of a call that ends without them are stopped with it', async () => {
    const impatient = new FakeTool('tool', async (_, { run_agent }) => {
      void run_agent('', { agent_type: 'asker' });
      await quiet(undefined);
      return 'gone';
    });
    const world = await ran({
      agent: react,
      kinds: { asker: waitsForever },
      provider: ScriptedProvider.playing(callTurn([CALL]), answerTurn('Done')),
      tools: [impatient],
    });
    const types = await world.types();
    expect(types.indexOf('AGENT_COMPLETED')).toBeLessThan(types.indexOf('TOOL_RESULT'));
  });
});
