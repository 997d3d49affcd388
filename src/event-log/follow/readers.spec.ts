import { eventually } from '../../../test/support/eventually.js';
import { jest } from '@jest/globals';
import type { Observer } from 'rxjs';
import { newRecord } from '../../../test/contracts/interaction-store/fixtures.js';
import { MemoryLogStore } from '../../../test/support/store/memory-log-store.js';
import { SystemClock } from '../../kernel/clock.js';
import { loadConfig } from '../../config/load-config.js';
import { START } from '../../protocol/cursor.js';
import type { FollowedEvent } from './follower.js';
import { LocalLiveBus } from '../live/local/local-live-bus.js';
import { Readers } from './readers.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe(Readers.name, () => {
  let store: MemoryLogStore;
  let bus: LocalLiveBus;
  let readers: Readers;
  let counts: [string, number][];

  beforeEach(() => {
    store = new MemoryLogStore();
    for (const id of ['a', 'b']) store.create(id, { records: [newRecord(id, 1)] });
    bus = new LocalLiveBus();
    readers = new Readers(
      store.port,
      bus,
      Object.create(loadConfig({}), { heartbeatMs: { value: 1 } }),
      new SystemClock(),
    );
    counts = [];
    readers.countChanges.subscribe(({ interaction_id, count }) =>
      counts.push([interaction_id, count]),
    );
  });
  afterEach(() => readers.onApplicationShutdown());

  function follow(id: string, reader: Partial<Observer<FollowedEvent>> = {}): () => void {
    const backlog = { isFull: false, drained: async () => {} };
    const options = { interaction_id: id, cursor: START, trace: false, backlog };
    const reading = readers.follow(options).subscribe(reader);
    return () => reading.unsubscribe();
  }

  /** Resolves when the stream of a reader completes. */
  function untilEnded(id: string): Promise<unknown> {
    return new Promise<void>((resolve) => follow(id, { complete: resolve }));
  }

  it('counts who comes and who leaves, and tells whoever wants to know', () => {
    const leave = [follow('a'), follow('a'), follow('b')];
    expect([readers.count('a'), readers.count('b'), readers.count('c')]).toEqual([2, 1, 0]);
    leave[0]?.();
    leave[0]?.();
    leave[2]?.();
    expect([readers.count('a'), readers.count('b')]).toEqual([1, 0]);
    expect(counts).toEqual([
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['a', 1],
      ['b', 0],
    ]);
  });

  it('counts right after a thousand readers came and left in any order', async () => {
    const leave = Array.from({ length: 1000 }, (_, i) => follow(i % 3 === 0 ? 'b' : 'a'));
    expect([readers.count('a'), readers.count('b')]).toEqual([666, 334]);
    await tick();
    for (let i = 0; i < 1000; i++) leave[(i * 7) % 1000]?.();
    expect([readers.count('a'), readers.count('b')]).toEqual([0, 0]);
    expect(counts.filter(([, count]) => count === 0)).toHaveLength(2);
  });

  it('asks the store once per check, however many read', async () => {
    const read = new Promise<void>((resolve) => {
      for (let i = 0; i < 100; i++) follow(i % 2 ? 'a' : 'b', { next: () => resolve() });
    });
    await read;
    const ended = untilEnded('b');
    store.delete('b');
    readers.onApplicationBootstrap();
    await ended;
    expect(store.lastSeqCalls).toEqual([['b', 'a']]);
  });

  it('finds by its check what the bus has lost, for every reader', async () => {
    const ends = [untilEnded('a'), untilEnded('a')];
    await tick();
    const body = { type: 'INTERACTION_COMPLETE', status: 'COMPLETED' } as const;
    await store.append([{ interaction_id: 'a', epoch: 1, records: [newRecord('a', 2, { body })] }]);
    readers.onApplicationBootstrap();
    expect(await Promise.all(ends)).toEqual([undefined, undefined]);
    expect(readers.count('a')).toBe(0);
  });

  it('reads nothing that is on its way', async () => {
    const readRecords = jest.spyOn(store, 'readRecords');
    const end = untilEnded('a');
    await tick();
    const body = { type: 'INTERACTION_COMPLETE', status: 'COMPLETED' } as const;
    const record = newRecord('a', 2, { body });
    await store.append([{ interaction_id: 'a', epoch: 1, records: [record] }]);
    const readLastSeqs = store.readLastSeqs.bind(store);
    store.readLastSeqs = async (ids) => {
      const found = await readLastSeqs(ids);
      setImmediate(() => {
        bus.publish('a', { epoch: 1, number: 1, items: [{ kind: 'record', record }] });
      });
      return found;
    };
    readers.onApplicationBootstrap();
    await end;
    expect(readRecords).toHaveBeenCalledTimes(1);
  });

  it('ends who reads an interaction that was deleted', async () => {
    const end = untilEnded('a');
    follow('b');
    await tick();
    store.delete('a');
    readers.onApplicationBootstrap();
    expect(await end).toBeUndefined();
    expect([readers.count('a'), readers.count('b')]).toEqual([0, 1]);
  });

  it('fails who has more than the store, which went back', async () => {
    await store.append([{ interaction_id: 'a', epoch: 1, records: [newRecord('a', 2)] }]);
    let seq = 0;
    const failed = new Promise((resolve) => {
      follow('a', {
        next: ({ event }) => void (seq = 'seq' in event ? event.seq : seq),
        error: resolve,
      });
    });
    await eventually(() => seq === 2);
    store.create('a', { records: [newRecord('a', 1)] });
    readers.onApplicationBootstrap();
    expect(await failed).toMatchObject({ code: 'log_went_back' });
    expect(readers.count('a')).toBe(0);
  });

  it('has let go of a reader before it tells it of a failure', async () => {
    store.readRecords = () => Promise.reject(new Error('away'));
    const left = await new Promise((resolve) => {
      follow('a', { error: (error) => resolve([error, readers.count('a')]) });
    });
    expect(left).toEqual([new Error('away'), 0]);
  });

  it('goes on checking after the store was away', async () => {
    const end = untilEnded('a');
    const readLastSeqs = store.readLastSeqs.bind(store);
    let failures = 2;
    store.readLastSeqs = (ids) =>
      failures-- > 0 ? Promise.reject(new Error('away')) : readLastSeqs(ids);
    store.delete('a');
    readers.onApplicationBootstrap();
    expect(await end).toBeUndefined();
  });

  it('asks nothing while nobody reads', async () => {
    follow('a')();
    readers.onApplicationBootstrap();
    await untilEnded('deleted');
    expect(store.lastSeqCalls).toEqual([['deleted']]);
  });
});
