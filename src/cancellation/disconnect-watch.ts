import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { CancellationService } from './cancellation.service.js';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RequestStore } from '../persistence/request.store.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { Readers } from '../event-log/follow/readers.js';
import type { InteractionRow } from '../persistence/rows/store-rows.js';
import { isFinal } from '../protocol/interaction.js';

/**
 * Cancels an interaction that nobody has read for a while, where its start asked for that. The process whose reader left last sees to it:
 * one that has others elsewhere, or hears that they come, leaves it to theirs.
 */
@Injectable()
export class DisconnectWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Each can be called off. */
  private readonly graces = new Map<string, () => void>();
  private subscriptions: readonly (() => void)[] = [];

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
    this.subscriptions = [
      this.readers.onCountChange((id, count) => this.onCount(id, count)),
      this.bus.onReader((id) => this.callOff(id)),
    ];
  }

  onApplicationShutdown(): void {
    for (const unsubscribe of this.subscriptions) unsubscribe();
    for (const callOff of this.graces.values()) callOff();
  }

  private onCount(id: string, count: number): void {
    this.callOff(id);
    if (count === 0) this.wait(id);
    if (count === 1) this.bus.noteReader(id);
  }

  private wait(id: string): void {
    const { disconnectGraceMs } = this.config;
    this.graces.set(
      id,
      this.clock.after(disconnectGraceMs, () => void this.expire(id)),
    );
  }

  private callOff(id: string): void {
    this.graces.get(id)?.();
    this.graces.delete(id);
  }

  private async expire(id: string): Promise<void> {
    this.graces.delete(id);
    try {
      if (this.readers.count(id) > 0 || !(await this.wantsCancel(id))) return;
      const isHeard = await this.bus.isHeardElsewhere(id);
      if (this.readers.count(id) > 0 || this.graces.has(id) || isHeard) return;
      if (isHeard === undefined) this.wait(id);
      else await this.cancellation.request(id, 'Nobody was reading any more.');
    } catch {
      // The store is away; what runs goes on.
    }
  }

  /** What has waited for a person goes on. */
  private async wantsCancel(id: string): Promise<boolean> {
    const row = await this.interactions.findInteraction(id);
    if (!row || !asksForCancel(row)) return false;
    const asked = await this.requests.listRequests({ interaction_id: id, limit: 1 });
    return asked.length === 0 && this.readers.count(id) === 0;
  }
}

/** What was taken up after a loss goes on: its reader may not have found it again. */
function asksForCancel({ status, settings, epoch }: InteractionRow): boolean {
  return !isFinal(status) && settings.on_disconnect === 'cancel' && epoch <= 1;
}
