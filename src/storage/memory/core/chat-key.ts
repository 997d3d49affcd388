import type { ChatRow } from '../../../persistence/rows/chat-rows.js';

/** Names a chat among those of all tenants; ids of chats have no slash. */
export function chatKey({ id, tenant_id }: Pick<ChatRow, 'id' | 'tenant_id'>): string {
  return `${id}/${tenant_id}`;
}
