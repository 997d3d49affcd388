import type { Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { LeaseLostError } from '../../../event-log/append/lease-lost.error.js';
import { AppError } from '../../../kernel/app-error.js';
import type { Clock } from '../../../kernel/clock.js';
import { LimitedLines } from '../../../logging/limited-lines.js';
import type { InteractionEnd } from '../../../persistence/rows/append-rows.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { Usage } from '../../../protocol/interaction.js';
import { toErrorText } from '../../../tools/core/to-text.js';
import { cutText } from '../../../kernel/text/cut-text.js';

/** Characters of an error that the log quotes: vendors may repeat what they were sent. */
const MAX_ERROR = 600;

/** True if the run can no longer write; the interaction continues in another run. */
export function isLoss(error: unknown): boolean {
  return (
    error instanceof LeaseLostError ||
    (error instanceof AppError && error.code === 'store_unavailable')
  );
}

/** The end of an interaction, as it was saved. */
export interface RunEnd extends Pick<InteractionEnd, 'status' | 'error' | 'completed_at'> {
  readonly usage: Usage;
  /** A bug of the agent or of the server, or what the store refused. */
  readonly fault?: { readonly thrown: unknown } | undefined;
}

interface Failure {
  readonly interaction: InteractionRow;
  readonly end: RunEnd;
}

/**
 * The lines of the log about interactions: one when it starts and one when it has ended. Those of
 * failures are limited, by code.
 */
export class RunReports implements OnApplicationShutdown {
  private readonly failures: LimitedLines<Failure>;

  constructor(
    clock: Clock,
    private readonly logger: Logger,
  ) {
    this.failures = new LimitedLines(clock, (failure, left_out) => this.write(failure, left_out));
  }

  onApplicationShutdown(): void {
    this.failures.flush();
  }

  started(interaction: InteractionRow): void {
    const { agent, model } = interaction;
    this.logger.log({ message: 'Interaction started', ...idsOf(interaction), agent, model });
  }

  /** `reason`: why an earlier run did not end it. */
  resumed(interaction: InteractionRow, reason: string): void {
    this.logger.log({ message: `Interaction resumed: ${reason}`, ...idsOf(interaction) });
  }

  ended(interaction: InteractionRow, end: RunEnd): void {
    if (end.error === null) {
      const message = `Interaction ended ${end.status}`;
      return this.logger.log({ message, ...fieldsOf(interaction, end) });
    }
    // faults of several agents are several bugs
    const of = end.fault === undefined ? '' : ` ${interaction.agent}`;
    this.failures.add(`${end.error.code}${of}`, { interaction, end });
  }

  /** A run could not go on; another one will, if the interaction has not ended. */
  stopped(interaction: Pick<InteractionRow, 'id'> & Partial<InteractionRow>, error: unknown): void {
    const ids = idsOf(interaction);
    const message = `Run stopped: ${cutText(toErrorText(error), MAX_ERROR)}`;
    if (isLoss(error)) this.logger.warn({ message, ...ids });
    else this.fault({ message, ...ids }, { thrown: error });
  }

  private write({ interaction, end }: Failure, left_out: number): void {
    const { code, message: cause } = end.error!;
    const more = left_out > 0 ? `; ${left_out} more since the last such line` : '';
    const message = `Interaction failed (${code})${more}`;
    const fields = { ...fieldsOf(interaction, end), code, cause: cutText(cause, MAX_ERROR) };
    const line = { message, ...fields, ...(left_out > 0 && { left_out }) };
    if (end.fault === undefined) this.logger.warn(line);
    else this.fault(line, end.fault);
  }

  /** Bugs of the agent or of the server are logged with their stack. */
  private fault(line: object, { thrown }: { readonly thrown: unknown }): void {
    this.logger.error({ ...line, ...(thrown instanceof Error && { err: thrown }) });
  }
}

function idsOf({
  id,
  chat_id,
  tenant_id,
  epoch,
}: Pick<InteractionRow, 'id'> & Partial<InteractionRow>) {
  return { interaction_id: id, chat_id, tenant_id, epoch };
}

function fieldsOf(interaction: InteractionRow, { status, completed_at, usage }: RunEnd) {
  const duration_ms = Date.parse(completed_at) - Date.parse(interaction.created_at);
  const { agent, model } = interaction;
  return { ...idsOf(interaction), agent, model, status, duration_ms, ...usage };
}
