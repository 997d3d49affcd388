import type { FileRow } from '../files/file-catalog.js';
import type { ChatPatch } from '../persistence/rows/chat-rows.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { InterventionRow } from '../persistence/rows/intervention-rows.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import type { RequestRow } from '../persistence/rows/request-rows.js';
import type { OwnedRule } from '../permissions/rules/permission-rule.js';
import type { Message } from '../protocol/message.js';
import type { Task } from '../protocol/wire/task.js';

/** The rows with texts of people and models, with the fields that sealing them needs. */
export interface SavedRows {
  readonly chats: Pick<ChatPatch, 'title' | 'preview' | 'settings' | 'metadata'> & {
    readonly messages?: readonly Message[];
  };
  readonly files: Pick<FileRow, 'id' | 'filename'>;
  readonly interactions: Pick<
    InteractionRow,
    'id' | 'user_message' | 'settings' | 'metadata' | 'error' | 'cancel_reason'
  > & {
    readonly added_messages: readonly Message[] | null;
    readonly idempotency_fingerprint: string | null;
  };
  readonly records: Pick<LogRecord, 'interaction_id' | 'seq' | 'body' | 'hidden'>;
  readonly requests: Pick<RequestRow, 'id' | 'event' | 'settlement'>;
  readonly interventions: Pick<InterventionRow, 'id' | 'user_comment' | 'user_content'>;
  readonly permission_rules: Pick<OwnedRule, 'id' | 'matcher' | 'description'>;
  readonly tasks: Pick<Task, 'id' | 'title' | 'description'>;
}

export type SavedKind = keyof SavedRows;

/** The owner of the key that seals a row. */
export type Owner = { readonly chat_uid: string } | { readonly tenant_id: string };

/** Gives the row back with all its texts sealed. Undefined: its owner is gone. */
export type SealRow = <K extends SavedKind>(
  kind: K,
  owner: Owner,
  row: SavedRows[K],
) => Promise<SavedRows[K] | undefined>;

/** Port: all rows of a store, to encrypt those that were saved in plain. */
export interface SavedTexts {
  /**
   * Replaces each row, or file, that `seal` changes, in slices. It may be called again after an
   * interruption. Returns their number.
   * @throws AppError `store_in_use` while other processes use the store
   */
  sealAll(seal: SealRow): Promise<number>;
}
