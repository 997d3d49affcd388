import { AppError } from '../../../kernel/app-error.js';
import { cutText } from '../../../kernel/text/cut-text.js';

export function agentNotFound(name: string): AppError {
  const message = `There is no agent "${cutText(name, 64)}".`;
  return new AppError('not_found', 'model_not_found', message);
}
