import { AppError } from '../../kernel/app-error.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { AgentModels } from '../base/agent-models.js';

/** For an agent that the path names. */
export function agentNotFound(models: AgentModels, name: string): AppError {
  const known = models.list().map(({ id }) => id);
  const message = `There is no agent "${cutText(name, 64)}". Use one of: ${known.join(', ')}, or <agent>:<provider>/<model>.`;
  return new AppError('not_found', 'model_not_found', message);
}
