import type {
  ArchivedChat,
  ArchivedEnd,
  ArchivedInteraction,
  IncomingChat,
} from '../../../persistence/chat-archive.js';
import type { WrappedKey } from '../../../encryption/data-key-store.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { RequestRow } from '../../../persistence/rows/request-rows.js';
import type { Database, Statement, Step } from '../connection/database.js';
import { FILE_COLUMNS } from '../stores/typeorm-file-catalog.js';
import { MARK_BRANCH_OF } from '../interactions/chat-statements.js';

/** No upload takes longer: its process died. */
export const LONGEST_IMPORT = '1 day';

export const RECEIVE: Statement = { text: 'INSERT INTO incoming_chats (id) VALUES ($1)' };

/** Leaves the records of these interactions, unless they were kept, to the next removal. */
const RELEASE_LOGS: Statement = {
  text: 'UPDATE loose_logs SET remove_at = clock_timestamp() WHERE interaction_id = ANY ($1::text[])',
};

const DISCARD: Statement = { text: 'DELETE FROM incoming_chats WHERE id = $1' };

const RECORD_COLUMNS = 'interaction_id, seq, epoch, agent_id, key, type, at, body, hidden';

/** The records of the interaction `$1` until the import is complete. */
const HOLD_LOG: Statement = {
  text: `INSERT INTO loose_logs (interaction_id, remove_at) VALUES ($1, clock_timestamp() + interval '${LONGEST_IMPORT}')
    ON CONFLICT (interaction_id) DO NOTHING`,
};

/** Of the interaction `$1`. Bodies travel as one JSON array, as in appends. */
const ADD_RECORDS: Statement = {
  text: `INSERT INTO records (${RECORD_COLUMNS})
    SELECT $1, r.* FROM ROWS FROM (unnest($2::integer[]), unnest($3::integer[]), unnest($4::text[]), unnest($5::text[]),
      unnest($6::text[]), unnest($7::timestamptz[]), json_array_elements($8::json), json_array_elements($9::json)) AS r`,
};

const INTERACTION_FIELDS = `id, chat_uid, chat_id, tenant_id, started_by, parent_id, status, user_message, agent, agent_id, model, settings, input_tokens, output_tokens,
  cached_tokens, cache_write_tokens, reasoning_tokens, cost_usd, error, added_messages, created_at, completed_at, superseded_at, last_seq, metadata, epoch, edited_from, queue_rank, bytes, final_bytes`;

const ADD_INTERACTION: Statement = {
  text: `INSERT INTO incoming_interactions (incoming_id, ${INTERACTION_FIELDS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $30)`,
};

const REQUEST_FIELDS =
  'id, interaction_id, chat_uid, chat_id, tenant_id, key, kind, status, agent_id, event, settlement, created_at, expires_at, settled_at';

const ADD_REQUEST: Statement = {
  text: `INSERT INTO incoming_requests (incoming_id, ${REQUEST_FIELDS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
};

/** Creates the chat (`$2`…`$15`) with what was received as `$1`, unless its id is taken. */
const COMMIT_INCOMING: Statement = {
  text: `
    WITH chat AS (
      INSERT INTO chats (uid, tenant_id, id, owner, visibility, title, head_interaction_id, created_at, updated_at, settings, messages, metadata, preview, master_key_id, data_key)
      SELECT $2::uuid, $3, $4, $5, $6, $7, $8, $9::timestamptz, $10::timestamptz, $11::json, $12::json, $13::json, $14, $15, $16 FROM incoming_chats WHERE id = $1
      ON CONFLICT (tenant_id, id) DO NOTHING RETURNING uid
    ),
    entered AS (
      INSERT INTO interactions (${INTERACTION_FIELDS})
      SELECT ${INTERACTION_FIELDS} FROM incoming_interactions WHERE incoming_id = $1 AND EXISTS (SELECT FROM chat) ORDER BY id
    ),
    kept AS (
      DELETE FROM loose_logs l USING incoming_interactions i
      WHERE i.incoming_id = $1 AND l.interaction_id = i.id AND EXISTS (SELECT FROM chat)
    ),
    asked AS (
      INSERT INTO requests (${REQUEST_FIELDS})
      SELECT ${REQUEST_FIELDS} FROM incoming_requests WHERE incoming_id = $1 AND EXISTS (SELECT FROM chat)
    )
    SELECT uid FROM chat`,
};

/** Of the chat `$1`, if it was created. */
const ADD_FILES: Statement = {
  text: `INSERT INTO files (${FILE_COLUMNS}) SELECT ${FILE_COLUMNS} FROM json_populate_recordset(NULL::files, $2::json)
    WHERE EXISTS (SELECT FROM chats WHERE uid = $1::uuid)`,
};

/**
 * A chat during its import, in tables of its own: no connection is held meanwhile, and one
 * transaction moves it. Its records are in their place already: without its interactions, no query
 * finds them.
 */
export class IncomingRows implements IncomingChat {
  readonly #ids = new Set<string>();
  /** Of the interaction that is being received. */
  #bytes = 0;

  constructor(
    private readonly db: Database,
    private readonly id: string,
  ) {}

  async append({ id }: ArchivedInteraction, records: readonly LogRecord[]): Promise<void> {
    if (!this.#ids.has(id)) this.#bytes = 0;
    this.#ids.add(id);
    const columns = toColumns(records);
    this.#bytes += bytesOf(columns.slice(-2));
    await this.db.batch([
      [HOLD_LOG, [id]],
      [ADD_RECORDS, [id, ...columns]],
    ]);
  }

  async end(row: ArchivedInteraction, { requests, added_messages }: ArchivedEnd): Promise<void> {
    const asked = requests.map((request): Step => [ADD_REQUEST, [this.id, ...ofRequest(request)]]);
    const interaction = ofInteraction(row, JSON.stringify(added_messages));
    const bytes = this.#bytes + bytesOf([interaction, requests.map(ofRequest)].flat(2));
    await this.db.batch([[ADD_INTERACTION, [this.id, ...interaction, bytes]], ...asked]);
  }

  async commit(chat: ArchivedChat, key?: WrappedKey): Promise<boolean> {
    const { uid, tenant_id, id, owner, visibility, title } = chat;
    const { head_interaction_id, created_at, updated_at, preview } = chat;
    const { settings, messages = [], metadata, files = [] } = chat;
    const json = [settings, messages, metadata].map((each) => JSON.stringify(each));
    const named = [uid, tenant_id, id, owner, visibility, title];
    const wrapped = [key?.master_key_id, key?.wrapped];
    const texts = [...json, preview];
    const values = [...named, head_interaction_id, created_at, updated_at, ...texts, ...wrapped];
    const [made] = await this.db.longBatch([
      [COMMIT_INCOMING, [this.id, ...values]],
      [ADD_FILES, [uid, JSON.stringify(files)]],
      [MARK_BRANCH_OF, [head_interaction_id, updated_at]],
      ...this.#discarding(),
    ]);
    return made!.length > 0;
  }

  async discard(): Promise<void> {
    await this.db.batch(this.#discarding());
  }

  #discarding(): Step[] {
    return [
      [RELEASE_LOGS, [[...this.#ids]]],
      [DISCARD, [this.id]],
    ];
  }
}

/** Of the texts among the values. */
function bytesOf(values: readonly unknown[]): number {
  const texts = values.filter((value) => typeof value === 'string');
  return texts.reduce((total, text) => total + Buffer.byteLength(text), 0);
}

function toColumns(records: readonly LogRecord[]): unknown[] {
  return [
    records.map(({ seq }) => seq),
    records.map(({ epoch }) => epoch),
    records.map(({ agent_id }) => agent_id),
    records.map(({ key }) => key),
    records.map(({ body }) => body.type),
    records.map(({ at }) => at),
    JSON.stringify(records.map(({ body }) => body)),
    JSON.stringify(records.map(({ hidden }) => hidden)),
  ];
}

function ofInteraction(row: ArchivedInteraction, added_messages: string): unknown[] {
  const { id, chat_uid, chat_id, tenant_id, started_by, parent_id, status } = row;
  const { user_message, agent, agent_id, model } = row;
  const { usage, error, created_at, completed_at, superseded_at, last_seq, epoch } = row;
  return [
    ...[id, chat_uid, chat_id, tenant_id, started_by, parent_id, status],
    ...[user_message, agent, agent_id, model],
    ...[JSON.stringify(row.settings), usage.input_tokens, usage.output_tokens],
    ...[usage.cached_tokens, usage.cache_write_tokens, usage.reasoning_tokens, usage.cost_usd],
    ...[error && JSON.stringify(error), added_messages, created_at, completed_at],
    ...[superseded_at, last_seq, JSON.stringify(row.metadata), epoch, row.edited_from],
    row.begun ? null : 0,
  ];
}

function ofRequest(row: RequestRow): unknown[] {
  const { id, interaction_id, chat_uid, chat_id, tenant_id, key, kind } = row;
  const { status, agent_id, settlement } = row;
  return [
    ...[id, interaction_id, chat_uid, chat_id, tenant_id, key, kind],
    ...[status, agent_id, JSON.stringify(row.event)],
    ...[settlement && JSON.stringify(settlement), row.created_at, row.expires_at, row.settled_at],
  ];
}
