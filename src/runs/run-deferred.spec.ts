import { ReactAgent } from '../agents/kinds/react/react.agent.js';
import type { Settlement } from '../persistence/rows/request-rows.js';
import { AskingJudge } from '../../test/support/runs/asking-judge.js';
import { expectEnded } from '../../test/support/client/expect-ended.js';
import type { ToolContext } from '../tools/core/tool.js';
import { FakeTool } from '../../test/support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../../test/support/model/model-events.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import type { AgentFunction, ProcessOptions } from '../../test/support/runs/run-world.js';
import { ScriptedProvider } from '../../test/support/model/scripted-provider.js';
import { Run } from './run.js';

const MOMENTS = Array.from({ length: 18 }, (_, n) => n);

/** Two calls that wait for approval, then one more turn, then the answer. */
const provider = new ScriptedProvider(({ messages }) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  if (turn === 0) return callTurn([call('c1', 'deed'), call('c2', 'interview')]);
  return turn === 1 ? callTurn([call('c3', 'deed')]) : answerTurn('Done');
});

/** One call that waits for approval, then the answer; a child agent that answers at once. */
const programProvider = new ScriptedProvider(({ messages }) => {
  if (messages.some(({ content }) => content === 'Look')) return answerTurn('Looked');
  const isFirst = messages.every(({ role }) => role !== 'assistant');
  return isFirst ? callTurn([call('c1', 'program')]) : answerTurn('Done');
});

function call(id: string, name: string) {
  return { id, name, arguments: '{}' };
}

/**
 * A world whose person decides on what is asked, and its processes; they all die after some appends
 * but the last.
 */
class DeferringWorld {
  readonly done: string[] = [];
  private run: Run | undefined;

  private constructor(
    readonly world: RunWorld,
    private readonly mayDecide: (world: RunWorld) => Promise<boolean>,
  ) {}

  static async open(
    mayDecide: (world: RunWorld) => Promise<boolean>,
    model = provider,
  ): Promise<DeferringWorld> {
    const judge = new AskingJudge();
    const react = new ReactAgent();
    const agent: AgentFunction = (ctx) => react.run(ctx);
    return new DeferringWorld(
      await RunWorld.open({
        ...{ approval_mode: 'defer', judge, provider: model },
        ...{ agent, kinds: { react: agent } },
      }),
      mayDecide,
    );
  }

  async execute(appends = Infinity): Promise<void> {
    let left = appends;
    const append: ProcessOptions['append'] = async (batches) => {
      if (left-- <= 0) return batches.map(() => 'fenced');
      const outcomes = await this.world.store.append(batches);
      void this.decide();
      return outcomes;
    };
    this.run = await this.world.takeUp({ append, tools: this.tools() });
    const over = this.run?.execute();
    void this.decide();
    await over;
  }

  private tools(): FakeTool[] {
    return [
      new FakeTool('deed', (_, { tool_call_id }) => {
        this.done.push(tool_call_id);
        return 'Did it.';
      }),
      new FakeTool('program', runProgram, 'replay'),
      new FakeTool('interview', async (_, { ask }) => `${await ask('Well?')}`, 'replay'),
    ];
  }

  private async decide(): Promise<void> {
    if (!(await this.mayDecide(this.world))) return;
    const { store, interactionId: interaction_id } = this.world;
    const pending = await store.listRequests({ status: 'pending', interaction_id, limit: 99 });
    for (const { id, kind } of pending.toReversed()) {
      const settlement: Settlement =
        kind === 'input'
          ? { kind, answer: 'Well.', by: { kind: 'user', user_id: 'ann' } }
          : { kind: 'approval', approved: true, by: { kind: 'user', user_id: 'ann' } };
      await store.settleRequest({ request_id: id, settlement, at: new Date().toISOString() });
    }
    await this.run?.signals.wake();
  }
}

/** Asks for all that a tool can ask for, and for the time. */
async function runProgram(_: unknown, context: ToolContext): Promise<string> {
  const began = await context.now();
  const { output } = await context.call_tool('deed', '{}');
  const looked = await context.run_agent('Look');
  return `${output} ${looked} ${(await context.now()) >= began}`;
}

const DECISIONS = [
  ['at once', async () => true],
  ['when the agent is done', async (world: RunWorld) => (await world.types()).includes('ANSWER')],
] as const;

describe(Run.name, () => {
  describe.each(DECISIONS)('of calls that are deferred and decided %s', (_, mayDecide) => {
    it.each(MOMENTS)('goes on where a process died after %i appends (I3, I4, I5)', async (n) => {
      const deferring = await DeferringWorld.open(mayDecide);
      const { world, done } = deferring;
      await deferring.execute(n);
      await deferring.execute();
      expect(world.errors).toEqual([]);
      expect((await world.row()).status).toBe('COMPLETED');
      await expectEnded(world);
      expect(new Set(done).size).toBe(done.length);
      const notes = (await world.all('NOTICE')).map(({ message }) => message);
      for (const id of ['c1', 'c2', 'c3'])
        expect(notes.filter((note) => note.startsWith(`The call ${id} `))).toHaveLength(1);
      for (const type of ['APPROVAL_REQUIRED', 'APPROVED', 'TOOL_STARTED'] as const)
        expect(await world.all(type)).toHaveLength(3);
      expect(await world.all('INPUT_REQUIRED')).toHaveLength(1);
      const results = (await world.all('TOOL_RESULT')).map(({ tool_output }) => tool_output);
      for (const result of results) expect(result).toMatch(/^Waiting for approval/);
    });
  });

  describe.each(DECISIONS)('of a program that is deferred and decided %s', (_, mayDecide) => {
    it.each(MOMENTS)('goes on in it where a process died after %i appends (I3, I4)', async (n) => {
      const deferring = await DeferringWorld.open(mayDecide, programProvider);
      const { world, done } = deferring;
      await deferring.execute(n);
      await deferring.execute();
      expect(world.errors).toEqual([]);
      expect((await world.row()).status).toBe('COMPLETED');
      await expectEnded(world);
      expect(done.length).toBeLessThanOrEqual(1);
      const notes = (await world.all('NOTICE')).map(({ message }) => message);
      expect(notes).toEqual([
        expect.stringMatching(/settled:\n(Did it\.|The server stopped.*) Looked true$/),
      ]);
    });
  });
});
