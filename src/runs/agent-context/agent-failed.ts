import { AppError } from '../../kernel/app-error.js';
import type { AgentEnd } from '../children/agent-end.js';

/** A child agent that has no answer: it failed, with the `code` of its error, or was cancelled. */
export class AgentFailed extends AppError {
  constructor({ code = 'agent_cancelled', result }: AgentEnd) {
    super('unprocessable', code, result);
  }
}
