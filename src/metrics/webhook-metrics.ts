import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { WebhookMeter, WebhookOutcome } from '../webhooks/webhook-meter.js';

const OUTCOMES: readonly WebhookOutcome[] = ['delivered', 'retried', 'failed', 'dropped'];

/** The metrics of webhooks. */
export class WebhookMetrics implements WebhookMeter {
  private readonly deliveries;
  private readonly entries;

  constructor(registry: Registry) {
    const registers = [registry];
    this.deliveries = new Counter({
      name: 'parley_webhook_deliveries_total',
      help: 'Webhooks: delivered, retried (failed attempts), failed (given up), dropped (too many).',
      labelNames: ['outcome'],
      registers,
    });
    this.entries = new Gauge({
      name: 'parley_webhooks_waiting',
      help: 'Webhooks that are to be delivered, by all processes.',
      registers,
    });
    for (const outcome of OUTCOMES) this.deliveries.inc({ outcome }, 0);
  }

  ended(outcome: WebhookOutcome, count = 1): void {
    this.deliveries.inc({ outcome }, count);
  }

  waiting(count: number): void {
    this.entries.set(count);
  }
}
