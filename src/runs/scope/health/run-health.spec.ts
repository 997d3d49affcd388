import { SLOW_AFTER_LOSS, RunHealth } from './run-health.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RecordBody } from '../../../protocol/events.js';

const RESUMED: RecordBody = { type: 'RESUMED', attempt: 1, reason: 'lost' };
const ANSWER: RecordBody = { type: 'ANSWER', block_id: '1b0', content: 'Well.' };

describe(RunHealth.name, () => {
  let told: string[];

  beforeEach(() => {
    told = [];
  });

  function open({ trial = 1 } = {}): RunHealth {
    const quarantine = { release: () => void told.push('released'), trialOf: () => trial };
    const leaveTrial = async (id: string, epoch: number): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      told.push(`${id} has left in epoch ${epoch}`);
    };
    const run = { interaction_id: 'int_1', epoch: 3 };
    return new RunHealth(quarantine, { leaveTrial }, run);
  }

  const log = (...bodies: readonly RecordBody[]) => bodies.map((body) => ({ body }) as LogRecord);

  it('lets others join only when the store knows that a loss would not be one alone', async () => {
    await open().leaveTrial();
    expect(told).toEqual(['int_1 has left in epoch 3', 'released']);
  });

  it('writes nothing for a run that is in no group', async () => {
    await open({ trial: 0 }).leaveTrial();
    expect(told).toEqual([]);
  });

  it('is not slow once it has made progress', async () => {
    const health = open();
    const isSlow = health.isSlow(log(RESUMED));
    health.markHealthy();
    expect(await isSlow).toBe(false);
    expect(told).toEqual(['released']);
  });

  it('yields no more than three times without progress', async () => {
    const yields = [SLOW_AFTER_LOSS, RESUMED, SLOW_AFTER_LOSS, RESUMED, SLOW_AFTER_LOSS];
    expect(await open().isSlow(log(...yields, RESUMED))).toBe(false);
    const health = open();
    const isSlow = health.isSlow(log(...yields, ANSWER, RESUMED));
    expect(await Promise.race([isSlow, Promise.resolve('waits')])).toBe('waits');
    health.stop();
  });
});
