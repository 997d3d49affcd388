import { AppError } from '../../kernel/app-error.js';

export function agentNotFound(agentId: string): AppError {
  return new AppError(
    'not_found',
    'agent_not_found',
    `There is no agent ${agentId}. GET /agents/tree?chat_id=… lists those of a chat, and every event names its own.`,
  );
}
