import type { Observer, Subscription } from 'rxjs';
import { AppError } from '../../kernel/app-error.js';
import type { Backlog } from '../../kernel/async/backlog.js';
import type { Cursor } from '../../protocol/cursor.js';
import type { Delta, EventOrigin } from '../../protocol/events.js';
import { blockOf } from '../live/block-of.js';
import type { EventLimits, RecordStore } from '../../persistence/record.store.js';
import type { Frame, FrameItem, LiveBus, Snapshot } from '../live/live-bus.js';
import { isRecordOf, toEvent, toRetriedEvent } from '../../persistence/rows/log-record.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import { Position } from './position.js';
import { toDeltaEvent, toTraceEvent } from './stream-event.js';
import type { StreamEvent } from './stream-event.js';

/** An event, and the cursor after it. */
export interface FollowedEvent {
  readonly cursor: string;
  readonly event: StreamEvent;
}

export interface FollowerDeps {
  readonly records: RecordStore;
  readonly bus: LiveBus;
}

export interface FollowOptions {
  readonly interaction_id: string;
  readonly cursor: Cursor;
  /** Record 1, if it is known: it need not be read as long as nothing else was published. */
  readonly first?: LogRecord | undefined;
  /** Also emit provider events of unknown types. */
  readonly trace: boolean;
  readonly backlog: Backlog;
}

/** The code of the error of a reader that has records that the store has lost. */
export const LOG_WENT_BACK = 'log_went_back';

/** A part of the log that is in memory at once, for each reader. */
const PAGE: EventLimits = { limit: 200, bytes: 256 * 1024 };
/** Live frames kept while the store is read; beyond that they are read from the store again. */
const MAX_HELD_FRAMES = 2_000;
const MAX_HELD_LENGTH = 1024 * 1024;
/** A frame number that has no successor. */
const UNKNOWN = -1;

/**
 * Follows one interaction for one reader: the store's records after the cursor, then the frames of
 * the bus, merged by seq and offset (I2). A frame that the bus dropped is detected by its number,
 * or by `checkTail`, and read from the store.
 */
export class Follower {
  private readonly position: Position;
  private frames: Subscription | undefined;
  private stopped = false;
  /** Frames that arrived while the store is read; undefined when following live. */
  private held: Frame[] | undefined;
  private heldLength = 0;
  private overflowed = false;
  private epoch = 0;
  private number = 0;
  /** The last record of the store or the bus that this follower has seen. */
  private last: LogRecord | undefined;

  constructor(
    private readonly deps: FollowerDeps,
    private readonly options: FollowOptions,
    private readonly reader: Observer<FollowedEvent>,
  ) {
    this.position = new Position(options.cursor);
  }

  /** Resolves when it has caught up; live events follow by themselves. Errors go to the reader. */
  async start(): Promise<void> {
    const frames = this.deps.bus.frames(this.options.interaction_id);
    this.frames = frames.subscribe((frame) => this.onFrame(frame));
    await this.catchUp();
  }

  stop(): void {
    this.stopped = true;
    this.held = undefined;
    this.frames?.unsubscribe();
  }

  /** The last seq that the reader has. */
  get seq(): number {
    return this.position.seq;
  }

  /**
   * Detects that the last frame was lost, or that the store has lost records that the reader had.
   * `lastSeq` is the store's; undefined: it was deleted. `seenBefore`: `seq` before it was read.
   */
  checkTail(lastSeq: number | undefined, seenBefore: number): void {
    if (lastSeq === undefined) this.finish();
    else if (lastSeq < seenBefore) this.fail(logWentBack());
    else if (lastSeq > this.position.seq && !this.held) void this.catchUp();
  }

  private onFrame(frame: Frame): void {
    if (this.stopped) return;
    if (this.held) this.hold(frame);
    else this.live(frame);
  }

  private hold(frame: Frame): void {
    if (!this.held || this.overflowed) return;
    this.heldLength += JSON.stringify(frame.items).length;
    this.overflowed = this.held.length >= MAX_HELD_FRAMES || this.heldLength > MAX_HELD_LENGTH;
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
  }

  /**
   * The very first frame of an interaction that had no run when it was read: no block was closed
   * before.
   */
  private isNext({ epoch, number }: Frame): boolean {
    const isFirst = this.epoch === 0 && this.position.seq === 1 && number === 1;
    return isFirst || (epoch === this.epoch && number === this.number + 1);
  }

  private isOld(frame: Frame): boolean {
    return frame.epoch < this.epoch || (frame.epoch === this.epoch && frame.number <= this.number);
  }

  /** False when an item before it is missing. */
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

  /** `isLast`: no record follows an INTERACTION_COMPLETE in its log. */
  private takeRecord(record: LogRecord, isLast = true): void {
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
    this.last = record;
    const isEnd = isRecordOf(record, 'INTERACTION_COMPLETE');
    this.send(isEnd && !isLast ? toRetriedEvent(record) : toEvent(record));
    if (isEnd && isLast) this.finish();
  }

  /**
   * Reads the store to its end, adds the open blocks, then the frames that arrived meanwhile; again
   * if they were too many.
   */
  private async catchUp(): Promise<void> {
    this.held = [];
    try {
      do {
        this.held = [];
        this.heldLength = 0;
        this.overflowed = false;
        await this.readOn();
      } while (this.overflowed && !this.stopped);
    } catch (error) {
      this.fail(error);
    }
    const held = this.held;
    this.held = undefined;
    for (const frame of held ?? []) this.onFrame(frame);
  }

  private async readOn(): Promise<void> {
    const snapshot = await this.deps.bus.snapshot(this.options.interaction_id);
    const { seq } = this.position;
    const { first } = this.options;
    if (first && seq === 0 && snapshot?.seq === first.seq) this.takeRecord(first);
    else
      await this.readStore(Math.min(seq, snapshot?.seq ?? seq, (this.last?.seq ?? Infinity) - 1));
    if (this.stopped) return;
    if (snapshot && snapshot.epoch >= this.epoch) this.takeSnapshot(snapshot);
    await this.options.backlog.drained();
  }

  /**
   * Starts before the position when the bus is behind it, to know again which blocks were closed
   * there, and before the last record, to see whether it is still the same one.
   */
  private async readStore(from: number): Promise<void> {
    const { backlog } = this.options;
    for (let after = from; !this.stopped;) {
      const asked = { after, ...PAGE };
      const page = await this.deps.records.readEvents(this.options.interaction_id, asked);
      const last = page.has_more ? undefined : page.records.at(-1);
      for (const record of page.records) {
        if (this.stopped) return;
        this.requireSame(record);
        this.seeEpoch(record);
        if (record.seq <= this.position.seq) this.position.closeBlocks(record);
        else this.takeRecord(record, record === last);
        after = record.seq;
        if (backlog.isFull) await backlog.drained();
      }
      if (!page.has_more) return;
      await backlog.drained();
    }
  }

  /** @throws AppError `log_went_back` if the store has another record in the place of the last */
  private requireSame({ seq, epoch, at }: LogRecord): void {
    const { last } = this;
    if (seq === last?.seq && (epoch !== last.epoch || at !== last.at)) throw logWentBack();
  }

  /**
   * A run that the store knows before the bus does: its frames count from 1. A reader that joins in
   * the middle doesn't know which blocks were closed before, so no frame may follow until there is
   * a snapshot.
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
    this.reader.next({ cursor: this.position.format(), event });
  }

  private finish(): void {
    if (this.stopped) return;
    this.stop();
    this.reader.complete();
  }

  private fail(error: unknown): void {
    if (this.stopped) return;
    this.stop();
    this.reader.error(error);
  }
}

/** A failover of the database can lose commits of its last seconds. */
function logWentBack(): AppError {
  return new AppError(
    'unavailable',
    LOG_WENT_BACK,
    'The database went back to an earlier state: some of the last events were lost. Drop what you have of this interaction, and read it again from the start.',
  );
}
