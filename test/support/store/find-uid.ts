import type { AllStores } from '../../../src/storage/stores.js';
import { LOCAL } from './chat-parts.js';

/** Of a chat that is there: the name of its folder. */
export async function findUid({ chats }: Pick<AllStores, 'chats'>, id: string): Promise<string> {
  const chat = await chats.findChat(id, LOCAL);
  if (!chat) throw new Error(`There is no chat ${id}.`);
  return chat.uid;
}
