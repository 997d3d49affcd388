import { MovableClock } from '../../test/support/movable-clock.js';
import { FakeTool } from '../../test/support/tools/fake-tool.js';
import { answerTurn, callTurn, textDelta } from '../../test/support/model/model-events.js';
import { ScriptedProvider } from '../../test/support/model/scripted-provider.js';
import { turnsByModel } from '../../test/support/model/turns-by-model.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import type { RunWorldOptions } from '../../test/support/runs/run-world.js';
import type { AgentContext } from '../agents/agent-context.js';
import { Guardrail } from '../guardrails/guardrail.js';
import type { InputVerdict } from '../guardrails/guardrail.js';
import { ModelError } from '../models/model-error.js';
import type { TelemetryEvents } from '../telemetry/telemetry-events.js';
import { Run } from './run.js';

const busy = (): ModelError => new ModelError('model_overloaded', 'Busy.', { retryable: true });
const generate = async (ctx: AgentContext): Promise<void> =>
  void (await ctx.generate({ model: 'fake/a, fake/b' }));

class StrictGuardrail extends Guardrail {
  readonly name = 'strict';

  override checkInput(): InputVerdict {
    return { verdict: 'tripwire', reason: 'no' };
  }
}

/** Payloads of an event, in order. */
async function emitted<E extends keyof TelemetryEvents>(
  event: E,
  options: RunWorldOptions,
): Promise<TelemetryEvents[E][]> {
  const payloads: TelemetryEvents[E][] = [];
  const clock = new MovableClock();
  clock.skipsSleep = true;
  const world = await RunWorld.open({ clock, ...options });
  world.telemetry.on(event, (payload) => payloads.push(payload));
  await world.run();
  return payloads;
}

describe(Run.name, () => {
  describe('for those who watch', () => {
    it('emits each request to a model that failed, and which model is asked again', async () => {
      const options = () => ({
        agent: generate,
        provider: turnsByModel({ a: [[busy()]], b: [[busy()], answerTurn('Hi')] }),
      });
      const failures = await emitted('model_failed', options());
      const code = 'model_overloaded';
      expect(failures).toEqual([
        { code, model: 'fake/a' },
        { code, model: 'fake/b' },
      ]);
      expect(await emitted('model_fell_back', options())).toEqual([{ model: 'fake/a' }]);
      expect(await emitted('model_retried', options())).toEqual([{ model: 'fake/b' }]);
    });

    it('emits the first delta of an interaction, once', async () => {
      const provider = turnsByModel({
        a: [[textDelta('One'), textDelta('Two'), ...answerTurn('Three')]],
        b: [],
      });
      const options = { agent: generate, provider };
      expect(await emitted('first_delta', options)).toEqual([{ wait_ms: expect.any(Number) }]);
    });

    it('emits tools that have returned, and not those that were refused', async () => {
      const calls = ['look', 'missing'].map((name, n) => ({
        ...{ id: `call_${n}`, name, arguments: '{}' },
      }));
      const agent = async (ctx: AgentContext): Promise<void> =>
        void (await ctx.callTools((await ctx.generate()).tool_calls));
      const provider = ScriptedProvider.playing(callTurn(calls));
      const tools = [new FakeTool('look', () => 'seen')];
      const returned = await emitted('tool_returned', { agent, provider, tools });
      expect(returned).toEqual([{ tool: 'look', duration_ms: expect.any(Number) }]);
    });

    it('emits the guardrail that stopped it', async () => {
      const options = { agent: generate, guardrails: [new StrictGuardrail()] };
      const trips = await emitted('guardrail_tripped', options);
      expect(trips).toEqual([{ guardrail: 'strict' }]);
    });
  });
});
