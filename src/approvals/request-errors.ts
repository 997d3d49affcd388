import { AppError } from '../kernel/app-error.js';
import type { RequestRow, Settlement } from '../persistence/rows/request-rows.js';

/** To somebody who came too late: what was decided, and by whom. Without a settlement its interaction has ended, or is about to. */
export function alreadyProcessed(row: RequestRow | undefined): AppError {
  const { settlement = null, settled_at: at = null } = row ?? {};
  if (!settlement)
    return refuse(
      'This request can’t be settled any more: its interaction ended or is being cancelled.',
    );
  const decision = {
    ...(settlement.kind === 'approval' && { approved: settlement.approved }),
    by: settlement.by,
    at,
  };
  return refuse(`${describe(settlement)} at ${at}; what came first counts.`, { decision });
}

function refuse(message: string, extra: Readonly<Record<string, unknown>> = {}): AppError {
  return new AppError('invalid', 'already_processed', message, { extra });
}

function describe(settlement: Settlement): string {
  const by = BY[settlement.by];
  switch (settlement.kind) {
    case 'approval':
      return `This call was ${settlement.approved ? 'approved' : 'rejected'} ${by}`;
    case 'input':
      return `This question was ${settlement.answer === null ? 'declined' : 'answered'} ${by}`;
    case 'tool':
      return `The result of this call was settled ${by}`;
  }
}

const BY: Readonly<Record<Settlement['by'], string>> = {
  user: 'by a person',
  client: 'by the client',
  rule: 'by a rule',
  timeout: 'because nobody answered in time',
  cancel: 'because its interaction was cancelled',
};
