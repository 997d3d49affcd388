import type { RequestState } from 'parley/client';
import { useShownChatOrNone } from '../chat/use-chat';

/** A request as a card shows it: of the chat that is open, or with the chat that it belongs to. */
export type CardRequest = RequestState & {
  readonly chat_id?: string;
};

/** The id of the chat that a request belongs to. */
export function useChatOf(request: CardRequest): string {
  const chat = useShownChatOrNone();
  const id = request.chat_id ?? chat?.id;
  if (id === undefined) throw new Error('This request is of no chat.');
  return id;
}
