import type { Clock } from '../../kernel/clock.js';
import type { Delta, HiddenOf, RecordOf, RecordType, Trace } from '../../protocol/events.js';
import type { ChatHint, Frame, LiveBus } from '../live/live-bus.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { LogWriter } from './log-writer.js';
import { Outbox } from './outbox.js';
import { StoreRefused } from '../../persistence/store-refused.error.js';
import { LeaseLostError } from './lease-lost.error.js';
import type { AppendBatch } from '../../persistence/rows/append-rows.js';
import type { Telemetry } from '../../telemetry/telemetry.js';

/** A record before it has its number. */
export type Entry<T extends RecordType = RecordType> = {
  readonly agent_id: string;
  readonly key: string | null;
} & (
  | { [K in T]: { readonly body: RecordOf<K>; readonly hidden?: HiddenOf<K> | null } }[T]
  | { readonly body: RecordOf<T>; readonly hidden?: null }
);

export type AppendEffects = Pick<
  AppendBatch,
  'status' | 'usage' | 'usage_by_model' | 'requests' | 'end'
>;

export interface RunLogOptions {
  readonly interaction_id: string;
  readonly chat: Pick<ChatHint, 'chat_uid' | 'tenant_id'>;
  readonly epoch: number;
  /** The last seq in the log when the run began. */
  readonly last_seq: number;
  /** Number of frames that this run has published with another log. */
  readonly last_frame?: number;
  /**
   * The lease by the run's own clock: a process that was suspended notices here, before it
   * publishes.
   */
  readonly lease: { readonly isFresh: boolean };
  /** Time of the first record in milliseconds, if readers have seen no text of it yet. */
  readonly began?: number;
}

export interface RunLogDeps {
  readonly writer: LogWriter;
  readonly bus: LiveBus;
  readonly clock: Clock;
  readonly telemetry?: Telemetry;
}

/**
 * The log for the one run that may write it (I6): numbers records, commits them, then publishes
 * them (I1).
 */
export class RunLog {
  private readonly outbox: Outbox;
  private seq: number;
  private saved: number;
  private blockCount = 0;
  private open = true;
  private hasDeltas = false;

  constructor(
    private readonly deps: RunLogDeps,
    private readonly options: RunLogOptions,
  ) {
    this.seq = options.last_seq;
    this.saved = options.last_seq;
    const publish = (frame: Frame): void => {
      if (this.isHeld) deps.bus.publish(options.interaction_id, frame);
      // a skipped frame could not be repaired, even if the lease is renewed after all
      else this.close();
    };
    this.outbox = new Outbox(options.epoch, publish, options.last_frame);
  }

  /**
   * Appends atomically. Resolves when the records are durable and published. After it rejects, this
   * run can append nothing more.
   * @throws LeaseLostError if another run has taken over or may have
   * @throws StoreRefused
   * @throws AppError `store_unavailable`
   */
  async append(
    entries: readonly Entry[],
    effects: AppendEffects = {},
  ): Promise<readonly LogRecord[]> {
    if (!this.isHeld) throw new LeaseLostError();
    const { interaction_id, epoch } = this.options;
    const records = entries.map((entry) => this.number(entry));
    const slot = this.outbox.reserve(records);
    await this.save({ interaction_id, epoch, records, ...effects });
    this.saved = records.at(-1)?.seq ?? this.saved;
    const { status, requests, end } = effects;
    if (status ?? requests ?? end) this.deps.bus.noteChange(this.options.chat);
    slot.commit();
    return records;
  }

  /** The last seq that the store has confirmed. */
  get savedSeq(): number {
    return this.saved;
  }

  private async save(batch: AppendBatch): Promise<void> {
    try {
      const outcome = await this.deps.writer.append(batch);
      if (outcome instanceof StoreRefused) throw outcome;
      if (outcome === 'fenced' || !this.isHeld) throw new LeaseLostError();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** False once the run may neither write, nor publish, nor start anything. */
  get isHeld(): boolean {
    return this.open && this.options.lease.isFresh;
  }

  /** The last seq, with that of the records that are being committed. */
  get lastSeq(): number {
    return this.seq;
  }

  /** Number of frames that were published. */
  get lastFrame(): number {
    return this.outbox.lastFrame;
  }

  /** A block id that no run of this interaction has used or will use. */
  newBlockId(): string {
    return `${this.options.epoch}b${(this.blockCount++).toString(36)}`;
  }

  delta(agentId: string, delta: Delta): void {
    if (!this.open) return;
    this.noteFirstDelta();
    this.outbox.delta(agentId, delta);
  }

  trace(agentId: string, trace: Trace): void {
    if (this.open) this.outbox.push({ kind: 'trace', agent_id: agentId, trace });
  }

  /** Ends writing and publishing. */
  close(): void {
    if (!this.open) return;
    this.open = false;
    this.outbox.close();
    this.deps.bus.close(this.options.interaction_id, this.options.epoch);
  }

  private noteFirstDelta(): void {
    const { began } = this.options;
    if (began === undefined || this.hasDeltas) return;
    this.hasDeltas = true;
    const wait_ms = this.deps.clock.now().getTime() - began;
    this.deps.telemetry?.emit('first_delta', { wait_ms });
  }

  private number<T extends RecordType>({ agent_id, key, body, hidden }: Entry<T>): LogRecord<T> {
    const { interaction_id, epoch } = this.options;
    const at = this.deps.clock.now().toISOString();
    const seq = ++this.seq;
    return { interaction_id, seq, epoch, agent_id, at, key, body, hidden: hidden ?? null };
  }
}
