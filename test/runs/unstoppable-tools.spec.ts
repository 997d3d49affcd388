import { jest } from '@jest/globals';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { STOP_GRACE_MS } from '../../src/tools/core/run-until.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { Gate } from '../support/gate.js';
import { callTurn, textDelta } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { aborted } from '../support/quiet.js';
import { RunWorld } from '../support/runs/run-world.js';
import { FakeTool } from '../support/tools/fake-tool.js';

class HastyTool extends FakeTool {
  override readonly timeout_ms = 10;
}

describe('A tool that does not stop when its time is over', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });
  afterEach(() => jest.useRealTimers());

  it('is named by a later cancel, although its call has a result (I7)', async () => {
    const react = new ReactAgent();
    const world = await RunWorld.open({ agent: (ctx) => react.run(ctx) });
    const [begun, ends, speaks] = [new Gate(), new Gate(), new Gate()];
    const call = callTurn([{ id: 'c1', name: 'tool', arguments: '{}' }]);
    const provider: ScriptedProvider = new ScriptedProvider(async function* (_, signal) {
      if (provider.requests.length === 1) return yield* call;
      yield textDelta('Well');
      await Promise.race([speaks.pass(), aborted(signal)]);
      signal.throwIfAborted();
    });
    const tool = new HastyTool('tool', async () => {
      void begun.pass();
      await ends.pass();
      return '';
    });
    const run = (await world.takeUp({ provider, tools: [tool] }))!;
    const executed = run.execute();
    await begun.reached;
    await jest.advanceTimersByTimeAsync(10 + STOP_GRACE_MS);
    await speaks.reached;
    run.cancel('user');
    await executed;
    ends.open();
    await expectEnded(world);
    expect((await world.all('TOOL_RESULT'))[0]!.tool_output).toMatch(/may still be running/);
    expect((await world.all('CANCELLED'))[0]!.stopped).toEqual([
      expect.objectContaining({ kind: 'model', state: 'stopped' }),
      { kind: 'tool', id: 'c1', name: 'tool', state: 'unknown' },
    ]);
  });
});
