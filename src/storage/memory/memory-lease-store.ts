import type { Clock } from '../../kernel/clock.js';
import type {
  InteractionRow,
  Lease,
  LeaseState,
  LeaseTerms,
  Unowned,
} from '../../persistence/rows/store-rows.js';
import { isWaiting } from '../../protocol/interaction.js';
import { countLosses } from './count-losses.js';
import type { InteractionLog } from './interaction-log.js';
import type { LogGate } from './log-gate.js';
import { acquiredState, cancelledState, parkedState, releasedState } from './log-transitions.js';
import type { LogState } from './log-state.js';
import { parentFromQueue } from './parent-from-queue.js';
import type { StoreIndex } from './store-index.js';
import { compareKeys } from './store-index.js';

interface ParkedLease {
  readonly interaction_id: string;
  readonly epoch: number;
  readonly signals: number;
}

/**
 * Who runs what. Epoch and owner are in the log before anybody hears of them; until when is in memory, so that after a restart every
 * lease has lapsed.
 */
export class FileLeases {
  constructor(
    private readonly index: StoreIndex,
    private readonly gate: LogGate,
    private readonly clock: Clock,
  ) {}

  hold(log: InteractionLog, { ttl_ms }: LeaseTerms): void {
    log.leaseUntil = this.clock.monotonic() + ttl_ms;
  }

  acquire(interactionId: string, terms: LeaseTerms): Promise<Lease | undefined> {
    return this.gate.write(interactionId, async (log) => {
      if (!this.isWanting(log)) return undefined;
      const { owner: lost_owner, parked_signals } = log.state;
      await log.commit(acquiredState(log.state, terms.owner, terms));
      this.hold(log, terms);
      const interaction = await log.readRow();
      const { losses } = log.state;
      return { interaction, lost_owner, parked: parked_signals !== null, losses };
    });
  }

  renew(
    held: readonly { interaction_id: string; epoch: number }[],
    terms: LeaseTerms,
  ): LeaseState[] {
    const renewed: LeaseState[] = [];
    for (const { interaction_id, epoch } of held) {
      const log = this.index.findLog(interaction_id);
      if (log?.state.epoch !== epoch || log.state.owner !== terms.owner) continue;
      this.hold(log, terms);
      const { signals, cancel_reason } = log.state;
      renewed.push({ interaction_id, signals, cancel_reason });
    }
    return renewed;
  }

  async release(interactionId: string, epoch: number): Promise<void> {
    await this.gate.write(interactionId, async (log) => {
      if (log.state.epoch === epoch && log.state.owner !== null) {
        await log.commit(releasedState(log.state));
      }
    });
  }

  /** False if something was signalled since `signals`, or the lease is another's. */
  async park({ interaction_id, epoch, signals }: ParkedLease): Promise<boolean> {
    const parked = await this.gate.write(interaction_id, async (log) => {
      const { state } = log;
      const isCurrent = state.epoch === epoch && state.owner !== null && isWaiting(state.status);
      if (!isCurrent || state.signals !== signals || state.cancel_reason !== null) return false;
      await log.commit(parkedState(state));
      return true;
    });
    return parked ?? false;
  }

  /** Oldest first. */
  listUnowned(limit: number): Unowned[] {
    const unowned: InteractionLog[] = [];
    for (const { unfinished } of this.index.busyChats) {
      unowned.push(...unfinished.filter((log) => this.isWanting(log)));
    }
    return unowned
      .sort((a, b) => compareKeys(a.known, b.known))
      .slice(0, limit)
      .map(({ id, state }) => ({
        id,
        is_lost: state.owner !== null,
        losses: countLosses(state),
      }));
  }

  requestCancel(interactionId: string, reason: string): Promise<InteractionRow | undefined> {
    return this.gate.write(interactionId, async (log) => {
      if (!log.hasEnded) await log.commit(await this.cancel(log, reason));
      return log.readRow();
    });
  }

  /** What is queued will not begin any more, and has its place from now on. */
  private async cancel(log: InteractionLog, reason: string): Promise<LogState> {
    const cancelled = cancelledState(log.state, reason);
    if (!log.isQueued || log.state.cancel_reason !== null) return cancelled;
    const chat = this.index.findChat(log.known.chat_id)!;
    const { start } = await log.readHead();
    return { ...cancelled, parent_id: parentFromQueue(chat, log, start) };
  }

  /** It should run, and nobody holds it. */
  private isWanting(log: InteractionLog): boolean {
    const { signals, parked_signals, cancel_reason } = log.state;
    if (log.hasEnded || this.isHeld(log)) return false;
    return log.isQueued ? cancel_reason !== null : parked_signals !== signals;
  }

  private isHeld(log: InteractionLog): boolean {
    return log.state.owner !== null && this.clock.monotonic() < log.leaseUntil;
  }
}
