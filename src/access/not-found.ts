import { AppError } from '../kernel/app-error.js';

/** The same for what does not exist and for what the caller does not see. */
export function chatNotFound(id: string): AppError {
  return new AppError(
    'not_found',
    'chat_not_found',
    `There is no chat ${id}. GET /chats lists those there are; a message to a new id creates one.`,
  );
}

export function interactionNotFound(chatId: string, interactionId: string): AppError {
  return new AppError(
    'not_found',
    'interaction_not_found',
    `The chat ${chatId} has no interaction ${interactionId}. GET /chats/${chatId} lists those it has.`,
  );
}

export function agentNotFound(agentId: string): AppError {
  return new AppError(
    'not_found',
    'agent_not_found',
    `There is no agent ${agentId}. GET /agents/tree?chat_id=… lists those of a chat, and every event names its own.`,
  );
}
