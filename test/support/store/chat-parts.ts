import { createHash } from 'node:crypto';
import type { NewChat } from '../../../src/persistence/rows/chat-rows.js';
import type { Viewer } from '../../../src/persistence/viewer.js';

/** The user of a server without authentication. */
export const LOCAL: Viewer = { tenant_id: 'default', user_id: 'local', is_admin: true };

/** A uid of the tests' own for a chat id, the same each time. */
export function uidOf(chatId: string): string {
  const hex = createHash('sha256').update(chatId).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** An empty chat of `LOCAL`, with `uidOf` its id. */
export function chatOf(
  parts: Pick<NewChat, 'id' | 'created_at'> & Partial<NewChat>,
): Required<Omit<NewChat, 'data_key' | 'messages'>> & NewChat {
  const { tenant_id, user_id: owner } = LOCAL;
  const ours = { uid: uidOf(parts.id), tenant_id, owner, visibility: 'private' } as const;
  return { ...ours, title: null, settings: {}, metadata: {}, ...parts };
}
