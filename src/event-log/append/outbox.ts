import type { Delta } from '../../protocol/events.js';
import { afterTick } from '../../kernel/async/after-tick.js';
import type { Frame, FrameItem } from '../live/live-bus.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';

/** The place of records that are being committed. */
interface Reserved {
  readonly kind: 'reserved';
  readonly records: readonly LogRecord[];
  committed: boolean;
}
type Ephemeral = Exclude<FrameItem, { kind: 'record' }>;
type Entry = Reserved | Ephemeral;

/** A delta that was not published yet: later ones of its block are appended to it. */
type Growing = { -readonly [K in keyof Delta]: Delta[K] };

/**
 * Items that a run is about to publish, in order. Records keep their place until they are committed
 * (I1); a delta waits for earlier records of its agent. Deltas of a block that are published
 * together become one.
 */
export class Outbox {
  private entries: Entry[] = [];
  private readonly growing = new Map<string, Growing>();
  private reservedCount = 0;
  private dirty = false;
  private open = true;

  constructor(
    private readonly epoch: number,
    private readonly publish: (frame: Frame) => void,
    /** Number of the frame before the first. */
    private number = 0,
  ) {}

  get lastFrame(): number {
    return this.number;
  }

  delta(agentId: string, delta: Delta): void {
    const last = this.growing.get(delta.block_id);
    if (last) {
      last.delta += delta.delta;
      return;
    }
    const own = { ...delta };
    this.growing.set(delta.block_id, own);
    this.push({ kind: 'delta', agent_id: agentId, delta: own });
  }

  push(item: Ephemeral): void {
    this.entries.push(item);
    this.flushLater();
  }

  /** Keeps the place of records until `commit`, which publishes them. */
  reserve(records: readonly LogRecord[]): { commit(): void } {
    const reserved: Reserved = { kind: 'reserved', records, committed: false };
    this.growing.clear(); // later deltas must not grow those before the records
    this.entries.push(reserved);
    this.reservedCount++;
    return {
      commit: () => {
        reserved.committed = true;
        this.flush();
      },
    };
  }

  close(): void {
    this.open = false;
    this.entries = [];
    this.growing.clear();
  }

  private flushLater(): void {
    if (this.dirty) return;
    this.dirty = true;
    afterTick(() => this.flush());
  }

  private flush(): void {
    this.dirty = false;
    if (!this.open) return;
    const items = this.takeReady();
    if (items.length > 0) this.publish({ epoch: this.epoch, number: ++this.number, items });
  }

  private takeReady(): readonly FrameItem[] {
    if (this.reservedCount > 0) return this.takeCommitted();
    const ready = this.entries as Ephemeral[];
    this.entries = [];
    this.growing.clear();
    return ready;
  }

  /** Leaves uncommitted records, and the deltas that wait for them. */
  private takeCommitted(): readonly FrameItem[] {
    const ready: FrameItem[] = [];
    const kept: Entry[] = [];
    const waitingAgents = new Set<string>();
    for (const entry of this.entries) {
      if (entry.kind === 'reserved' && entry.committed && waitingAgents.size === 0) {
        for (const record of entry.records) ready.push({ kind: 'record', record });
        this.reservedCount--;
      } else if (entry.kind === 'reserved') {
        kept.push(entry);
        for (const { agent_id } of entry.records) waitingAgents.add(agent_id);
      } else if (waitingAgents.has(entry.agent_id)) {
        kept.push(entry);
      } else {
        this.stopGrowing(entry);
        ready.push(entry);
      }
    }
    this.entries = kept;
    return ready;
  }

  private stopGrowing(item: Ephemeral): void {
    if (item.kind !== 'delta') return;
    const { block_id } = item.delta;
    if (this.growing.get(block_id) === item.delta) this.growing.delete(block_id);
  }
}
