import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import type { Run } from '../../src/runs/run.js';
import { hostId } from '../../src/workspace/processes/host-id.js';
import { readProcess } from '../../src/workspace/processes/process-table.js';
import type { ProcessTrace } from '../../src/workspace/processes/process-trace.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { Gate } from '../support/gate.js';
import { callTurn, textDelta } from '../support/model/model-events.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';
import { aborted } from '../support/quiet.js';
import { RunWorld } from '../support/runs/run-world.js';
import { FakeTool } from '../support/tools/fake-tool.js';

const MARKER = `PARLEY_PROCESS=left-${process.pid}`;
const [NAME, VALUE] = MARKER.split('=') as [string, string];

/** A tool that has a process, and says which. */
class StartingTool extends FakeTool {
  override readonly announces_start = true;
}

/** An interaction whose run was lost while its tool had this process. */
async function lostWith(trace: ProcessTrace): Promise<RunWorld> {
  const react = new ReactAgent();
  const world = await RunWorld.open({ agent: (ctx) => react.run(ctx) });
  const lost: Run = (await world.takeUp({
    provider: ScriptedProvider.playing(callTurn([{ id: 'c1', name: 'tool', arguments: '{}' }])),
    tools: [
      new StartingTool('tool', async (_, { started }) => {
        await started(trace);
        lost.lose();
        return '';
      }),
    ],
  }))!;
  await lost.execute();
  expect(await world.types()).toContain('TOOL_STARTED');
  return world;
}

async function cancel(world: RunWorld): Promise<void> {
  await world.store.requestCancel(world.interactionId, 'user');
  await world.run();
  await expectEnded(world);
}

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('A process that a lost run has left', () => {
  let child: ChildProcess;
  let trace: ProcessTrace;

  beforeEach(async () => {
    const env = { ...process.env, [NAME]: VALUE };
    child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env });
    await once(child, 'spawn');
    const { pid, started_at } = (await readProcess(child.pid!)) ?? { pid: 0, started_at: 0 };
    trace = { host: (await hostId()) ?? '', pid, started_at, marker: MARKER };
  });
  afterEach(() => void child.kill('SIGKILL'));

  onLinux('is killed before anything else, and then its tool has stopped (I7)', async () => {
    const world = await lostWith(trace);
    await cancel(world);
    expect(await readProcess(trace.pid)).toBeUndefined();
    expect(await world.all('CANCELLED')).toMatchObject([
      { stopped: [{ kind: 'tool', id: 'c1', name: 'tool', state: 'stopped' }] },
    ]);
  });

  onLinux('is no concern of a cancel after its call was closed (I7)', async () => {
    const world = await lostWith(trace);
    const gate = new Gate();
    const provider = new ScriptedProvider(async function* (_, signal) {
      yield textDelta('Well');
      await Promise.race([gate.pass(), aborted(signal)]);
      signal.throwIfAborted();
    });
    const run = (await world.takeUp({ provider, tools: [new FakeTool('tool', () => '')] }))!;
    const executed = run.execute();
    await gate.reached;
    run.cancel('user');
    await executed;
    await expectEnded(world);
    expect((await world.all('CANCELLED'))[0]!.stopped).toMatchObject([{ kind: 'model' }]);
  });

  it('may still be running if it is of another host (I7)', async () => {
    const world = await lostWith({ ...trace, host: 'elsewhere' });
    await cancel(world);
    expect(child.signalCode).toBeNull();
    expect(await world.all('CANCELLED')).toMatchObject([
      { stopped: [{ kind: 'tool', id: 'c1', name: 'tool', state: 'unknown' }] },
    ]);
  });
});
