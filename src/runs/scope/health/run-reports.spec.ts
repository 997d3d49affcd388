import { Logger } from '@nestjs/common';
import { MovableClock } from '../../../../test/support/movable-clock.js';
import { answerTurn } from '../../../../test/support/model/model-events.js';
import { ScriptedProvider } from '../../../../test/support/model/scripted-provider.js';
import { RunWorld } from '../../../../test/support/runs/run-world.js';
import type { RunWorldOptions } from '../../../../test/support/runs/run-world.js';
import type { AgentContext } from '../../../agents/agent-context.js';
import { ModelError } from '../../../models/model-error.js';
import { RunReports } from './run-reports.js';

const generate = async (ctx: AgentContext): Promise<void> => void (await ctx.generate());

async function ran(options: RunWorldOptions): Promise<RunWorld> {
  const world = await RunWorld.open(options);
  await world.run();
  return world;
}

function failing(code: 'model_auth' | 'model_overloaded', message: string) {
  const error = new ModelError(code, message, { retryable: code === 'model_overloaded' });
  return new ScriptedProvider(async function* () {
    yield* [];
    throw error;
  });
}

describe(RunReports.name, () => {
  it('says when an interaction starts and ends, and what it used', async () => {
    const world = await ran({
      provider: ScriptedProvider.playing(answerTurn('Hi')),
      agent: generate,
    });
    const ids = { interaction_id: world.interactionId, chat_id: 'chat_test', epoch: 1 };
    const { usage } = await world.row();
    expect(world.reports).toEqual([
      [
        'info',
        {
          ...{ message: 'Interaction started', ...ids, tenant_id: 'default' },
          ...{ agent: 'tested', model: 'fake/model' },
        },
      ],
      [
        'info',
        {
          ...{ message: 'Interaction ended COMPLETED', ...ids, tenant_id: 'default' },
          ...{ agent: 'tested', model: 'fake/model', status: 'COMPLETED' },
          ...{ duration_ms: expect.any(Number), ...usage },
        },
      ],
    ]);
  });

  it('warns of one that failed, with the beginning of its cause', async () => {
    const world = await ran({
      provider: failing('model_auth', `The key was refused. ${'x'.repeat(10_000)}`),
      agent: generate,
    });
    const [, [level, line]] = world.reports as [unknown, (typeof world.reports)[number]];
    expect(level).toBe('warn');
    expect(line).toMatchObject({
      message: 'Interaction failed (model_auth)',
      interaction_id: world.interactionId,
      ...{ chat_id: 'chat_test', model: 'fake/model', status: 'FAILED', code: 'model_auth' },
      cause: expect.stringMatching(/^The key was refused\. x+$/),
    });
    expect(JSON.stringify(line).length).toBeLessThan(1000);
  });

  it('has one line for a failure, however often the model was asked', async () => {
    const clock = new MovableClock();
    clock.skipsSleep = true;
    const world = await ran({
      provider: failing('model_overloaded', 'Busy.'),
      agent: generate,
      clock,
    });
    expect(world.reports.filter(([level]) => level === 'warn')).toHaveLength(1);
  });

  it('logs bugs with their stack', async () => {
    const bug = new TypeError('undefined is not a function');
    const world = await ran({ agent: () => Promise.reject(bug) });
    expect(world.reports[1]).toMatchObject(['error', { code: 'agent_error', err: bug }]);
  });

  it('writes a line in a minute of ten thousand failures, by code and faulty agent', async () => {
    const world = await ran({});
    const interaction = await world.row();
    const clock = new MovableClock();
    const lines: unknown[] = [];
    const logger = new Logger();
    Object.assign(logger, {
      warn: (line: unknown) => lines.push(line),
      error: (line: unknown) => lines.push(line),
    });
    const reports = new RunReports(clock, logger);
    const end = {
      status: 'FAILED' as const,
      completed_at: interaction.created_at,
      usage: interaction.usage,
    };
    const error = { code: 'model_auth', message: 'Refused.' };
    for (let i = 0; i < 10_000; i++) reports.ended(interaction, { ...end, error });
    const bug = {
      ...end,
      error: { code: 'agent_error', message: 'Oops' },
      fault: { thrown: new Error('Oops') },
    };
    for (const agent of ['a', 'a', 'b']) reports.ended({ ...interaction, agent }, bug);
    expect(lines).toHaveLength(3);
    clock.pass(60_000);
    expect(lines.slice(3)).toMatchObject([
      {
        message: 'Interaction failed (model_auth); 9998 more since the last such line',
        left_out: 9998,
      },
      { message: 'Interaction failed (agent_error)' },
    ]);
    reports.onApplicationShutdown();
  });
});
