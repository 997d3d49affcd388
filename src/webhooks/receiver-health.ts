import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import type { WebhookCounts } from './webhook-outbox.js';

/** How the receiver of webhooks does, as this process has seen it last. */
@Injectable()
export class ReceiverHealth {
  private readonly logger = new Logger('Webhooks');
  private since: Date | undefined;
  private fault = '';
  private counts: WebhookCounts = { waiting: 0, failed: 0 };

  constructor(private readonly clock: Clock) {}

  /** The time of the first failed attempt since the last delivery. */
  get awaySince(): Date | undefined {
    return this.since;
  }

  /** The last fault, and the state of the outbox. */
  get detail(): string {
    const { waiting, failed } = this.counts;
    return `${this.fault}; waiting: ${waiting}, given up: ${failed}`;
  }

  noteFault(fault: string): void {
    this.fault = fault;
    if (this.since) return;
    this.since = this.clock.now();
    this.logger.warn(`The receiver of webhooks: ${fault}. They are kept and tried again.`);
  }

  noteDelivery(): void {
    if (this.since) this.logger.log('The receiver of webhooks takes them again.');
    this.since = undefined;
  }

  noteCounts(counts: WebhookCounts): void {
    this.counts = counts;
  }
}
