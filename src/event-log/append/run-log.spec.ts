import { Gate } from '../../../test/support/gate.js';
import { MemoryLogStore } from '../../../test/support/store/memory-log-store.js';
import { SystemClock } from '../../kernel/clock.js';
import type { Delta, Trace } from '../../protocol/events.js';
import type { Frame } from '../live/live-bus.js';
import { LocalLiveBus } from '../live/local/local-live-bus.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import { LogWriter } from './log-writer.js';
import { RunLog } from './run-log.js';
import type { Entry } from './run-log.js';
import { LeaseLostError } from './lease-lost.error.js';

const ID = 'int_1';
const STEP: Entry<'STEP_COMPLETED'> = {
  agent_id: 'agent_root',
  key: 'main/1',
  body: { type: 'STEP_COMPLETED', name: 'now' },
};
const DELTA: Delta = { type: 'TEXT_DELTA', block_id: '1b0', offset: 0, delta: 'hi' };
const TRACE: Trace = { type: 'TRACE', name: 'ping', detail: null };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe(RunLog.name, () => {
  let gate: Gate | undefined;
  let failure: Error | undefined;
  let store: MemoryLogStore;
  let frames: Frame[];
  let committed: LogRecord[];
  let holdsLease: boolean;
  let log: RunLog;

  beforeEach(() => {
    gate = failure = undefined;
    frames = [];
    committed = [];
    holdsLease = true;
    store = new MemoryLogStore(async (point) => {
      if (point === 'append' && failure) throw failure;
      if (point === 'append') await gate?.pass();
    });
    store.create(ID);
    log = newRun(1);
  });

  function newRun(epoch: number): RunLog {
    const clock = new SystemClock();
    const bus = new LocalLiveBus();
    bus.frames(ID).subscribe((frame) => frames.push(frame));
    const writer = new LogWriter(store.port, clock, { save_timeout_ms: 30 });
    const run = new RunLog(
      { writer, bus, clock },
      {
        interaction_id: ID,
        chat: { chat_uid: 'chat', tenant_id: 'default' },
        epoch,
        last_seq: store.records(ID).length,
        lease: {
          get isFresh() {
            return holdsLease;
          },
        },
      },
    );
    const append = run.append.bind(run);
    run.append = async (...batch) => {
      const records = await append(...batch);
      committed.push(...records);
      return records;
    };
    return run;
  }

  const published = (): number[] =>
    frames.flatMap(({ items }) =>
      items.flatMap((item) => (item.kind === 'record' ? item.record.seq : [])),
    );

  it('numbers records from 1, signs them with its epoch and tells of them in order', async () => {
    await log.append([STEP, STEP]);
    const [third] = await log.append([{ ...STEP, hidden: { value: 42 } }]);
    expect(third).toMatchObject({
      ...STEP,
      interaction_id: ID,
      seq: 3,
      epoch: 1,
      hidden: { value: 42 },
    });
    expect(store.records(ID)).toEqual(committed);
    expect(published()).toEqual([1, 2, 3]);
  });

  it('goes on after the last record of the run before', async () => {
    await log.append([STEP, STEP]);
    const next = newRun(store.takeOver(ID));
    expect(await next.append([STEP])).toMatchObject([{ seq: 3, epoch: 2 }]);
  });

  it('publishes nothing that is not committed (I1)', async () => {
    gate = new Gate();
    const append = log.append([STEP]);
    log.delta('agent_root', DELTA);
    await gate.reached;
    await tick();
    expect(frames).toEqual([]);
    expect(committed).toEqual([]);
    gate.open();
    await append;
    expect(frames.map(({ items }) => items.map(({ kind }) => kind))).toEqual([['record', 'delta']]);
    expect(committed).toHaveLength(1);
  });

  it('has published what it appended when the append resolves', async () => {
    const order = await Promise.all(
      [1, 2, 3].map((seq) => log.append([STEP]).then(() => published().at(-1)! >= seq)),
    );
    expect(order).toEqual([true, true, true]);
    expect(published()).toEqual([1, 2, 3]);
  });

  it('is lost when another run has taken over (I6)', async () => {
    store.takeOver(ID);
    await expect(log.append([STEP])).rejects.toBeInstanceOf(LeaseLostError);
    expect(log.isHeld).toBe(false);
    expect([frames, committed, store.records(ID)]).toEqual([[], [], []]);
  });

  it('writes and says nothing more after an append that failed', async () => {
    failure = new Error('away');
    const results = await Promise.allSettled([
      log.append([STEP]),
      log.append([STEP]).catch((error: unknown) => {
        failure = undefined;
        throw error;
      }),
    ]);
    expect(results).toMatchObject([
      { reason: { code: 'store_unavailable' } },
      { reason: { code: 'store_unavailable' } },
    ]);
    await expect(log.append([STEP])).rejects.toBeInstanceOf(LeaseLostError);
    log.delta('agent_root', DELTA);
    await tick();
    expect([frames, store.records(ID), store.faults]).toEqual([[], [], []]);
  });

  it('writes and says nothing once it is closed', async () => {
    log.delta('agent_root', DELTA);
    log.close();
    log.delta('agent_root', DELTA);
    log.trace('agent_root', TRACE);
    await expect(log.append([STEP])).rejects.toBeInstanceOf(LeaseLostError);
    await tick();
    expect([frames, store.appends]).toEqual([[], []]);
  });

  it('says nothing of an append that is committed after it was closed', async () => {
    gate = new Gate();
    const append = log.append([STEP]);
    await gate.reached;
    log.close();
    gate.open();
    await expect(append).rejects.toBeInstanceOf(LeaseLostError);
    expect([frames, committed]).toEqual([[], []]);
    expect(store.records(ID)).toHaveLength(1);
  });

  it('writes nothing without its lease', async () => {
    holdsLease = false;
    await expect(log.append([STEP])).rejects.toBeInstanceOf(LeaseLostError);
    expect(store.appends).toEqual([]);
  });

  it('says nothing without its lease, not even if it is renewed after all', async () => {
    holdsLease = false;
    log.delta('agent_root', DELTA);
    await tick();
    holdsLease = true;
    log.delta('agent_root', { ...DELTA, offset: 2 });
    await tick();
    expect(frames).toEqual([]);
    await expect(log.append([STEP])).rejects.toBeInstanceOf(LeaseLostError);
  });

  it('says nothing of what is committed after its lease', async () => {
    gate = new Gate();
    const append = log.append([STEP]);
    await gate.reached;
    holdsLease = false;
    gate.open();
    await expect(append).rejects.toBeInstanceOf(LeaseLostError);
    expect([frames, committed]).toEqual([[], []]);
  });

  it('names blocks as no other run does', () => {
    const next = newRun(2);
    const ids = [log, log, next, next].map((run) => run.newBlockId());
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+$/);
  });
});
