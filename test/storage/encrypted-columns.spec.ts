import { records } from '../../src/protocol/records.js';
import { openTestPglite } from '../support/store/databases.js';

/** Sealed by `src/storage/encrypted/`, where they hold anything. */
const SEALED: Readonly<Record<string, readonly string[]>> = {
  chats: ['title', 'preview', 'settings', 'messages', 'metadata'],
  interactions: [
    ...['user_message', 'settings', 'metadata', 'error', 'added_messages', 'cancel_reason'],
    'idempotency_fingerprint',
  ],
  records: ['body', 'hidden'],
  requests: ['event', 'settlement'],
  interventions: ['user_comment', 'user_content'],
  permission_rules: ['matcher', 'description'],
  tasks: ['title', 'description'],
  files: ['filename'],
};

/** Ids, types, keys, statuses, names and counts. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  chats: [
    ...['tenant_id', 'id', 'owner', 'visibility', 'head_interaction_id'],
    ...['master_key_id', 'data_key'],
  ],
  tenant_keys: ['tenant_id', 'master_key_id', 'data_key'],
  interactions: [
    ...['id', 'chat_id', 'tenant_id', 'started_by', 'parent_id', 'status', 'agent', 'model'],
    ...['cancelled_by', 'owner', 'idempotency_key', 'agent_id'],
    ...['edited_from', 'usage_by_model', 'waits_for'],
  ],
  deleted_usage: ['tenant_id'],
  deleted_usage_days: ['tenant_id', 'model', 'user_id'],
  records: ['interaction_id', 'agent_id', 'key', 'type', 'call_id'],
  loose_logs: ['interaction_id'],
  requests: [
    ...['id', 'interaction_id', 'chat_id', 'tenant_id', 'key', 'kind', 'status', 'agent_id'],
  ],
  interventions: ['id', 'interaction_id', 'agent_id', 'redacted', 'created_by'],
  permission_rules: ['id', 'scope', 'scope_id', 'tenant_id', 'decision', 'used_by'],
  rule_uses_in_files: ['rule_id', 'used_by'],
  tasks: ['id', 'chat_id', 'status', 'agent_id'],
  incoming_chats: ['id'],
  files: [...['id', 'tenant_id', 'owner', 'chat_id', 'mime_type', 'sha256']],
  file_folder: ['id'],
  api_keys: ['id', 'tenant_id', 'user_id', 'scopes', 'secret_hash', 'created_by'],
  stream_tickets: ['hash', 'path', 'holder', 'principal'],
  audit: ['id', 'tenant_id', 'user_id', 'action', 'chat_id', 'interaction_id', 'detail'],
  webhooks: ['id', 'type', 'interaction_id'],
  migrations: ['name'],
};

/** These have the columns of the tables that they become a part of. */
const COPIES = ['incoming_interactions', 'incoming_requests'];

const COLUMNS = {
  text: `SELECT table_name AS table, column_name AS column FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'json', 'ARRAY', 'bytea')`,
};

describe('Encryption at rest', () => {
  it('seals each column that can hold text, or the column is known to hold none', async () => {
    const opened = await openTestPglite();
    try {
      const found = await opened.database.query<{ table: string; column: string }>(COLUMNS, []);
      const own = found.filter(({ table }) => !COPIES.includes(table));
      const known = [SEALED, PLAIN].flatMap((lists) =>
        Object.entries(lists).flatMap(([table, columns]) =>
          columns.map((column) => `${table}.${column}`),
        ),
      );
      expect(own.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(known.sort());
    } finally {
      await opened.close();
    }
  });

  it('knows the fields of record 1, of which only the message is sealed, and no file is saved', () => {
    expect(Object.keys(records().INTERACTION_STARTED.body.shape).sort()).toEqual([
      ...['agent', 'by', 'chat_id', 'edited_from', 'files', 'model', 'parent_id', 'type'],
      'user_message',
    ]);
  });
});
