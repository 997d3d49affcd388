import type { AgentContext } from '../../src/agents/agent-context.js';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { ToolEffect } from '../../src/runs/tool-call/tool.effect.js';
import type { Run } from '../../src/runs/run.js';
import { askedIn } from '../support/runs/asked-in.js';
import { AskingJudge } from '../support/runs/asking-judge.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { RunWorld } from '../support/runs/run-world.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const react = (ctx: AgentContext): Promise<void> => new ReactAgent().run(ctx);
const CHANGED = expect.stringContaining('have changed since a person was asked');

const provider = new ScriptedProvider(({ messages }) =>
  messages.some(({ role }) => role === 'assistant')
    ? answerTurn('Done')
    : callTurn([{ id: 'c1', name: 'pay', arguments: '{}' }]),
);

/** A tool of a server, which may declare it otherwise at any time. */
class RemoteTool extends FakeTool {
  constructor(
    override readonly declared: string,
    sent: { count: number },
  ) {
    super('pay', () => `Sent ${++sent.count}.`);
  }
}

async function asked(approval_mode: 'ask' | 'defer') {
  const sent = { count: 0 };
  const judge = new AskingJudge();
  const world = await RunWorld.open({ agent: react, provider, judge, approval_mode });
  const tool = new RemoteTool('first', sent);
  const run = (await world.takeUp({ tools: [tool] }))!;
  const over = run.execute();
  await askedIn(world);
  return { world, sent, tool, run, over };
}

async function approve(world: RunWorld, run: Run): Promise<void> {
  const { approval_id: request_id } = await askedIn(world);
  const by = { kind: 'user', user_id: 'ann' } as const;
  const settlement = { kind: 'approval', approved: true, by } as const;
  await world.store.settleRequest({ request_id, settlement, at: new Date().toISOString() });
  await run.signals.wake();
}

/** The outcome of the call for the model: its result, or the note about one that was deferred. */
async function outcomeOf(world: RunWorld): Promise<readonly string[]> {
  const results = (await world.all('TOOL_RESULT')).map(({ tool_output }) => tool_output);
  return [...results, ...(await world.all('NOTICE')).map(({ message }) => message)];
}

describe(ToolEffect.name, () => {
  describe.each(['ask', 'defer'] as const)('in the mode %s', (mode) => {
    it('does not run an approved call whose tool was declared otherwise meanwhile', async () => {
      const { world, sent, tool, run, over } = await asked(mode);
      Object.assign(tool, { declared: 'second' });
      await approve(world, run);
      await over;
      await expectEnded(world);
      expect(sent.count).toBe(0);
      expect((await outcomeOf(world)).at(-1)).toEqual(CHANGED);
      expect(await world.all('APPROVED')).toHaveLength(1);
    });

    it.each([
      ['second', 0, CHANGED],
      ['first', 1, expect.stringContaining('Sent 1.')],
    ] as const)(
      'after a crash, with the tool as its server has it: %s',
      async (now, count, said) => {
        const { world, sent, run, over } = await asked(mode);
        run.lose();
        await over;
        const next = (await world.takeUp({ tools: [new RemoteTool(now, sent)] }))!;
        const nextOver = next.execute();
        await approve(world, next);
        await nextOver;
        await expectEnded(world);
        expect(sent.count).toBe(count);
        expect((await outcomeOf(world)).at(-1)).toEqual(said);
      },
    );
  });
});
