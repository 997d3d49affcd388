import type { Principal } from '../auth/principal.js';
import { AppError } from '../kernel/app-error.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';

/** @throws AppError `not_owner` (403) */
export function requireOwner({ user_id, scopes }: Principal, { id, owner }: ChatRow): void {
  if (owner === user_id || scopes.has('admin')) return;
  throw new AppError(
    'forbidden',
    'not_owner',
    `The chat ${id} belongs to ${owner}: only they and admins delete it or change its visibility.`,
  );
}
