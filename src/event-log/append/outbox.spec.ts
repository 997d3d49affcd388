import fc from 'fast-check';
import { newRecord } from '../../../test/contracts/interaction-store/fixtures.js';
import type { Delta } from '../../protocol/events.js';
import type { Frame } from '../live/live-bus.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import { Outbox } from './outbox.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function delta(block_id: string, offset: number, text: string): Delta {
  return { type: 'TEXT_DELTA', block_id, offset, delta: text };
}

function record(seq: number, agent_id = 'root'): LogRecord {
  return newRecord('int_1', seq, { agent_id });
}

/** What a frame says, short: `3` is record 3, `a@0:hi` a delta. */
function say({ items }: Frame): string {
  const words = items.map((item) => {
    if (item.kind === 'record') return String(item.record.seq);
    if (item.kind === 'trace') return item.trace.name;
    return `${item.delta.block_id}@${item.delta.offset}:${item.delta.delta}`;
  });
  return words.join(' ');
}

describe(Outbox.name, () => {
  let frames: Frame[];
  let outbox: Outbox;
  beforeEach(() => {
    frames = [];
    outbox = new Outbox(7, (frame) => frames.push(structuredClone(frame)));
  });
  const said = (): string[] => frames.map(say);

  it('sends the deltas of a tick as one per block, in one frame', async () => {
    outbox.delta('root', delta('a', 0, 'he'));
    outbox.delta('root', delta('b', 0, 'x'));
    outbox.delta('root', delta('a', 2, 'llo'));
    expect(said()).toEqual([]);
    await tick();
    outbox.delta('root', delta('a', 5, '!'));
    await tick();
    expect(said()).toEqual(['a@0:hello b@0:x', 'a@5:!']);
  });

  it('numbers its frames without a gap, and signs them with its epoch', async () => {
    for (let i = 0; i < 3; i++) {
      outbox.delta('root', delta('a', i, 'x'));
      await tick();
    }
    expect(frames.map(({ epoch, number }) => [epoch, number])).toEqual([
      [7, 1],
      [7, 2],
      [7, 3],
    ]);
  });

  it('publishes nothing when there is nothing', async () => {
    outbox.reserve([]).commit();
    await tick();
    expect(frames).toEqual([]);
  });

  it('publishes records when they are committed and not before (I1)', async () => {
    const slot = outbox.reserve([record(2), record(3)]);
    await tick();
    expect(frames).toEqual([]);
    slot.commit();
    expect(said()).toEqual(['2 3']);
  });

  it('puts what was said before a record in front of it', () => {
    outbox.delta('root', delta('a', 0, 'hi'));
    outbox.reserve([record(2)]).commit();
    expect(said()).toEqual(['a@0:hi 2']);
  });

  it('lets no delta overtake a record of its own agent', async () => {
    const slot = outbox.reserve([record(2, 'root')]);
    outbox.delta('root', delta('a', 0, 'late'));
    outbox.delta('child', delta('b', 0, 'now'));
    await tick();
    expect(said()).toEqual(['b@0:now']);
    slot.commit();
    expect(said()).toEqual(['b@0:now', '2 a@0:late']);
  });

  it('keeps one delta of a block for as long as a record holds it up', async () => {
    const slot = outbox.reserve([record(2)]);
    for (let i = 0; i < 5; i++) {
      outbox.delta('root', delta('a', i, String(i)));
      await tick();
    }
    slot.commit();
    expect(said()).toEqual(['2 a@0:01234']);
  });

  it('adds nothing to a delta that is in front of a record', () => {
    outbox.delta('root', delta('a', 0, 'before'));
    const slot = outbox.reserve([record(2)]);
    outbox.delta('root', delta('a', 6, 'after'));
    slot.commit();
    expect(said()).toEqual(['a@0:before 2 a@6:after']);
  });

  it('keeps records in order whoever is committed first', () => {
    const first = outbox.reserve([record(2)]);
    const second = outbox.reserve([record(3, 'child')]);
    second.commit();
    expect(frames).toEqual([]);
    first.commit();
    expect(said()).toEqual(['2 3']);
  });

  it('treats provider events like deltas', async () => {
    const slot = outbox.reserve([record(2)]);
    for (const agent_id of ['root', 'child'])
      outbox.push({
        kind: 'trace',
        agent_id,
        trace: { type: 'TRACE', name: agent_id, detail: null },
      });
    await tick();
    slot.commit();
    expect(said()).toEqual(['child', '2 root']);
  });

  it('says nothing once it is closed', async () => {
    outbox.delta('root', delta('a', 0, 'x'));
    const slot = outbox.reserve([record(2)]);
    outbox.close();
    outbox.delta('root', delta('a', 1, 'y'));
    slot.commit();
    await tick();
    expect(frames).toEqual([]);
  });

  it('keeps all promises in any order of events', async () => {
    const agent = fc.nat(2);
    const operation = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('delta' as const), agent }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('reserve' as const), agent }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('commit' as const), agent }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('tick' as const), agent }) },
    );
    const property = fc.asyncProperty(
      fc.array(operation, { maxLength: 60 }),
      async (operations) => {
        const world = new OutboxWorld();
        for (const { kind, agent: index } of operations) await world[kind](`agent${index}`);
        await world.end();
        expect(world.faults).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});

/**
 * Writes one block per agent, and checks each item that comes out against what was reserved before
 * it went in.
 */
class OutboxWorld {
  readonly faults: string[] = [];
  private readonly outbox = new Outbox(1, (frame) => frame.items.forEach((item) => this.see(item)));
  private readonly slots: { seq: number; commit(): void }[] = [];
  private readonly written = new Map<string, { at: number; after: number }[]>();
  private readonly lastSeqs = new Map<string, number>();
  private readonly seen = new Map<string, string>();
  private committed = 1;
  private reserved = 1;
  private shown = 1;

  delta(agent: string): void {
    const places = this.written.get(agent) ?? [];
    const offset = places.length;
    this.written.set(agent, [...places, { at: offset, after: this.lastSeqs.get(agent) ?? 0 }]);
    this.outbox.delta(agent, delta(agent, offset, String(offset % 10)));
  }

  reserve(agent: string): void {
    const seq = ++this.reserved;
    this.lastSeqs.set(agent, seq);
    this.slots.push({ seq, ...this.outbox.reserve([record(seq, agent)]) });
  }

  commit(): void {
    const slot = this.slots.shift();
    if (!slot) return;
    this.committed = slot.seq;
    slot.commit();
  }

  tick(): Promise<void> {
    return tick();
  }

  async end(): Promise<void> {
    while (this.slots.length > 0) this.commit();
    await tick();
    for (const [agent, places] of this.written)
      if (this.seen.get(agent)?.length !== places.length) this.faults.push(`${agent} lacks text`);
    if (this.shown !== this.reserved) this.faults.push('lacks records');
  }

  private see(item: Frame['items'][number]): void {
    if (item.kind === 'record') this.seeRecord(item.record.seq);
    if (item.kind === 'delta') this.seeDelta(item.agent_id, item.delta);
  }

  private seeRecord(seq: number): void {
    if (seq !== this.shown + 1) this.faults.push(`record ${seq} after ${this.shown}`);
    if (seq > this.committed) this.faults.push(`record ${seq} before its commit`);
    this.shown = seq;
  }

  private seeDelta(agent: string, { offset, delta: text }: Delta): void {
    const have = this.seen.get(agent) ?? '';
    if (offset !== have.length) this.faults.push(`delta at ${offset}, have ${have.length}`);
    this.seen.set(agent, have + text);
    for (const { at, after } of this.written.get(agent)!.slice(offset, offset + text.length))
      if (after > this.shown) this.faults.push(`the delta at ${at} overtook record ${after}`);
  }
}
