import { Injectable } from '@nestjs/common';
import { CancellationService } from './cancellation.service.js';
import { AppError } from '../kernel/app-error.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RecordStore } from '../persistence/record.store.js';
import type { StoppedEffect } from '../protocol/events.js';
import type { InteractionStatus } from '../protocol/interaction.js';
import { isFinal } from '../protocol/interaction.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import { WaitForEnd } from './wait-for-end.js';

/** How a cancel that was waited for came out. */
export interface CancelOutcome {
  readonly status: InteractionStatus;
  readonly stopped: readonly StoppedEffect[];
}

const WAIT_LIMIT_MS = 30_000;

/** Cancels on a person's request. */
@Injectable()
export class CancelService {
  constructor(
    private readonly service: InteractionsService,
    private readonly cancellation: CancellationService,
    private readonly waitForEnd: WaitForEnd,
    private readonly interactions: InteractionStore,
    private readonly records: RecordStore,
  ) {}

  /** @throws AppError `interaction_not_found` (404), `already_ended` (409) */
  async request(chatId: string, interactionId: string): Promise<void> {
    const { status } = await this.service.get(chatId, interactionId);
    if (isFinal(status)) throw alreadyEnded(status);
    const row = await this.cancellation.request(interactionId, 'Cancelled by the user.');
    if (row && isFinal(row.status)) throw alreadyEnded(row.status);
  }

  /** Undefined when that takes longer than 30 s. */
  async outcome(interactionId: string): Promise<CancelOutcome | undefined> {
    if (!(await this.waitForEnd.of(interactionId, WAIT_LIMIT_MS))) return undefined;
    const row = await this.interactions.findInteraction(interactionId);
    if (!row) return undefined;
    const [record] = await this.records.readRecordsOfTypes([interactionId], ['CANCELLED']);
    const stopped = record?.body.type === 'CANCELLED' ? record.body.stopped : [];
    return { status: row.status, stopped };
  }
}

function alreadyEnded(status: InteractionStatus): AppError {
  return new AppError(
    'conflict',
    'already_ended',
    `The interaction has ended already: ${status}.`,
    {
      extra: { interaction_status: status },
    },
  );
}
