import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { ApiKey } from '../../auth/keys/key-store.js';
import type { WrappedKey } from '../../encryption/data-key-store.js';
import type { KeptUsage } from '../memory/core/deleted-usage.js';
import type { StoreIndex } from '../memory/core/store-index.js';
import type { StoredChat } from '../memory/core/stored-chat.js';
import type { StoredInteraction } from '../memory/core/stored-interaction.js';
import type { KeptFile } from '../memory/memory-file-catalog.js';
import type { KeptWebhook } from '../memory/memory-webhook-outbox.js';
import { SEQUENCES } from '../table-rows.js';
import type { TableRows } from '../table-rows.js';
import { FileRows } from './file-rows.js';
import { RULES_FILE } from './file-rule-store.js';
import type { Task } from '../../protocol/wire/task.js';
import type { SavedRules } from './file-rule-store.js';
import { readJson } from './json-files.js';

const PAGE = 100;

export interface RowSource {
  readonly data_dir: string;
  readonly index: StoreIndex;
  readonly tasks: { list(chatUid: string): Promise<Task[]> };
}

/** A row by the names of its columns. Objects are JSON, an array of texts is an array. */
type Values = Readonly<Record<string, string | number | boolean | null | undefined | Json | Texts>>;

class Json {
  constructor(readonly value: unknown) {}
}

class Texts {
  constructor(readonly values: readonly string[]) {}
}

/**
 * All that an open store has, as rows of the tables of a database; leases and tickets are left out,
 * as no process outlives the store. `begun_no` of interactions is their order in their chat.
 */
export async function* readRows(source: RowSource): AsyncGenerator<TableRows> {
  const { index, data_dir, tasks } = source;
  const tenants = await readJson<{ keys: Record<string, WrappedKey> }>(
    join(data_dir, 'tenant-keys.json'),
    { keys: {} },
  );
  for (const [tenant_id, { master_key_id, wrapped }] of Object.entries(tenants.keys))
    yield toRows('tenant_keys', [{ tenant_id, master_key_id, data_key: wrapped }]);
  let begun = 0;
  for (const chat of index.chats) {
    yield toRows('chats', [chatRow(chat)]);
    for (const interaction of inOrder(chat)) {
      yield toRows('interactions', [await interactionRow(interaction, ++begun)]);
      yield* readRecords(interaction);
      yield* readRequests(interaction);
    }
    const { uid: chat_uid } = chat;
    yield toRows(
      'tasks',
      (await tasks.list(chat_uid)).map((task) => ({ ...task, chat_uid })),
    );
  }
  yield* readRules(source);
  yield* readOthers(source);
  yield { ...SEQUENCES, rows: begun > 0 ? [['interactions_begun', String(begun)]] : [] };
}

function chatRow({ row, dataKey, messages }: StoredChat): Values {
  const { uid, tenant_id, id, owner, visibility, title, preview } = row;
  const { head_interaction_id, created_at, updated_at, settings, metadata } = row;
  return {
    ...{ uid, tenant_id, id, owner, visibility, title, preview, head_interaction_id },
    ...{ created_at, updated_at },
    ...{ settings: new Json(settings), metadata: new Json(metadata), messages: new Json(messages) },
    ...{ master_key_id: dataKey?.master_key_id, data_key: dataKey?.wrapped },
  };
}

/** Interactions in the order in which they began, or ended in the queue; then the queued ones. */
function inOrder({ interactions }: StoredChat): StoredInteraction[] {
  return interactions.toSorted((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return one === other ? a.known.ordinal - b.known.ordinal : one - other;
  });
}

function placeOf({ state }: StoredInteraction): number {
  return state.branch_version ?? Infinity;
}

async function interactionRow(interaction: StoredInteraction, begun_no: number): Promise<Values> {
  const { state, known, log, hasEnded } = interaction;
  const { usage, settings, metadata, error, ...row } = await interaction.readRow();
  const added = await interaction.readAddedMessages();
  const { queue_rank, parked_signals, losses, alone_losses, trial, progressed } = state;
  return {
    ...{ ...row, ...usage, queue_rank, parked_signals, losses, alone_losses, trial, progressed },
    ...{ settings: new Json(settings), metadata: new Json(metadata) },
    usage_by_model: state.usage_by_model && new Json(state.usage_by_model),
    error: error && new Json(error),
    added_messages: added && new Json(added),
    idempotency_key: known.idempotency?.key,
    idempotency_fingerprint: known.idempotency?.fingerprint,
    started_at: known.imported ? null : known.created_at,
    begun_no,
    bytes: log.bytes,
    final_bytes: hasEnded ? log.bytes : null,
  };
}

async function* readRecords({ log }: StoredInteraction): AsyncGenerator<TableRows> {
  for (let after = 0; ;) {
    const page = await log.readRecords({ after, limit: PAGE });
    yield toRows(
      'records',
      page.map(({ body, hidden, ...record }) => ({
        ...{ ...record, type: body.type, body: new Json(body) },
        hidden: new Json(hidden),
      })),
    );
    if (page.length < PAGE) return;
    after = page.at(-1)!.seq;
  }
}

async function* readRequests(interaction: StoredInteraction): AsyncGenerator<TableRows> {
  const requests = await interaction.readRequests();
  yield toRows(
    'requests',
    requests.map(({ event, settlement, ...request }) => ({
      ...{ ...request, event: new Json(event) },
      settlement: settlement && new Json(settlement),
    })),
  );
  const notes = await interaction.log.readNotes();
  yield toRows(
    'interventions',
    notes.flatMap((note) => {
      if (!('intervention' in note)) return [];
      const { redacted, ...rest } = note.intervention;
      const interaction_id = interaction.id;
      return [{ ...rest, interaction_id, redacted: redacted && new Json(redacted) }];
    }),
  );
}

async function* readRules({ data_dir, index }: RowSource): AsyncGenerator<TableRows> {
  const { rules, uses_in_files = {} } = await readJson<SavedRules>(join(data_dir, RULES_FILE), {
    rules: [],
  });
  const kept = rules.filter(({ chat_uid }) => chat_uid === null || index.findChat(chat_uid));
  yield toRows(
    'permission_rules',
    kept.map(({ matcher, used_by = [], ...rule }) => ({
      ...{ ...rule, matcher: new Json(matcher), used_by: new Texts(used_by) },
    })),
  );
  yield toRows(
    'rule_uses_in_files',
    Object.entries(uses_in_files).map(([rule_id, { uses, used_by }]) => ({
      ...{ rule_id, uses, used_by: new Texts(used_by) },
    })),
  );
}

async function* readOthers({ data_dir, index }: RowSource): AsyncGenerator<TableRows> {
  const files = await new FileRows<KeptFile>(data_dir, 'file-rows').load(() => {});
  yield toRows(
    'files',
    files.map(({ deleted, ...file }) => {
      const isOfChat = file.chat_uid === null || index.findChat(file.chat_uid) !== undefined;
      return { ...file, is_deleted: deleted === true || !isOfChat };
    }),
  );
  const { keys } = await readJson<{ keys: readonly ApiKey[] }>(join(data_dir, 'api-keys.json'), {
    keys: [],
  });
  yield toRows(
    'api_keys',
    keys.map(({ scopes, ...key }) => ({ ...key, scopes: new Texts(scopes) })),
  );
  const deleted = await new FileRows<KeptUsage>(data_dir, 'deleted-usage').load(() => {});
  yield toRows(
    'deleted_usage_days',
    deleted
      .flatMap(({ entries }) => entries)
      .map(({ usage, ...entry }) => ({ ...entry, ...usage })),
  );
  const webhooks = await new FileRows<KeptWebhook>(data_dir, 'webhooks').load(() => {});
  yield toRows(
    'webhooks',
    webhooks
      .filter(({ interaction_id }) => index.findInteraction(interaction_id))
      .map((webhook) => ({ ...webhook, attempts: 0, next_attempt_at: webhook.created_at })),
  );
  yield* readAudit(join(data_dir, 'audit.jsonl'));
  const folder = join(data_dir, 'file-folder');
  if (existsSync(folder))
    yield toRows('file_folder', [{ id: (await readFile(folder, 'utf8')).trim() }]);
}

async function* readAudit(path: string): AsyncGenerator<TableRows> {
  if (!existsSync(path)) return;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const entry = parseEntry(line);
    if (entry) yield toRows('audit', [{ ...entry, detail: new Json(entry.detail) }]);
  }
}

/** Undefined for a line that was cut off. */
function parseEntry(line: string): AuditEntry | undefined {
  try {
    return JSON.parse(line) as AuditEntry;
  } catch {
    return undefined;
  }
}

/** Columns that only some rows have are null in others. */
function toRows(table: string, rows: readonly Values[]): TableRows {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { table, columns, rows: rows.map((row) => columns.map((name) => toText(row[name]))) };
}

function toText(value: Values[string]): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Json) return JSON.stringify(value.value ?? null);
  if (value instanceof Texts)
    return `{${value.values.map((text) => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`).join()}}`;
  return String(value);
}
