import { AppError } from '../../kernel/app-error.js';
import type { CompletingRecord } from './completes.js';
import { stepLabel } from './step-label.js';

/** The agent's code asks for another step than the one its journal holds: it was changed while the interaction was on its way. */
export class JournalMismatch extends AppError {
  constructor(recorded: CompletingRecord, asked: string) {
    super(
      'conflict',
      'journal_mismatch',
      `The agent's code has changed since this interaction began: at step ${recorded.key} the log has ${stepLabel(recorded)}, and the code now asks for ${asked}. Edit the message to run it again with the new code.`,
    );
  }
}
