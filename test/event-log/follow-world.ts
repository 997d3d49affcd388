import { START, parseCursor } from '../../src/protocol/cursor.js';
import type { RecordBody } from '../../src/protocol/events.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { BlockWriter } from '../../src/event-log/append/block-writer.js';
import type { BlockOptions } from '../../src/event-log/append/block-writer.js';
import { Follower } from '../../src/event-log/follow/follower.js';
import { toEvent } from '../../src/persistence/rows/log-record.js';
import type { StreamEvent } from '../../src/event-log/follow/stream-event.js';
import { LogWriter } from '../../src/event-log/append/log-writer.js';
import { RunLog } from '../../src/event-log/append/run-log.js';
import { MemoryLogStore } from '../support/store/memory-log-store.js';
import { StrictReader } from '../../client/strict-reader.js';
import { UnreliableLiveBus } from '../support/store/unreliable-live-bus.js';
import type { BusFaults } from '../support/store/unreliable-live-bus.js';

/** One thing that happens; numbers choose among what there is at that moment. */
export type Step =
  | { readonly kind: 'delta' | 'complete' | 'retry'; readonly slot: number; readonly size: number }
  | { readonly kind: 'misc' | 'take_over' | 'tick' | 'repeat' | 'release'; readonly n: number }
  | { readonly kind: 'zombie'; readonly n: number }
  | {
      readonly kind: 'connect' | 'leave' | 'check_tail';
      readonly reader: number;
      readonly n: number;
    };

const ID = 'int_1';
const READERS = 3;
const SLOTS = 6;
const AGENTS = ['agent_root', 'agent_child'];
const TYPES = ['TEXT_DELTA', 'THINKING_DELTA', 'TOOL_INPUT_DELTA', 'TOOL_OUTPUT_DELTA'] as const;
/** More rounds of reconnecting and tail checks than any reader needs once the log has ended. */
const LAST_ROUNDS = 25;

interface Block {
  readonly writer: BlockWriter;
  readonly options: BlockOptions;
}

/** One attempt to run the interaction. */
class WorldRun {
  readonly blocks = new Map<number, Block>();
  /** Its first append is committed. */
  ready = false;
  lost = false;

  constructor(
    readonly log: RunLog,
    readonly epoch: number,
  ) {}

  append(agent: number, body: RecordBody): Promise<void> {
    const entry = { agent_id: AGENTS[agent % AGENTS.length]!, key: null, body };
    return this.log.append([entry]).then(
      () => void (this.ready = true),
      () => void (this.lost = true),
    );
  }

  /**
   * Generates on in the block of a slot, a new one if there is none; cuts come where they come,
   * also inside a pair.
   */
  write(slot: number, size: number): void {
    let block = this.blocks.get(slot);
    if (!block) this.blocks.set(slot, (block = this.begin(slot)));
    const { writer } = block;
    const pattern = `${writer.id}🦜é`.repeat(40);
    writer.push(pattern.slice(writer.text.length, writer.text.length + 1 + (size % 7)));
  }

  complete(slot: number): void {
    const block = this.blocks.get(slot);
    if (!block) return;
    if (/[\ud800-\udbff]$/.test(block.writer.text)) this.write(slot, 0);
    this.blocks.delete(slot);
    void this.append(slot, recordOf(block));
  }

  /** The model call of this slot failed after its first delta. */
  retry(slot: number): void {
    const block = this.blocks.get(slot);
    if (!block) return;
    this.blocks.delete(slot);
    void this.append(slot, {
      type: 'NOTICE',
      code: 'model_retry',
      message: 'Again.',
      void: [block.writer.id],
    });
  }

  private begin(slot: number): Block {
    const type = TYPES[slot % TYPES.length]!;
    const options = {
      agent_id: AGENTS[slot % AGENTS.length]!,
      type,
      ...(type.startsWith('TOOL') && { tool_call_id: `call_${slot}` }),
    };
    return { writer: new BlockWriter(this.log, options), options };
  }
}

function recordOf({ writer, options }: Block): RecordBody {
  const { id: block_id, text: content } = writer;
  const id = options.tool_call_id ?? '';
  const tool_name = 'bash';
  switch (options.type) {
    case 'TEXT_DELTA':
      return { type: 'MESSAGE', block_id, content };
    case 'THINKING_DELTA':
      return { type: 'THINKING', block_id, content };
    case 'TOOL_INPUT_DELTA':
      return { type: 'TOOL_CALL', id, block_id, tool_name, tool_input: content };
    case 'TOOL_OUTPUT_DELTA':
      return {
        type: 'TOOL_RESULT',
        id,
        block_id,
        tool_name,
        tool_output: content,
        is_error: false,
        duration_ms: 1,
      };
  }
}

/** A reader that follows, drops and comes back with the cursor of the last event it got. */
class WorldReader extends StrictReader {
  private follower: Follower | undefined;
  private eventsLeft = Infinity;
  private connection = 0;
  private epoch = 1;

  constructor(private readonly world: FollowWorld) {
    super();
  }

  get connected(): boolean {
    return this.follower !== undefined;
  }

  connect(eventsLeft: number): void {
    if (this.follower || this.done) return;
    const connection = ++this.connection;
    const { store, bus } = this.world;
    const cursor = this.records.length === 0 ? START : parseCursor(this.cursor);
    this.eventsLeft = eventsLeft;
    const backlog = { isFull: false, drained: () => this.world.pass() };
    this.follower = new Follower(
      { records: store.port, bus },
      { interaction_id: ID, cursor, trace: false, backlog },
      {
        next: ({ cursor: id, event }) => {
          if (connection !== this.connection || !this.follower) this.fault('sent to nobody');
          this.take(id, event);
          if (--this.eventsLeft === 0) this.leave();
        },
        error: (error) => this.fault(`failed: ${String(error)}`),
        complete: () => {
          if (!this.done) this.fault('ended early');
          if (connection !== this.connection || !this.follower) this.fault('ended twice');
          this.follower = undefined;
        },
      },
    );
    void this.follower.start();
  }

  /**
   * The world's block ids begin with the epoch of their run: what a lost one says must not be heard
   * after `RESUMED`.
   */
  override take(id: string, event: StreamEvent): void {
    if (event.type === 'RESUMED') this.epoch = event.attempt;
    if ('offset' in event && parseInt(event.block_id) !== this.epoch)
      this.fault(`delta of ${event.block_id} in epoch ${this.epoch}`);
    super.take(id, event);
  }

  leave(): void {
    this.follower?.stop();
    this.follower = undefined;
  }

  checkTail(): void {
    this.follower?.checkTail(this.world.store.records(ID).length, 0);
  }
}

/**
 * An interaction with its runs, lost ones among them, over a store that answers when it likes and a
 * bus that can't be trusted, and readers that come and go. Nothing in it depends on time: the same
 * steps do the same.
 */
export class FollowWorld {
  readonly store = new MemoryLogStore(() => this.pass());
  readonly bus: UnreliableLiveBus;
  private readonly readers = Array.from({ length: READERS }, () => new WorldReader(this));
  private readonly zombies: WorldRun[] = [];
  private readonly held: (() => void)[] = [];
  private run: WorldRun;
  private free = false;

  constructor(faults: BusFaults) {
    this.bus = new UnreliableLiveBus(faults);
    this.store.create(ID);
    this.run = this.newRun(1);
    const started = { chat_id: 'chat_1', user_message: 'Go.', agent: 'react', model: 'demo' };
    void this.run.append(0, { type: 'INTERACTION_STARTED', ...started, parent_id: null });
  }

  /** Waits until a `release` step lets it go on. */
  pass(): Promise<void> {
    if (this.free) return Promise.resolve();
    return new Promise((resolve) => this.held.push(resolve));
  }

  async play(steps: readonly Step[]): Promise<string[]> {
    for (const step of steps) await this.do(step);
    await this.end();
    return this.faults();
  }

  private async do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'delta':
        return this.run.ready ? this.run.write(step.slot % SLOTS, step.size) : undefined;
      case 'complete':
        return this.run.complete(step.slot % SLOTS);
      case 'retry':
        return this.run.retry(step.slot % SLOTS);
      case 'misc':
        if (this.run.ready) void this.run.append(step.n, { type: 'STEP_COMPLETED', name: 'now' });
        return undefined;
      case 'take_over':
        return this.takeOver();
      case 'zombie':
        return this.zombies[step.n % this.zombies.length]?.write(step.n % SLOTS, 3);
      case 'repeat':
        return this.bus.repeat(step.n);
      case 'release':
        return this.held.splice(step.n % (this.held.length || 1), 1)[0]?.();
      case 'connect':
        return this.readerOf(step).connect(1 + step.n);
      case 'leave':
        return this.readerOf(step).leave();
      case 'check_tail':
        return this.readerOf(step).checkTail();
      case 'tick':
        return tick();
    }
  }

  private readerOf({ reader }: { reader: number }): WorldReader {
    return this.readers[reader % READERS]!;
  }

  /** Another process takes up the interaction; the lost run doesn't know. */
  private takeOver(): void {
    if (!this.run.ready) return;
    this.zombies.push(this.run);
    this.run = this.newRun(this.store.takeOver(ID));
    void this.run.append(0, { type: 'RESUMED', attempt: this.run.epoch, reason: 'lost' });
  }

  private newRun(epoch: number): WorldRun {
    const clock = new SystemClock();
    const writer = new LogWriter(this.store.port, clock, { save_timeout_ms: 1000 });
    const log = new RunLog(
      { writer, bus: this.bus, clock },
      {
        interaction_id: ID,
        chat: { chat_uid: 'chat', tenant_id: 'default' },
        epoch,
        last_seq: this.store.records(ID).length,
        lease: { isFresh: true },
      },
    );
    return new WorldRun(log, epoch);
  }

  /**
   * The store answers at once from now on, the run ends, and every reader gets the time it needs.
   */
  private async end(): Promise<void> {
    await this.calmDown();
    for (const slot of [...this.run.blocks.keys()].slice(1)) this.run.complete(slot);
    await this.run.append(0, { type: 'INTERACTION_COMPLETE', status: 'COMPLETED' });
    this.run.log.close();
    for (let round = 0; round < LAST_ROUNDS && !this.isOver(round); round++)
      await this.lastRound(round);
  }

  /** Nothing can reach a reader any more, and each lost run has written once after the end. */
  private isOver(round: number): boolean {
    const isDone = this.readers.every((reader) => reader.done && !reader.connected);
    return isDone && round > this.zombies.length;
  }

  /** One frame that isn't lost is enough for whoever is connected to have everything. */
  private async calmDown(): Promise<void> {
    this.free = true;
    for (const resolve of this.held.splice(0)) resolve();
    await tick();
    this.bus.calm = true;
    this.run.write(SLOTS, 0);
    await tick();
    this.bus.calm = false;
    for (const reader of this.readers) if (reader.connected) this.expectUpToDate(reader);
  }

  private expectUpToDate(reader: WorldReader): void {
    if (reader.records.length !== this.store.records(ID).length)
      reader.faults.push('lacks records');
    for (const { writer } of this.run.blocks.values())
      if (reader.open.get(writer.id) !== wholePairs(writer.text))
        reader.faults.push('lacks deltas');
  }

  private async lastRound(round: number): Promise<void> {
    this.zombies[round % this.zombies.length]?.write(round % SLOTS, 2);
    for (const reader of this.readers) {
      reader.connect(Infinity);
      reader.checkTail();
    }
    await tick();
  }

  private faults(): string[] {
    const log = JSON.stringify(this.store.records(ID).map(toEvent));
    const own = this.run.lost ? ['the last run lost its log'] : [];
    return [
      ...own,
      ...this.store.faults,
      ...this.readers.flatMap((reader) => faultsOf(reader, log)),
    ];
  }
}

function faultsOf(reader: WorldReader, log: string): string[] {
  const own: string[] = [];
  if (!reader.done) own.push('waits for ever');
  else if (JSON.stringify(reader.records) !== log) own.push('has other records than the log');
  if (reader.connected) own.push('is still connected');
  return [...own, ...reader.faults];
}

/** Until everything that follows from what has happened has happened. */
async function tick(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** What of a text can be shown already. */
function wholePairs(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}
