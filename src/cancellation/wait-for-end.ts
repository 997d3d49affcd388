import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Follower } from '../event-log/follow/follower.js';
import { Readers } from '../event-log/follow/readers.js';
import { LiveBus } from '../event-log/live/live-bus.js';
import { Clock } from '../kernel/clock.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RequestStore } from '../persistence/request.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { RecordType } from '../protocol/events.js';
import { isWaiting } from '../protocol/interaction.js';
import { AdmissionGate } from '../streams/admission-gate.js';

/**
 * Interval of checks of the store, in milliseconds: a frame may be lost, and a deletion has none.
 */
const CHECK_MS = 1_000;

/** Timeout for readers to get the end, and the interval of counting them, in milliseconds. */
const READ_LIMIT_MS = 1_000;
const READ_CHECK_MS = 20;

/** Events of a request, which its interaction may wait for. */
const ASKS: ReadonlySet<string> = new Set<RecordType>([
  'APPROVAL_REQUIRED',
  'INPUT_REQUIRED',
  'TOOL_RESULT_REQUIRED',
]);

const NO_BACKLOG = { isFull: false, drained: () => Promise.resolve() };

/** Conditions that end a wait before the interaction ends. */
export interface WaitOptions {
  readonly limit_ms: number;
  /** Also when it waits for a person or a client, or for what the server lacks. */
  readonly until_asked?: boolean;
  /** Each of them ends it. */
  readonly signals?: readonly AbortSignal[];
}

/** Waits for interactions to end, on whichever process they run. */
@Injectable()
export class WaitForEnd {
  constructor(
    private readonly bus: LiveBus,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
    private readonly requests: RequestStore,
    private readonly readers: Readers,
    private readonly clock: Clock,
    private readonly gate: AdmissionGate,
  ) {}

  /**
   * Resolves when the interaction has ended, or waits for a person; also after `limit_ms`, when
   * `signal` aborts, and when the server shuts down.
   */
  async orRequest(
    interactionId: string,
    { limit_ms, signal }: { readonly limit_ms: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    const signals = [this.gate.closed, ...(signal ? [signal] : [])];
    await this.of(interactionId, { limit_ms, until_asked: true, signals });
  }

  /** True also if it was deleted, which ends it first; false if something else ended the wait. */
  async of(
    interactionId: string,
    { limit_ms, until_asked = false, signals = [] }: WaitOptions,
  ): Promise<boolean> {
    const row = await this.interactions.findInteraction(interactionId, ANY_TENANT);
    if (!row || isOver(row)) return true;
    if (signals.some(({ aborted }) => aborted)) return false;
    return new Promise((resolve) => {
      const finish = (ended: boolean): void => {
        clearTimeout(timer);
        clearInterval(checks);
        follower.stop();
        for (const signal of signals) signal.removeEventListener('abort', giveUp);
        resolve(ended);
      };
      const giveUp = (): void => finish(false);
      const check = async (): Promise<void> => {
        const now = await this.interactions.findInteraction(interactionId, ANY_TENANT);
        if (!now || isOver(now)) finish(true);
        else if (until_asked && (await this.isAsking(now))) finish(false);
      };
      const checkNow = (): void => void check().catch(() => {}); // the next one tries again
      const timer = setTimeout(giveUp, limit_ms);
      const checks = setInterval(checkNow, CHECK_MS);
      for (const signal of signals) signal.addEventListener('abort', giveUp);
      const follower = new Follower(
        { records: this.records, bus: this.bus },
        { interaction_id: row.id, cursor: endOf(row), trace: false, backlog: NO_BACKLOG },
        {
          next: ({ event }) => ASKS.has(event.type) && checkNow(),
          error: checkNow,
          complete: () => finish(true),
        },
      );
      void follower.start().then(checkNow);
    });
  }

  /**
   * For an ended interaction: resolves when its readers, on any process, have its end or are too
   * slow.
   */
  async untilRead(interactionId: string): Promise<void> {
    const deadline = this.clock.monotonic() + READ_LIMIT_MS;
    while (this.clock.monotonic() < deadline && (await this.hasReaders(interactionId)))
      await delay(READ_CHECK_MS);
  }

  /**
   * Also if it waits for what the server lacks. False once its requests are settled or it is
   * cancelled, also before its run goes on.
   */
  private async isAsking(row: InteractionRow): Promise<boolean> {
    const { id: interaction_id, status, cancel_reason, waits_for } = row;
    if (cancel_reason !== null) return false;
    if (waits_for !== null) return true;
    if (!isWaiting(status)) return false;
    const pending = { interaction_id, status: 'pending', limit: 1 } as const;
    return (await this.requests.listRequests({ viewer: ANY_TENANT, ...pending })).length > 0;
  }

  private async hasReaders(interactionId: string): Promise<boolean> {
    if (this.readers.count(interactionId) > 0) return true;
    return (await this.bus.hasReadersElsewhere(interactionId)) === true;
  }
}

function endOf({ last_seq }: InteractionRow): {
  seq: number;
  offsets: ReadonlyMap<string, number>;
} {
  return { seq: last_seq, offsets: new Map() };
}

function isOver({ completed_at }: InteractionRow): boolean {
  return completed_at !== null;
}
