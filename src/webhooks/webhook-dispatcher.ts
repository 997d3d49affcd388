import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { outgoingTrace } from '../net/outgoing-trace.js';
import type { ClaimedWebhook } from '../persistence/rows/webhook-rows.js';
import { Telemetry } from '../telemetry/telemetry.js';
import type { WebhookOutcome } from '../telemetry/telemetry-events.js';
import { ReceiverHealth } from './receiver-health.js';
import { WebhookBodies } from './webhook-bodies.js';
import { WebhookOutbox } from './webhook-outbox.js';
import { WebhookSender } from './webhook-sender.js';

const POLL_MS = 1_000;
const CLEANUP_INTERVAL_MS = 30_000;
/** Deliveries of this process at the same time. */
const CONCURRENCY = 8;
/** Longer than an attempt takes: an entry that a killed process had claimed is tried again then. */
const CLAIM_MS = 30_000;
const MAX_ENTRIES = 10_000;

/**
 * Delivers the outbox, in every process that runs agents. Runs never wait for it: it uses the
 * connections of clients, a bounded number of entries at a time.
 */
@Injectable()
export class WebhookDispatcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly stopping = new AbortController();
  private readonly sending = new Set<Promise<void>>();
  private readonly rounds: Periodic;
  private tidiedAt = -Infinity;

  constructor(
    private readonly outbox: WebhookOutbox,
    private readonly bodies: WebhookBodies,
    private readonly sender: WebhookSender,
    private readonly receiver: ReceiverHealth,
    private readonly telemetry: Telemetry,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    const run = (): Promise<void> => this.deliverDue();
    this.rounds = new Periodic(clock, { name: 'Webhooks', every_ms: POLL_MS, run });
  }

  onApplicationBootstrap(): void {
    if (!this.config.webhookUrl || this.config.role === 'api') return;
    this.rounds.start();
    void this.rounds.runNow();
  }

  /** Gives back the entries that are being sent, so that the next process tries them at once. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds.stop();
    await Promise.all(this.sending);
  }

  /** Resolves once no more entries are due; the last of them may still be under way. */
  private async deliverDue(): Promise<void> {
    for (let isFull = true; isFull && !this.stopping.signal.aborted;) {
      const limit = CONCURRENCY - this.sending.size;
      const at = this.clock.now();
      const until = new Date(at.getTime() + CLAIM_MS).toISOString();
      const claimed = await this.outbox.claim({ at: at.toISOString(), until, limit });
      for (const each of claimed) this.begin(each);
      await this.tidy();
      isFull = claimed.length === limit;
      if (isFull && this.sending.size > 0) await Promise.race(this.sending);
    }
  }

  private begin(claimed: ClaimedWebhook): void {
    const sent = this.deliver(claimed)
      .catch(() => {}) // The store is unavailable; the claim ends by itself.
      .finally(() => this.sending.delete(sent));
    this.sending.add(sent);
  }

  private async deliver(claimed: ClaimedWebhook): Promise<void> {
    const body = await this.read(claimed);
    if (body === undefined) return;
    const traceparent = await this.bodies.traceparent(claimed);
    const fault = await outgoingTrace.run(traceparent, () =>
      this.sender.send(claimed.id, body, this.stopping.signal),
    );
    if (this.stopping.signal.aborted && fault !== undefined)
      return this.outbox.postpone(claimed, this.clock.now().toISOString());
    if (fault !== undefined) {
      this.receiver.noteFault(fault);
      return this.retryLater(claimed);
    }
    this.receiver.noteDelivery();
    this.count('delivered');
    await this.outbox.remove(claimed.id);
  }

  /** Undefined if there is nothing to send, now or at all. */
  private async read(claimed: ClaimedWebhook): Promise<string | undefined> {
    let body: string | undefined;
    try {
      body = await this.bodies.read(claimed);
    } catch (err) {
      this.logger.warn({ message: `The webhook ${claimed.id} could not be made`, err });
      await this.retryLater(claimed);
      return undefined;
    }
    if (body === undefined) await this.outbox.remove(claimed.id);
    return body;
  }

  private async retryLater(claimed: ClaimedWebhook): Promise<void> {
    const now = this.clock.now().getTime();
    if (now - Date.parse(claimed.created_at) >= GIVE_UP_MS) {
      if (!(await this.outbox.giveUp(claimed, new Date(now).toISOString()))) return;
      this.count('failed');
      this.logger.warn(
        `The webhook ${claimed.id} was given up after ${claimed.attempts} attempts.`,
      );
      return;
    }
    const next = now + retryDelay(claimed.attempts, Math.random());
    await this.outbox.postpone(claimed, new Date(next).toISOString());
    this.count('retried');
  }

  /** Bounds the outbox, and counts it. */
  private async tidy(): Promise<void> {
    const now = this.clock.monotonic();
    if (now - this.tidiedAt >= CLEANUP_INTERVAL_MS) {
      const failed_before = new Date(this.clock.now().getTime() - RETENTION_MS).toISOString();
      const dropped = await this.outbox.trim({ failed_before, max: MAX_ENTRIES });
      this.tidiedAt = now; // not before: a store that was away is tried again with the next round
      if (dropped > 0) {
        this.count('dropped', dropped);
        this.logger.warn(
          `The oldest ${dropped} webhooks were dropped: no more than ${MAX_ENTRIES} are kept. Check WEBHOOK_URL and its receiver.`,
        );
      }
    }
    const counts = await this.outbox.count();
    this.receiver.noteCounts(counts);
    this.telemetry.emit('webhooks_waiting', { count: counts.waiting });
  }

  private count(outcome: WebhookOutcome, count = 1): void {
    this.telemetry.emit('webhook_ended', { outcome, count });
  }
}

const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** An entry is tried for so long, and then kept for a while as one that was given up. */
const GIVE_UP_MS = 3 * DAY_MS;
const RETENTION_MS = 7 * DAY_MS;

/**
 * Milliseconds from a failed attempt to the next one: exponential up to an hour, of which a random
 * half, so that entries that failed together are not all tried together.
 * @param attempts failed so far, from 1
 * @param random from 0 to 1
 */
export function retryDelay(attempts: number, random: number): number {
  const full = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  return Math.round(full / 2 + (full / 2) * random);
}
