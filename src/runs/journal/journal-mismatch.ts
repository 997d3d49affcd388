import { AppError } from '../../kernel/app-error.js';
import type { CompletingRecord } from './completes.js';

/**
 * The agent's code requests a different step from the one in its journal: it was changed while the
 * interaction was in progress, or it is not deterministic.
 */
export class JournalMismatch extends AppError {
  constructor(recorded: CompletingRecord, asked: string) {
    super(
      'conflict',
      'journal_mismatch',
      `The agent's code and its journal differ: at step ${recorded.key} the log has ${stepLabel(recorded)}, and the code now asks for ${asked}. Either the code has changed since this interaction began, or it is not deterministic: time, random numbers and I/O belong into ctx.step (docs/agents.md#determinism-and-replay). Edit the message to run it again.`,
    );
  }
}

/** Label of a journaled step, for people: `the tool calculator`. */
function stepLabel({ body }: CompletingRecord): string {
  switch (body.type) {
    case 'TURN_COMPLETED':
      return 'a model turn';
    case 'TOOL_RESULT':
      return `the tool ${body.tool_name}`;
    case 'STEP_COMPLETED':
      return `the step "${body.name}"`;
    case 'AGENT_STARTED':
      return `the fork of an agent "${body.agent_type}"`;
    case 'MESSAGE':
      return 'a message';
    case 'CUSTOM':
      return `the event ${body.name}`;
    case 'METADATA_SET':
      return `the metadata ${body.key}`;
    case 'AGENT_TOLD':
      return 'a note to an agent';
    case 'NOTICE':
      return `the notice ${body.code}`;
    default:
      return `a ${body.type.toLowerCase()}`;
  }
}
