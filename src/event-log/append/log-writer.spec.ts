import fc from 'fast-check';
import { newBatch } from '../../../test/contracts/interaction-store/fixtures.js';
import { Gate } from '../../../test/support/gate.js';
import { MemoryLogStore } from '../../../test/support/store/memory-log-store.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { SystemClock } from '../../kernel/clock.js';
import type { Clock } from '../../kernel/clock.js';
import { LogWriter } from './log-writer.js';
import type { LogWriterOptions } from './log-writer.js';
import type { AppendBatch, AppendOutcome } from '../../persistence/rows/append-rows.js';
import { StoreRefused } from '../../persistence/store-refused.error.js';
import { AppError } from '../../kernel/app-error.js';
import { Telemetry } from '../../telemetry/telemetry.js';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

type Outcome = AppendOutcome | 'rejected';

function writerTo(
  store: MemoryLogStore,
  save_timeout_ms = 5000,
  spill?: LogWriterOptions['spill'],
  clock: Clock = new SystemClock(),
): LogWriter {
  for (const id of ['a', 'b', 'c']) store.create(id, { records: newBatch(id, [1, 1]).records });
  return new LogWriter(store.port, clock, { save_timeout_ms, ...(spill && { spill }) });
}

function sizes(store: MemoryLogStore): number[] {
  return store.appends.map((batches) => batches.reduce((sum, b) => sum + b.records.length, 0));
}

function seqs(store: MemoryLogStore, id: string): number[] {
  return store.records(id).map(({ seq }) => seq);
}

describe(LogWriter.name, () => {
  it('commits what all interactions append in one tick together', async () => {
    const store = new MemoryLogStore();
    const writer = writerTo(store);
    const outcomes = ['a', 'b', 'c'].map((id) => writer.append(newBatch(id, [2, 3])));
    expect(await Promise.all(outcomes)).toEqual(['written', 'written', 'written']);
    expect(sizes(store)).toEqual([6]);
  });

  it('commits what comes while a commit is in flight together, once that is over', async () => {
    const gates = [new Gate(), new Gate()];
    let commits = 0;
    const store = new MemoryLogStore(async (point) => {
      if (point === 'append') await gates[commits++]?.pass();
    });
    const writer = writerTo(store);
    const first = writer.append(newBatch('a', [2, 2]));
    await gates[0]!.reached;
    const rest = [3, 4, 5].map((seq) => writer.append(newBatch('a', [seq, seq])));
    rest.push(writer.append(newBatch('b', [2, 2])));
    gates[0]!.open();
    await first;
    await gates[1]!.reached;
    expect(sizes(store)).toEqual([1, 4]);
    expect(store.appends[1]).toHaveLength(2);
    gates[1]!.open();
    expect(new Set(await Promise.all(rest))).toEqual(new Set(['written']));
    expect(seqs(store, 'a')).toEqual([1, 2, 3, 4, 5]);
  });

  it('carries the last of what several appends of an interaction imply', async () => {
    const store = new MemoryLogStore();
    const writer = writerTo(store);
    const usage = { input_tokens: 1, output_tokens: 2 };
    await Promise.all([
      writer.append(newBatch('a', [2, 2], { status: 'WAITING_INPUT', usage })),
      writer.append(newBatch('a', [3, 3], { status: 'RUNNING' })),
    ]);
    expect(store.appends[0]).toMatchObject([{ status: 'RUNNING', usage }]);
  });

  it('tells only the run that was fenced off', async () => {
    const store = new MemoryLogStore();
    const writer = writerTo(store);
    store.takeOver('b');
    const outcomes = ['a', 'b', 'c'].map((id) => writer.append(newBatch(id, [2, 2])));
    expect(await Promise.all(outcomes)).toEqual(['written', 'fenced', 'written']);
  });

  it.each([
    ['after', [1, 2]],
    ['before', [2, 1]],
  ])(
    'lets the newer run of an interaction write that appends %s the older',
    async (_when, order) => {
      const store = new MemoryLogStore();
      const writer = writerTo(store);
      store.takeOver('a');
      const outcomes = order.map((epoch) => writer.append(newBatch('a', [2, 2], { epoch })));
      expect(await Promise.all(outcomes)).toEqual(
        order.map((e) => (e === 2 ? 'written' : 'fenced')),
      );
      expect(store.records('a')[1]).toMatchObject({ epoch: 2 });
    },
  );

  it('tries again, in order, while the store is away', async () => {
    let failures = 3;
    const store = new MemoryLogStore(async (point) => {
      if (point === 'append' && failures-- > 0) throw new Error('away');
    });
    const writer = writerTo(store);
    const first = writer.append(newBatch('a', [2, 3]));
    const second = writer.append(newBatch('a', [4, 4]));
    expect(await Promise.all([first, second])).toEqual(['written', 'written']);
    expect(seqs(store, 'a')).toEqual([1, 2, 3, 4]);
  });

  it('writes once what was written although the answer was lost', async () => {
    let losses = 1;
    const store = new MemoryLogStore(async (point) => {
      if (point === 'appended' && losses-- > 0) throw new Error('connection reset');
    });
    expect(await writerTo(store).append(newBatch('a', [2, 3]))).toBe('written');
    expect(seqs(store, 'a')).toEqual([1, 2, 3]);
  });

  it('gives up after the save timeout, and says what happens next', async () => {
    const cause = new Error('away');
    const store = new MemoryLogStore(() => Promise.reject(cause));
    await expect(writerTo(store, 60).append(newBatch('a', [2, 2]))).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'store_unavailable',
      cause,
    });
  });

  it('keeps all that a run has appended, in order, before the run hears that it is not saved', async () => {
    const store = new MemoryLogStore(() => Promise.reject(new Error('away')));
    const kept: number[] = [];
    const keeping = new Gate();
    const writer = writerTo(store, 60, {
      keep: async ({ records }) => {
        await keeping.pass();
        kept.push(...records.map(({ seq }) => seq));
        return true;
      },
    });
    const heard = [2, 3, 4].map((seq) => writer.append(newBatch('a', [seq, seq])));
    await keeping.reached;
    heard.push(writer.append(newBatch('a', [5, 5])));
    heard.push(writer.append(newBatch('a', [6, 6])));
    const keptWhenHeard = heard.map((each) => each.catch(() => [...kept]));
    keeping.open();
    for (const each of keptWhenHeard) expect(await each).toEqual([2, 3, 4, 5, 6]);
    await expect(heard[0]).rejects.toMatchObject({ message: expect.stringContaining('spill') });
  });

  it('keeps nothing after what could not be kept', async () => {
    const store = new MemoryLogStore(() => Promise.reject(new Error('away')));
    const asked: number[] = [];
    const keeping = new Gate();
    const writer = writerTo(store, 60, {
      keep: async ({ records }) => {
        asked.push(records[0]!.seq);
        await keeping.pass();
        return false;
      },
    });
    const first = writer.append(newBatch('a', [2, 2]));
    await keeping.reached;
    const second = writer.append(newBatch('a', [3, 3]));
    keeping.open();
    await expect(first).rejects.toMatchObject({ message: expect.stringContaining('lost') });
    await expect(second).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(asked).toEqual([2]);
  });

  it('counts the time that a store takes to fail', async () => {
    const clock = new FakeClock();
    const store = new MemoryLogStore(async () => {
      clock.pass(100);
      throw new Error('no answer');
    });
    const writer = writerTo(store, 90, undefined, clock);
    await expect(writer.append(newBatch('a', [2, 2]))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    expect(store.appends).toHaveLength(1);
  });

  it('writes nothing after what it gave up on, even if the store is back (I1)', async () => {
    let away = true;
    const store = new MemoryLogStore(async (point) => {
      if (point === 'append' && away) throw new Error('away');
    });
    const writer = writerTo(store, 60);
    const first = writer.append(newBatch('a', [2, 2]));
    const second = writer.append(newBatch('a', [3, 3]));
    const third = first.catch(() => {
      away = false;
      return writer.append(newBatch('a', [4, 4]));
    });
    const results = await Promise.allSettled([first, second, third]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(seqs(store, 'a')).toEqual([1]);
    store.takeOver('a');
    expect(await writer.append(newBatch('a', [2, 2], { epoch: 2 }))).toBe('written');
  });

  it('lets nobody wait for a neighbour that can’t be written', async () => {
    const store = new MemoryLogStore(async (point) => {
      const batches = store.appends.at(-1) ?? [];
      if (point === 'append' && batches.some(({ interaction_id }) => interaction_id === 'b'))
        throw new Error('a payload that nobody can store');
    });
    const writer = writerTo(store, 150);
    const broken = writer.append(newBatch('b', [2, 2]));
    const first = ['a', 'c'].map((id) => writer.append(newBatch(id, [2, 2])));
    expect(await Promise.all(first)).toEqual(['written', 'written']);
    const second = ['a', 'c'].map((id) => writer.append(newBatch(id, [3, 3])));
    expect(await Promise.all(second)).toEqual(['written', 'written']);
    expect(seqs(store, 'b')).toEqual([1]);
    await expect(broken).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('neither repeats nor keeps what the store refuses for good, and writes nothing after it', async () => {
    const cause = new AppError('internal', 'store_failed', 'A value is out of range.');
    const store = new MemoryLogStore(async (point) => {
      const batches = store.appends.at(-1) ?? [];
      if (point === 'append' && batches.some(({ interaction_id }) => interaction_id === 'b'))
        throw cause;
    });
    const kept: string[] = [];
    const keep = async ({ interaction_id }: AppendBatch) => kept.push(interaction_id) > 0;
    const writer = writerTo(store, 60_000, { keep });
    const first = ['a', 'b', 'c'].map((id) => writer.append(newBatch(id, [2, 2])));
    await tick();
    first.push(writer.append(newBatch('b', [3, 3])));
    const refused = expect.objectContaining({ code: 'store_refused', cause });
    expect(await Promise.all(first)).toEqual(['written', refused, 'written', refused]);
    const tries = store.appends.filter((group) => group.length === 1 && group[0] !== undefined);
    expect(tries.filter(([only]) => only?.interaction_id === 'b')).toHaveLength(1);
    expect(await writer.append(newBatch('b', [2, 2]))).toEqual(refused);
    expect(kept).toEqual([]);
  });

  it('answers as the store did, with a refusal beside what is written', async () => {
    const store = new MemoryLogStore();
    const append = store.append.bind(store);
    const refusal = new StoreRefused(new Error('no'));
    store.append = async (batches) => {
      const outcomes = await append(batches.filter(({ interaction_id }) => interaction_id !== 'b'));
      return batches.map(({ interaction_id }) =>
        interaction_id === 'b' ? refusal : outcomes.shift()!,
      );
    };
    const writer = writerTo(store);
    const outcomes = ['a', 'b', 'c'].map((id) => writer.append(newBatch(id, [2, 2])));
    expect(await Promise.all(outcomes)).toEqual(['written', refusal, 'written']);
    expect(store.appends).toHaveLength(1);
  });

  it('reports as written what is durable, although it can’t be counted', async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const store = new MemoryLogStore();
    store.create('a', { records: newBatch('a', [1, 1]).records });
    const telemetry = new Telemetry();
    telemetry.on('append_written', () => {
      throw new Error('a counter can only grow');
    });
    const writer = new LogWriter(store.port, new SystemClock(), { save_timeout_ms: 0, telemetry });
    expect(await writer.append(newBatch('a', [2, 2]))).toBe('written');
    expect(store.appends).toHaveLength(1);
  });

  it('counts what was written, not what was fenced off', async () => {
    const store = new MemoryLogStore();
    for (const id of ['a', 'b']) store.create(id, { records: newBatch(id, [1, 1]).records });
    store.takeOver('b');
    const counted: unknown[] = [];
    const telemetry = new Telemetry();
    telemetry.on('append_written', ({ batches }) => counted.push(...batches));
    const writer = new LogWriter(store.port, new SystemClock(), { save_timeout_ms: 0, telemetry });
    await Promise.all(['a', 'b'].map((id) => writer.append(newBatch(id, [2, 2]))));
    expect(counted).toEqual([expect.objectContaining({ interaction_id: 'a' })]);
  });

  it('writes each log in order and without a gap, whatever the store does and when (I1)', async () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const operation = fc.oneof(
      fc.record({
        kind: fc.constant('append' as const),
        id,
        count: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({ kind: fc.constant('tick' as const) }),
    );
    const faults = fc.infiniteStream(
      fc.constantFrom('ok', 'ok', 'ok', 'slow', 'slow', 'fails', 'loses the answer'),
    );
    const property = fc.asyncProperty(
      fc.array(operation, { maxLength: 30 }),
      faults,
      async (operations, fates) => {
        const world = new WriterWorld(fates);
        for (const each of operations)
          await (each.kind === 'tick' ? tick() : world.append(each.id, each.count));
        await world.end();
        expect(world.faults()).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });
});

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Three runs that append without waiting, over a store with moods. */
class WriterWorld {
  private readonly store: MemoryLogStore;
  private readonly writer: LogWriter;
  private readonly next = new Map<string, number>();
  private readonly outcomes: Promise<void>[] = [];
  private readonly wrong: string[] = [];
  private fate = 'ok';

  constructor(fates: Iterator<string>) {
    this.store = new MemoryLogStore(async (point) => {
      if (point === 'append') this.fate = String(fates.next().value);
      if (this.fate === 'slow') for (let i = 0; i < 3; i++) await tick();
      if (point === 'append' && this.fate === 'fails') throw new Error('away');
      if (point === 'appended' && this.fate === 'loses the answer') throw new Error('reset');
    });
    this.writer = writerTo(this.store, 60_000);
  }

  append(id: string, count: number): void {
    const from = this.next.get(id) ?? 2;
    this.next.set(id, from + count);
    const last = from + count - 1;
    const outcome = this.writer.append(newBatch(id, [from, last])).then((answer: Outcome) => {
      if (answer !== 'written') this.wrong.push(`${id} ${from}: ${answer}`);
      if (this.store.records(id).length < last) this.wrong.push(`${id} ${from}: not written`);
    });
    this.outcomes.push(outcome);
  }

  async end(): Promise<void> {
    await Promise.all(this.outcomes);
    for (const [id, next] of this.next)
      if (this.store.records(id).length !== next - 1) this.wrong.push(`${id} is incomplete`);
  }

  faults(): string[] {
    return [...this.wrong, ...this.store.faults];
  }
}
