import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Subscription } from 'rxjs';
import { Config } from '../config/config.js';
import { Readers } from '../event-log/follow/readers.js';
import type { ReaderCount } from '../event-log/follow/readers.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { Clock } from '../kernel/clock.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RequestStore } from '../persistence/request.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { isFinal } from '../protocol/interaction.js';
import { CancellationService } from './cancellation.service.js';

/**
 * Cancels an interaction with `on_disconnect: cancel` that had no reader for the grace period. The
 * grace runs on the process that started it, that its last reader left, or that runs it; a reader
 * on this or another process ends it.
 */
@Injectable()
export class DisconnectWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly graces = new Map<string, () => void>();
  private counts: Subscription | undefined;
  private stopListening: () => void = () => {};

  constructor(
    private readonly readers: Readers,
    private readonly interactions: InteractionStore,
    private readonly requests: RequestStore,
    private readonly bus: LiveBus,
    private readonly cancellation: CancellationService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.counts = this.readers.countChanges.subscribe((change) => this.onCount(change));
    this.stopListening = this.bus.onReader((id) => this.endGrace(id));
  }

  onApplicationShutdown(): void {
    this.counts?.unsubscribe();
    this.stopListening();
    for (const end of this.graces.values()) end();
  }

  /** Starts the grace of an interaction whose client may have left before it became a reader. */
  expectReader(id: string): void {
    if (this.readers.count(id) === 0) this.startGrace(id);
  }

  /** Starts the grace of an interaction that has no reader on any process. */
  async check(row: InteractionRow): Promise<void> {
    const { id } = row;
    if (!asksForCancel(row) || this.isExpected(id)) return;
    if ((await this.bus.hasReadersElsewhere(id)) === false && !this.isExpected(id))
      this.startGrace(id);
  }

  /** True while it has a reader here, or its grace runs here. */
  private isExpected(id: string): boolean {
    return this.readers.count(id) > 0 || this.graces.has(id);
  }

  private onCount({ interaction_id: id, count }: ReaderCount): void {
    this.endGrace(id);
    if (count === 0) this.startGrace(id);
    if (count === 1) this.bus.noteReader(id);
  }

  private startGrace(id: string): void {
    const { disconnectGraceMs } = this.config;
    this.graces.set(
      id,
      this.clock.after(disconnectGraceMs, () => void this.expire(id)),
    );
  }

  private endGrace(id: string): void {
    this.graces.get(id)?.();
    this.graces.delete(id);
  }

  private async expire(id: string): Promise<void> {
    this.graces.delete(id);
    try {
      const row = this.readers.count(id) > 0 ? undefined : await this.findUnread(id);
      if (!row) return;
      const hasOthers = await this.bus.hasReadersElsewhere(id);
      if (this.isExpected(id) || hasOthers) return;
      if (hasOthers === undefined) this.startGrace(id);
      else await this.cancellation.request(row, 'All readers disconnected (on_disconnect=cancel).');
    } catch {
      // The store is unavailable: the run goes on.
    }
  }

  /** Undefined unless it is to be cancelled: an interaction that has waited for a person is not. */
  private async findUnread(id: string): Promise<InteractionRow | undefined> {
    const row = await this.interactions.findInteraction(id, ANY_TENANT);
    if (!row || !asksForCancel(row)) return undefined;
    const asked = await this.requests.listRequests({
      ...{ interaction_id: id, limit: 1 },
      viewer: ANY_TENANT,
    });
    return asked.length === 0 && this.readers.count(id) === 0 ? row : undefined;
  }
}

/**
 * False for an interaction that was resumed after a loss: its reader may not have found it again.
 */
function asksForCancel({ status, settings, epoch }: InteractionRow): boolean {
  return !isFinal(status) && settings.on_disconnect === 'cancel' && epoch <= 1;
}
