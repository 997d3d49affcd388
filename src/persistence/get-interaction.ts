import { AppError } from '../kernel/app-error.js';
import type { InteractionStore } from './interaction.store.js';
import type { InteractionRow } from './rows/interaction-row.js';

/** @throws AppError `interaction_not_found` (404), also if it belongs to another chat */
export async function getInteraction(
  store: Pick<InteractionStore, 'findInteraction'>,
  chatId: string,
  interactionId: string,
): Promise<InteractionRow> {
  const row = await store.findInteraction(interactionId);
  if (row?.chat_id === chatId) return row;
  throw new AppError(
    'not_found',
    'interaction_not_found',
    `The chat ${chatId} has no interaction ${interactionId}. GET /chats/${chatId} lists those it has.`,
  );
}
