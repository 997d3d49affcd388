import { Observable } from 'rxjs';
import type { Observer } from 'rxjs';
import { newRecord } from '../../../test/contracts/interaction-store/fixtures.js';
import { eventually } from '../../../test/support/eventually.js';
import { Gate } from '../../../test/support/gate.js';
import { MemoryLogStore } from '../../../test/support/store/memory-log-store.js';
import { parseCursor } from '../../protocol/cursor.js';
import type { RecordBody } from '../../protocol/events.js';
import { Follower } from './follower.js';
import type { Backlog } from '../../kernel/async/backlog.js';
import type { FollowedEvent } from './follower.js';
import type { Frame, FrameItem } from '../live/live-bus.js';
import { LocalLiveBus } from '../live/local/local-live-bus.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { StreamEvent } from './stream-event.js';

const ID = 'int_1';
const COMPLETE: RecordBody = { type: 'INTERACTION_COMPLETE', status: 'COMPLETED' };

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** What a reader gets: `3` is record 3, `a@0:hi` a delta; after `|` its cursor. */
class ListeningReader implements Observer<FollowedEvent>, Backlog {
  readonly heard: string[] = [];
  readonly ends: unknown[] = [];
  gate: Gate | undefined;
  isFull = false;
  onEvent = (_event: StreamEvent): void => {};

  next({ cursor, event }: FollowedEvent): void {
    this.heard.push(`${say(event)} | ${cursor}`);
    this.onEvent(event);
  }

  drained(): Promise<void> {
    return this.gate?.pass() ?? Promise.resolve();
  }

  error(error: unknown): void {
    this.ends.push(error);
  }

  complete(): void {
    this.ends.push(undefined);
  }
}

/** Delivers nothing while it is deaf, and what it is told to, whatever it has heard. */
class OddBus extends LocalLiveBus {
  deaf = false;
  listeners = 0;
  deliver = (_frame: Frame): void => {};

  override frames(interactionId: string): Observable<Frame> {
    return new Observable((listener) => {
      this.listeners++;
      this.deliver = (frame) => listener.next(frame);
      const subscription = super.frames(interactionId).subscribe((frame) => {
        if (!this.deaf) listener.next(frame);
      });
      return () => {
        this.listeners--;
        subscription.unsubscribe();
      };
    });
  }
}

function say(event: StreamEvent): string {
  if ('offset' in event) return `${event.block_id}@${event.offset}:${event.delta}`;
  return 'seq' in event ? String(event.seq) : event.name;
}

interface FollowerOptions {
  readonly cursor?: string;
  readonly trace?: boolean;
  readonly first?: LogRecord;
}

describe(Follower.name, () => {
  let reads: number;
  let onRead: () => Promise<void>;
  let store: MemoryLogStore;
  let bus: OddBus;
  let reader: ListeningReader;
  let frameNumber: number;

  beforeEach(() => {
    reads = frameNumber = 0;
    onRead = async () => {};
    store = new MemoryLogStore(async (point) => {
      if (point === 'read') reads++;
      if (point === 'found') await onRead();
    });
    store.create(ID, { records: [record(1)] });
    bus = new OddBus();
    reader = new ListeningReader();
  });

  function record(seq: number, body?: RecordBody, epoch = 1): LogRecord {
    return newRecord(ID, seq, { epoch, body: body ?? { type: 'STEP_COMPLETED', name: 'now' } });
  }

  function notice(seq: number): LogRecord {
    return record(seq, { type: 'NOTICE', code: 'c', message: 'x'.repeat(100_000) });
  }

  function answer(seq: number, block_id: string, content: string): LogRecord {
    return record(seq, { type: 'MESSAGE', block_id, content });
  }

  function delta(block_id: string, offset: number, text: string): FrameItem {
    const delta = { type: 'TEXT_DELTA', block_id, offset, delta: text } as const;
    return { kind: 'delta', agent_id: 'agent_root', delta };
  }

  function write(...records: LogRecord[]): FrameItem[] {
    const [{ epoch }] = records as [LogRecord];
    void store.append([{ interaction_id: ID, epoch, records }]);
    return records.map((record) => ({ kind: 'record', record }));
  }

  function publish(...items: FrameItem[]): void {
    bus.publish(ID, { epoch: 1, number: ++frameNumber, items });
  }

  function newFollower({ cursor = '0', ...more }: FollowerOptions = {}): Follower {
    const options = {
      ...{ interaction_id: ID, cursor: parseCursor(cursor), trace: false, backlog: reader },
      ...more,
    };
    return new Follower({ records: store.port, bus }, options, reader);
  }

  async function follow(options?: FollowerOptions): Promise<Follower> {
    const follower = newFollower(options);
    void follower.start();
    await settle();
    return follower;
  }

  it('does not read the store for what has just begun', async () => {
    bus.open(ID, 1);
    await follow({ first: record(1) });
    expect(reader.heard).toEqual(['1 | 1']);
    publish(delta('1b0', 0, 'Hi'));
    publish(...write(answer(2, '1b0', 'Hi.'), record(3, COMPLETE)));
    expect(reader.heard.slice(1)).toEqual([
      ...['1b0@0:Hi | 1~1b0.2', '1b0@2:. | 1~1b0.3', '2 | 2', '3 | 3'],
    ]);
    expect(reader.ends).toEqual([undefined]);
    expect(reads).toBe(0);
  });

  it('reads the store if its run has published, is over, or is elsewhere', async () => {
    const all = ['1 | 1', '2 | 2', '3 | 3'];
    bus.open(ID, 1);
    publish(...write(record(2), record(3, COMPLETE)));
    await follow({ first: record(1) });
    expect([reader.heard, reads]).toEqual([all, 1]);
    bus.close(ID, 1);
    reader = new ListeningReader();
    await follow({ first: record(1) });
    expect([reader.heard, reads]).toEqual([all, 2]);
  });

  it('shows an end that was retried as a notice, also at the end of a page', async () => {
    for (const before of [1, 199]) {
      const records = Array.from({ length: before }, (_, index) => record(index + 1));
      const end = { type: 'INTERACTION_COMPLETE', status: 'FAILED' } as const;
      const resumed: RecordBody = { type: 'RESUMED', attempt: 1, reason: 'retried' };
      const rest = [record(before + 1, end), record(before + 2, resumed, 2)];
      store.create(ID, { epoch: 2, records: [...records, ...rest] });
      reader = new ListeningReader();
      const events: StreamEvent[] = [];
      reader.onEvent = (event) => events.push(event);
      await follow();
      expect(events[before]).toMatchObject({ type: 'NOTICE', code: 'retried', seq: before + 1 });
      expect(events.at(-1)).toMatchObject({ type: 'RESUMED' });
      expect(reader.ends).toEqual([]);
      await store.append([
        { interaction_id: ID, epoch: 2, records: [record(before + 3, COMPLETE, 2)] },
      ]);
      reader = new ListeningReader();
      await follow();
      expect(reader.heard.at(-1)).toBe(`${before + 3} | ${before + 3}`);
      expect(reader.ends).toEqual([undefined]);
    }
  });

  it('ends with an end that fills a page', async () => {
    const records = Array.from({ length: 199 }, (_, index) => record(index + 1));
    store.create(ID, { records: [...records, record(200, COMPLETE)] });
    await follow();
    expect(reader.heard.at(-1)).toBe('200 | 200');
    expect(reader.ends).toEqual([undefined]);
  });

  it('sends the records after the cursor, then what comes live', async () => {
    await settle();
    publish(...write(record(2)));
    await follow({ cursor: '1' });
    publish(delta('a', 0, 'he'));
    publish(delta('a', 2, 'y'), ...write(answer(3, 'a', 'hey')));
    expect(reader.heard).toEqual(['2 | 2', 'a@0:he | 2~a.2', 'a@2:y | 2~a.3', '3 | 3']);
  });

  it('sends the rest of a block that is open, in one delta', async () => {
    publish(delta('a', 0, 'one '), delta('b', 0, 'x'));
    publish(delta('a', 4, 'two'));
    await follow({ cursor: '1~a.2' });
    expect(reader.heard).toEqual(['a@2:e two | 1~a.7', 'b@0:x | 1~a.7~b.1']);
  });

  it('sends the rest of a block that was completed, then its record', async () => {
    write(answer(2, 'a', 'hello'), answer(3, 'b', 'x'));
    await follow({ cursor: '1~a.2' });
    expect(reader.heard).toEqual(['a@2:llo | 1~a.5', '2 | 2', 'b@0:x | 2~b.1', '3 | 3']);
  });

  it('takes offsets for void when the run was lost', async () => {
    store.takeOver(ID);
    write(record(2, { type: 'RESUMED', attempt: 2, reason: 'lost' }, 2));
    await follow({ cursor: '1~a.2' });
    expect(reader.heard).toEqual(['2 | 2']);
  });

  it('passes on provider events to who asked for them', async () => {
    const trace: FrameItem = {
      kind: 'trace',
      agent_id: 'agent_root',
      trace: { type: 'TRACE', name: 'ping', detail: 1 },
    };
    await follow({ cursor: '1' });
    publish(trace);
    expect(reader.heard).toEqual([]);
    await follow({ cursor: '1', trace: true });
    publish(trace);
    expect(reader.heard).toEqual(['ping | 1']);
  });

  it('pages through a long log, and waits for its reader after each page', async () => {
    write(...Array.from({ length: 449 }, (_, i) => record(i + 2)));
    reader.gate = new Gate();
    await follow();
    expect(reader.heard).toHaveLength(200);
    reader.gate.open();
    await settle();
    expect(reader.heard).toHaveLength(450);
    expect(reads).toBe(3);
  });

  it('reads no more of a log with long records than its reader is about to take', async () => {
    write(...Array.from({ length: 59 }, (_, i) => notice(i + 2)));
    reader.gate = new Gate();
    await follow();
    expect(reader.heard).toHaveLength(3);
    reader.gate.open();
    await eventually(() => reader.heard.length === 60);
  });

  it('reads long records from the store that arrived while it read', async () => {
    const gate = new Gate();
    onRead = () => gate.pass();
    await follow();
    for (let seq = 2; seq <= 60; seq++) publish(...write(notice(seq)));
    gate.open();
    await eventually(() => reader.heard.length === 60);
    expect(reads).toBeGreaterThan(1);
  });

  it('waits within a page while its reader has too much to take', async () => {
    write(...Array.from({ length: 9 }, (_, i) => record(i + 2)));
    reader.gate = new Gate();
    reader.onEvent = () => (reader.isFull = reader.heard.length === 4);
    await follow();
    expect(reader.heard).toHaveLength(4);
    reader.isFull = false;
    reader.gate.open();
    await settle();
    expect(reader.heard).toHaveLength(10);
    expect(reads).toBe(1);
  });

  it('doesn’t go live before its reader has taken what was before', async () => {
    reader.gate = new Gate();
    await follow();
    publish(...write(record(2)));
    expect(reader.heard).toEqual(['1 | 1']);
    reader.gate.open();
    await settle();
    expect(reader.heard).toEqual(['1 | 1', '2 | 2']);
  });

  it('keeps the frames that come while it reads the store', async () => {
    const gate = new Gate();
    onRead = () => gate.pass();
    await follow();
    publish(delta('a', 0, 'hey'));
    publish(...write(answer(2, 'a', 'hey')), delta('b', 0, 'x'));
    gate.open();
    await settle();
    expect(reader.heard).toEqual(['1 | 1', 'a@0:hey | 1~a.3', '2 | 2', 'b@0:x | 2~b.1']);
    expect(reads).toBe(1);
  });

  it('reads again instead of keeping more frames than it may', async () => {
    const gate = new Gate();
    onRead = () => gate.pass();
    await follow();
    for (let i = 0; i < 2500; i++) publish(delta('a', i, 'x'));
    onRead = async () => {};
    gate.open();
    await settle();
    expect(reader.heard).toEqual(['1 | 1', `a@0:${'x'.repeat(2500)} | 1~a.2500`]);
    publish(delta('a', 2500, 'y'));
    expect(reader.heard.at(-1)).toBe('a@2500:y | 1~a.2501');
    expect(reads).toBe(2);
  });

  it('makes up for a frame that was lost as soon as the next one comes', async () => {
    await follow();
    bus.deaf = true;
    publish(delta('a', 0, 'lost'), ...write(record(2)));
    bus.deaf = false;
    publish(delta('b', 0, 'x'));
    await settle();
    expect(reader.heard).toEqual(['1 | 1', '2 | 2', 'a@0:lost | 2~a.4', 'b@0:x | 2~a.4~b.1']);
  });

  it.each<[string, () => FrameItem[]]>([
    ['record', () => write(record(2), record(3)).slice(1)],
    ['delta', () => [delta('a', 4, 'late')]],
  ])('reads the store when a %s is missing though no frame is', async (_what, items) => {
    await follow();
    publish(...items());
    expect(reader.heard).toEqual(['1 | 1']);
    await settle();
    expect(reads).toBe(2);
    expect(reader.heard.slice(1)).toEqual(store.records(ID).length === 3 ? ['2 | 2', '3 | 3'] : []);
  });

  it('reads nothing because of frames it has seen, or of a run that was lost', async () => {
    await follow();
    const frame = { epoch: 1, number: 1, items: [delta('a', 0, 'x')] };
    bus.publish(ID, frame);
    bus.deliver(frame);
    bus.deliver({ epoch: 0, number: 9, items: [delta('z', 0, 'zombie')] });
    await settle();
    expect(reader.heard).toEqual(['1 | 1', 'a@0:x | 1~a.1']);
    expect(reads).toBe(1);
  });

  it('hears the very first frame of a run that began after it, traces too', async () => {
    store = new MemoryLogStore(async (point) => void (point === 'read' && reads++));
    store.create(ID, { records: [record(1, undefined, 0)] });
    await follow({ trace: true });
    publish({
      kind: 'trace',
      agent_id: 'agent_root',
      trace: { type: 'TRACE', name: 'odd', detail: null },
    });
    publish(delta('a', 0, 'x'));
    expect(reader.heard).toEqual(['1 | 1', 'odd | 1', 'a@0:x | 1~a.1']);
    expect(reads).toBe(1);
  });

  it('hears of a beginning that nobody published before the very first frame of its run', async () => {
    store = new MemoryLogStore(async () => {});
    store.create(ID, { epoch: 0 });
    await follow();
    write(record(1, undefined, 0));
    await settle();
    publish(delta('a', 0, 'x'));
    await settle();
    expect(reader.heard).toEqual(['1 | 1', 'a@0:x | 1~a.1']);
  });

  it('takes no first frame that comes late for one: what its reader had of it is not known', async () => {
    write(answer(2, 'a', 'hey'));
    await follow({ cursor: '2' });
    publish(delta('a', 0, 'hey'));
    publish({ kind: 'record', record: store.records(ID)[1]! });
    publish(delta('b', 0, 'x'));
    await settle();
    expect(reader.heard).toEqual(['b@0:x | 2~b.1']);
  });

  it('joins no run by its frame numbers alone: what was closed before is not known', async () => {
    write(answer(2, 'a', 'hey'), record(3), record(4));
    await follow({ cursor: '3' });
    const [two, three, four] = store.records(ID).slice(1) as [LogRecord, LogRecord, LogRecord];
    publish(delta('a', 0, 'hey'));
    for (const late of [two, three, four]) publish({ kind: 'record', record: late });
    publish(delta('b', 0, 'x'));
    await settle();
    expect(reader.heard).toEqual(['4 | 4', 'b@0:x | 4~b.1']);
  });

  it('finds out by the tail check that the last frame was lost', async () => {
    const follower = await follow();
    write(record(2, COMPLETE));
    follower.checkTail(1, 0);
    await settle();
    expect(reader.heard).toEqual(['1 | 1']);
    follower.checkTail(2, 0);
    await settle();
    expect(reader.heard).toEqual(['1 | 1', '2 | 2']);
    expect(reader.ends).toEqual([undefined]);
  });

  const WENT_BACK = [expect.objectContaining({ code: 'log_went_back' })];

  it('fails when the store has lost what the reader has', async () => {
    write(record(2), record(3));
    const follower = await follow();
    follower.checkTail(2, 2); // the third came while the store was asked
    expect(reader.ends).toEqual([]);
    follower.checkTail(2, follower.seq);
    expect(reader.ends).toEqual(WENT_BACK);
  });

  it('fails when another run has written something else in the place of what was lost', async () => {
    write(record(2), record(3));
    await follow();
    const anew = [
      record(3, { type: 'RESUMED', attempt: 1, reason: 'lost' }, 2),
      record(4, undefined, 2),
    ];
    store.create(ID, { epoch: 2, records: [...store.records(ID).slice(0, 2), ...anew] });
    const items = anew.map((each) => ({ kind: 'record', record: each }) as const);
    bus.publish(ID, { epoch: 2, number: 1, items });
    await settle();
    expect(reader.heard).toEqual(['1 | 1', '2 | 2', '3 | 3']);
    expect(reader.ends).toEqual(WENT_BACK);
  });

  it('checks no tail while it reads the store anyway', async () => {
    const gate = new Gate();
    onRead = () => gate.pass();
    const follower = await follow();
    follower.checkTail(5, 0);
    gate.open();
    await settle();
    expect(reads).toBe(1);
  });

  it('ends, once, after the record that completes the interaction', async () => {
    const follower = await follow();
    publish(...write(record(2, COMPLETE)), delta('a', 0, 'x'));
    publish(delta('a', 1, 'y'));
    follower.checkTail(undefined, 0);
    follower.checkTail(99, 0);
    await settle();
    expect(reader.heard).toEqual(['1 | 1', '2 | 2']);
    expect(reader.ends).toEqual([undefined]);
  });

  it('ends, once, when the interaction is deleted', async () => {
    const follower = await follow();
    store.delete(ID);
    follower.checkTail(undefined, 0);
    follower.checkTail(undefined, 0);
    expect(reader.ends).toEqual([undefined]);
  });

  it('ends with the error, once, when the store fails in the middle', async () => {
    const failure = new Error('away');
    write(...Array.from({ length: 300 }, (_, i) => record(i + 2)));
    onRead = async () => {
      if (reads === 2) throw failure;
    };
    const follower = await follow();
    publish(delta('a', 0, 'x'));
    follower.checkTail(undefined, 0);
    await settle();
    expect(reader.heard).toHaveLength(200);
    expect(reader.ends).toEqual([failure]);
  });

  it('leaves nothing on the bus when its reader leaves, at the end, and when the store fails', async () => {
    const left = await follow();
    const read = await follow();
    expect(bus.listeners).toBe(2);
    left.stop();
    expect(bus.listeners).toBe(1);
    publish(...write(record(2, COMPLETE)));
    expect(read.seq).toBe(2);
    expect(bus.listeners).toBe(0);
    onRead = () => Promise.reject(new Error('away'));
    await follow();
    expect(bus.listeners).toBe(0);
  });

  it('says nothing to a reader that left, wherever it was', async () => {
    const gate = new Gate();
    onRead = () => gate.pass();
    const follower = await follow();
    publish(delta('a', 0, 'x'));
    follower.stop();
    gate.open();
    await settle();
    publish(...write(record(2, COMPLETE)));
    expect([reader.heard, reader.ends]).toEqual([[], []]);
  });

  it('doesn’t report to a reader that left that the store has failed', async () => {
    const gate = new Gate();
    onRead = () => gate.pass().then(() => Promise.reject(new Error('away')));
    const follower = await follow();
    follower.stop();
    gate.open();
    await settle();
    expect(reader.ends).toEqual([]);
  });

  it.each(['1 | 1', 'a@0:hey | 1~a.3', '2 | 2', 'b@0:x | 2~b.1', 'b@1:y | 2~b.2', '3 | 3'])(
    'stops in the middle of anything: at %s',
    async (last) => {
      publish(...write(answer(2, 'a', 'hey')), delta('b', 0, 'x'));
      const follower = newFollower();
      reader.onEvent = () => {
        if (reader.heard.at(-1) === last) follower.stop();
      };
      void follower.start();
      await settle();
      publish(delta('b', 1, 'y'), ...write(answer(3, 'b', 'xy')), delta('c', 0, 'z'));
      await settle();
      const at = reader.heard.indexOf(last);
      expect([at >= 0, reader.heard.slice(at + 1), reader.ends]).toEqual([true, [], []]);
    },
  );
});
