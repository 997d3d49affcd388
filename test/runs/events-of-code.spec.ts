import type { AgentContext } from '../../src/agents/agent-context.js';
import type { HookContext, Step } from '../../src/agents/agent-hooks.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { Hooks } from '../../src/agents/server-hooks.js';
import { ToolRun } from '../../src/runs/tool-call/tool-run.js';
import type { ToolContext, ToolEvent } from '../../src/tools/core/tool.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { RunWorldOptions } from '../support/runs/run-world.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import type { Task } from '../../src/protocol/wire/task.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);

/** A model that calls `outer`, which does `work`. */
function calling(work: (context: ToolContext) => Promise<string>): RunWorldOptions {
  const outer = new FakeTool('outer', (_, context) => work(context), 'replay');
  return { agent: react, provider: model(), tools: [outer] };
}

function model(): ScriptedProvider {
  return new ScriptedProvider(({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? answerTurn('Done')
      : callTurn([{ id: 'c1', name: 'outer', arguments: '{}' }]),
  );
}

/** Runs it whole, and lost after each number of appends; `told` is the same each time. */
async function alsoWhenLost<T>(
  options: RunWorldOptions,
  told: (world: RunWorld) => Promise<T>,
): Promise<T> {
  const whole = await RunWorld.open(options);
  let appends = 0;
  const count = (world: RunWorld) => (batches: Parameters<typeof world.store.append>[0]) => {
    appends++;
    return world.store.append(batches);
  };
  await whole.run({ append: count(whole) });
  await expectEnded(whole);
  const expected = await told(whole);
  for (let left = 1; left < appends; left++) {
    const world = await RunWorld.open(options);
    let saved = 0;
    const lost = await world.takeUp({
      append: async (batches) => {
        const outcomes = await world.store.append(batches);
        if (++saved === left) lost!.lose();
        return outcomes;
      },
    });
    await lost!.execute();
    await world.run();
    await expectEnded(world);
    expect(await told(world)).toEqual(expected);
  }
  return expected;
}

async function eventsOf(world: RunWorld): Promise<unknown[]> {
  const [custom, metadata] = [await world.all('CUSTOM'), await world.all('METADATA_SET')];
  return [custom.map(({ name, data }) => [name, data]), metadata.map(({ key }) => key)];
}

describe(ToolRun.name, () => {
  it('sends the events and sets the metadata of a tool once, also when its run is lost', async () => {
    const work = async (context: ToolContext): Promise<string> => {
      await context.emit('progress', { done: 1 });
      await context.set_metadata('ticket', 'T-1');
      await context.emit('progress', { done: 2, ...context.read_metadata() });
      return 'worked';
    };
    expect(await alsoWhenLost(calling(work), eventsOf)).toEqual([
      [
        ['progress', { done: 1 }],
        ['progress', { done: 2, ticket: 'T-1' }],
      ],
      ['ticket'],
    ]);
  });

  it('refuses what is too large, and records that `tell` is not for', async () => {
    const faults: unknown[] = [];
    const world = await RunWorld.open(
      calling(async ({ emit, set_metadata, tell }) => {
        const refused = (work: Promise<void>) =>
          work.catch((error: { code: string }) => faults.push(error.code));
        await refused(emit('large', 'x'.repeat(16 * 1024)));
        await refused(set_metadata('large', 'x'.repeat(4096)));
        await refused(tell({ type: 'CUSTOM', name: 'x', data: {} } as unknown as ToolEvent));
        const voiding = { type: 'NOTICE', code: 'odd', message: 'Hm.', void: ['1b0'] } as const;
        await tell(voiding);
        return 'worked';
      }),
    );
    await world.run();
    expect(faults).toEqual(['invalid_event', 'invalid_event', 'invalid_event']);
    expect(await world.all('CUSTOM')).toEqual([]);
    expect(await world.all('NOTICE')).toEqual([{ type: 'NOTICE', code: 'odd', message: 'Hm.' }]);
  });

  it('tells of a task what a task has, within bounds, and refuses odd notices', async () => {
    const at = '2026-01-15T10:00:00.000Z';
    const task: Task = {
      ...{ id: 'task_1', chat_id: 'chat_test', title: 'Test', description: null },
      ...{ status: 'pending', version: 1, agent_id: null, created_at: at, updated_at: at },
    };
    const faults: string[] = [];
    const world = await RunWorld.open(
      calling(async ({ tell }) => {
        const say = (event: ToolEvent): Promise<void> =>
          tell(event).catch(({ message }: Error) => void faults.push(message));
        const change = (fields: object) => {
          const event = { type: 'TASK_UPDATED', task: { ...task, ...fields } } as const;
          return say({ ...event, ...{ by: 'x' } });
        };
        await change({ odd: true });
        await change({ title: undefined });
        await change({ description: 'x'.repeat(64 * 1024) });
        await say({ type: 'NOTICE', code: '', message: 'Hm.' });
        await say({ type: 'NOTICE', code: 'long', message: 'x'.repeat(20_000) });
        return 'worked';
      }),
    );
    await world.run();
    expect(await world.all('TASK_UPDATED')).toEqual([{ type: 'TASK_UPDATED', task }]);
    expect((await world.all('NOTICE')).map(({ message }) => message.length)).toEqual([10_000]);
    expect(faults).toEqual([
      'Not sent: the task is not one of the task board: title.',
      'Not sent: the task has more than 65536 bytes of JSON.',
      'Not sent: a notice needs a code of 1 to 64 characters.',
    ]);
  });

  it('tells a tool of its agent and of the call that it is made in', async () => {
    const seen: unknown[] = [];
    const note = ({ agent_type, parent_tool_call_id }: ToolContext): void => {
      seen.push([agent_type, parent_tool_call_id]);
    };
    const inner = new FakeTool('inner', (_, context) => (note(context), 'done'));
    const { tools, ...options } = calling(async (context) => {
      note(context);
      return (await context.call_tool('inner', '{}')).output;
    });
    const world = await RunWorld.open({ ...options, tools: [...tools!, inner] });
    await world.run();
    expect(seen).toEqual([
      ['tested', null],
      ['tested', 'c1'],
    ]);
  });
});

describe(Hooks.name, () => {
  it('send events, each once, also when the run is lost', async () => {
    class Watch extends Hooks {
      override beforeStep(step: Step, ctx: HookContext): void {
        ctx.emit('step', { kind: step.kind, ticket: ctx.metadata['ticket'] ?? null });
      }
    }
    const agent = async (ctx: AgentContext): Promise<void> => {
      await ctx.setMetadata('ticket', 'T-1');
      await ctx.step('load', () => 1);
      await ctx.say(String(ctx.metadata['ticket']));
    };
    const told = async (world: RunWorld) =>
      (await world.all('CUSTOM')).map(({ data }) => JSON.stringify(data)).toSorted();
    expect(await alsoWhenLost({ agent, hooks: [new Watch()] }, told)).toEqual([
      '{"kind":"say","ticket":"T-1"}',
      '{"kind":"set_metadata","ticket":null}',
      '{"kind":"step","ticket":"T-1"}',
    ]);
  });

  it('end the agent with an event that is too large', async () => {
    class Loud extends Hooks {
      override beforeStep(_: Step, ctx: HookContext): void {
        ctx.emit('large', 'x'.repeat(16 * 1024));
      }
    }
    const agent = (ctx: AgentContext): Promise<void> => ctx.say('Hello');
    const world = await RunWorld.open({ agent, hooks: [new Loud()] });
    await world.run();
    expect((await world.row()).error).toMatchObject({ code: 'invalid_event' });
  });
});
