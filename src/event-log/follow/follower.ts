import type { Cursor } from '../../protocol/cursor.js';
import type { Delta, EventOrigin } from '../../protocol/events.js';
import { blockOf } from '../live/block-of.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { Frame, FrameItem, LiveBus, Snapshot } from '../live/live-bus.js';
import { toEvent } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import { Position } from './position.js';
import { toDeltaEvent, toTraceEvent } from './stream-event.js';
import type { StreamEvent } from './stream-event.js';

/** Where a follower's events go: one reader. */
export interface FollowSink {
  /** `id` is the cursor after this event. */
  event(id: string, event: StreamEvent): void;
  /** What was given so far may go out. */
  flush(): void;
  /** Resolves when the reader has taken enough to go on, or is gone. */
  drained(): Promise<void>;
  /** The interaction is complete, or can't be followed on (`error`). */
  end(error?: unknown): void;
}

export interface FollowerDeps {
  readonly records: RecordStore;
  readonly bus: LiveBus;
}

export interface FollowOptions {
  readonly interaction_id: string;
  readonly cursor: Cursor;
  /** Pass on provider events that nobody knows. */
  readonly trace: boolean;
}

const PAGE = 200;
/** Live frames kept while the store is read; beyond that they are read from the store again. */
const MAX_HELD_FRAMES = 2_000;
/** A frame number that none follows. */
const UNKNOWN = -1;

/**
 * Follows one interaction for one reader: what the store has after the cursor, then what the bus brings, merged by seq and offset (I2).
 * A frame that the bus dropped is noticed by its number, or by `checkTail`, and read from the store.
 */
export class Follower {
  private readonly position: Position;
  private unsubscribe: () => void = () => {};
  private stopped = false;
  /** Frames that came while the store is read; undefined when following live. */
  private held: Frame[] | undefined;
  private overflowed = false;
  private epoch = 0;
  private number = 0;

  constructor(
    private readonly deps: FollowerDeps,
    private readonly options: FollowOptions,
    private readonly sink: FollowSink,
  ) {
    this.position = new Position(options.cursor);
  }

  /** Resolves when it has caught up, and goes on by itself. Faults go to the sink. */
  async start(): Promise<void> {
    this.unsubscribe = this.deps.bus.subscribe(this.options.interaction_id, (frame) =>
      this.onFrame(frame),
    );
    await this.catchUp();
  }

  stop(): void {
    this.stopped = true;
    this.held = undefined;
    this.unsubscribe();
  }

  /** Tells now and then what the store's last seq is (undefined: it was deleted), so that a lost last frame is noticed too. */
  checkTail(lastSeq: number | undefined): void {
    if (lastSeq === undefined) this.finish();
    else if (lastSeq > this.position.seq && !this.held) void this.catchUp();
  }

  private onFrame(frame: Frame): void {
    if (this.stopped) return;
    if (this.held) this.hold(frame);
    else this.live(frame);
  }

  private hold(frame: Frame): void {
    if (!this.held || this.overflowed) return;
    this.overflowed = this.held.length >= MAX_HELD_FRAMES;
    if (this.overflowed) this.held = [];
    else this.held.push(frame);
  }

  private live(frame: Frame): void {
    if (this.isOld(frame)) return;
    if (!this.isNext(frame)) return void this.catchUp();
    this.epoch = frame.epoch;
    this.number = frame.number;
    for (const item of frame.items) {
      if (!this.takeItem(item)) return void this.catchUp();
      if (this.stopped) return;
    }
    this.sink.flush();
  }

  /** The very first frame follows on a beginning that nobody had run when it was read: no block was closed before. */
  private isNext({ epoch, number }: Frame): boolean {
    const isFirst = this.epoch === 0 && this.position.seq === 1 && number === 1;
    return isFirst || (epoch === this.epoch && number === this.number + 1);
  }

  private isOld(frame: Frame): boolean {
    return frame.epoch < this.epoch || (frame.epoch === this.epoch && frame.number <= this.number);
  }

  /** False when something before it is missing. */
  private takeItem(item: FrameItem): boolean {
    switch (item.kind) {
      case 'record':
        if (item.record.seq > this.position.seq + 1) return false;
        if (item.record.seq === this.position.seq + 1) this.takeRecord(item.record);
        if (item.record.seq === this.position.seq) this.position.caughtUp();
        return true;
      case 'delta':
        return this.takeDelta(item.agent_id, item.delta);
      case 'trace':
        if (this.options.trace) this.send(toTraceEvent(this.origin(item.agent_id), item.trace));
        return true;
    }
  }

  private takeDelta(agentId: string, delta: Delta): boolean {
    if (this.position.isClosed(delta.block_id)) return true;
    const have = this.position.offset(delta.block_id);
    if (delta.offset > have) return false;
    const end = delta.offset + delta.delta.length;
    if (end <= have) return true;
    this.position.advanceBlock(delta.block_id, end);
    const fresh =
      have === delta.offset
        ? delta
        : { ...delta, offset: have, delta: delta.delta.slice(have - delta.offset) };
    this.send(toDeltaEvent(this.origin(agentId), fresh));
    return true;
  }

  private takeRecord(record: LogRecord): void {
    const missing = this.position.missing(record);
    const block = blockOf(record.body);
    if (missing && block) {
      const { delta_type: type, id: block_id, tool_call_id } = block;
      const { offset, text: delta } = missing;
      this.position.advanceBlock(block_id, offset + delta.length);
      const rest = { type, block_id, offset, delta, tool_call_id };
      this.send(toDeltaEvent(this.origin(record.agent_id), rest));
    }
    this.position.advance(record);
    this.send(toEvent(record));
    if (record.body.type === 'INTERACTION_COMPLETE') this.finish();
  }

  /** Reads the store to its end, adds the open blocks, then what the bus has brought meanwhile; again if that was too much. */
  private async catchUp(): Promise<void> {
    this.held = [];
    try {
      do {
        this.held = [];
        this.overflowed = false;
        await this.readOn();
      } while (this.overflowed && !this.stopped);
    } catch (error) {
      this.finish(error);
    }
    const held = this.held;
    this.held = undefined;
    for (const frame of held ?? []) this.onFrame(frame);
  }

  private async readOn(): Promise<void> {
    const snapshot = await this.deps.bus.snapshot(this.options.interaction_id);
    await this.readStore(Math.min(this.position.seq, snapshot?.seq ?? this.position.seq));
    if (this.stopped) return;
    if (snapshot && snapshot.epoch >= this.epoch) this.takeSnapshot(snapshot);
    this.sink.flush();
    await this.sink.drained();
  }

  /** From a little before the position when the bus is behind it: what was closed there is known again. */
  private async readStore(from: number): Promise<void> {
    for (let after = from; !this.stopped;) {
      const records = await this.deps.records.readRecords(this.options.interaction_id, {
        after,
        limit: PAGE,
      });
      for (const record of records) {
        if (this.stopped) return;
        this.seeEpoch(record);
        if (record.seq <= this.position.seq) this.position.closeBlocks(record);
        else this.takeRecord(record);
        after = record.seq;
      }
      this.sink.flush();
      if (records.length < PAGE) return;
      await this.sink.drained();
    }
  }

  /**
   * A run that the store tells of before the bus does: its frames count from 1. Who joins in the middle of it doesn't know what was
   * closed before, so no frame may follow until there is a snapshot.
   */
  private seeEpoch({ epoch, seq }: LogRecord): void {
    if (epoch <= this.epoch) return;
    this.number = this.epoch > 0 || seq === 1 ? 0 : UNKNOWN;
    this.epoch = epoch;
  }

  private takeSnapshot(snapshot: Snapshot): void {
    this.epoch = snapshot.epoch;
    this.number = snapshot.number;
    for (const { agent_id, delta, text } of snapshot.blocks)
      this.takeDelta(agent_id, { ...delta, offset: 0, delta: text });
    if (snapshot.seq >= this.position.seq) this.position.caughtUp();
  }

  private origin(agent_id: string): EventOrigin {
    return { interaction_id: this.options.interaction_id, agent_id };
  }

  private send(event: StreamEvent): void {
    if (this.stopped) return;
    this.sink.event(this.position.format(), event);
  }

  private finish(error?: unknown): void {
    if (this.stopped) return;
    this.stop();
    this.sink.flush();
    this.sink.end(error);
  }
}
