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
import { asParameters, named } from '../named-statement.js';
import { FILE_COLUMNS } from '../stores/typeorm-file-catalog.js';
import { REQUEST_COLUMNS } from '../stores/typeorm-request-store.js';
import { chatValues, MARK_BRANCH_OF, NEW_CHAT } from '../interactions/chat-statements.js';

/** No upload takes longer: its process died. */
export const LONGEST_IMPORT = '1 day';

export const RECEIVE: Statement = { text: 'INSERT INTO incoming_chats (id) VALUES ($1)' };

/** Leaves the records of these interactions, unless they were kept, to the next removal. */
const RELEASE_LOGS: Statement = {
  text: 'UPDATE loose_logs SET remove_at = clock_timestamp() WHERE interaction_id = ANY ($1::text[])',
};

const DISCARD: Statement = { text: 'DELETE FROM incoming_chats WHERE id = $1' };

/** The records of the interaction `$1` until the import is complete. */
const HOLD_LOG: Statement = {
  text: `INSERT INTO loose_logs (interaction_id, remove_at) VALUES ($1, clock_timestamp() + interval '${LONGEST_IMPORT}')
    ON CONFLICT (interaction_id) DO NOTHING`,
};

/** Arrays with an item for each record. Bodies travel as one JSON array, as in appends. */
const ADD_RECORDS = named({
  parameters: 'interaction_id, seqs, epochs, agent_ids, keys, types, times, bodies, hidden',
  text: `INSERT INTO records (interaction_id, seq, epoch, agent_id, key, type, at, body, hidden)
    SELECT :interaction_id, r.* FROM ROWS FROM (unnest(:seqs::integer[]), unnest(:epochs::integer[]), unnest(:agent_ids::text[]), unnest(:keys::text[]),
      unnest(:types::text[]), unnest(:times::timestamptz[]), json_array_elements(:bodies::json), json_array_elements(:hidden::json)) AS r`,
});

/** The columns of an interaction beside `final_bytes`, which is the same as `bytes`. */
const INTERACTION_FIELDS =
  'id, chat_uid, chat_id, tenant_id, started_by, parent_id, status, user_message, agent, agent_id, model, settings, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_usd, error, added_messages, created_at, completed_at, superseded_at, last_seq, metadata, epoch, edited_from, queue_rank, bytes';

const ADD_INTERACTION = named({
  parameters: `incoming_id, ${INTERACTION_FIELDS}`,
  text: `INSERT INTO incoming_interactions (incoming_id, ${INTERACTION_FIELDS}, final_bytes)
    VALUES (:incoming_id, ${asParameters(INTERACTION_FIELDS)}, :bytes)`,
});

const ADD_REQUEST = named({
  parameters: `incoming_id, ${REQUEST_COLUMNS}`,
  text: `INSERT INTO incoming_requests (incoming_id, ${REQUEST_COLUMNS}) VALUES (:incoming_id, ${asParameters(REQUEST_COLUMNS)})`,
});

const CHAT_FIELDS = `${NEW_CHAT}, head_interaction_id, updated_at, preview` as const;

/** Creates the chat with what was received, unless its id is taken. */
const COMMIT_INCOMING = named({
  parameters: `incoming_id, ${CHAT_FIELDS}`,
  text: `
    WITH chat AS (
      INSERT INTO chats (${CHAT_FIELDS}) SELECT ${asParameters(CHAT_FIELDS)} FROM incoming_chats WHERE id = :incoming_id
      ON CONFLICT (tenant_id, id) DO NOTHING RETURNING uid
    ),
    entered AS (
      INSERT INTO interactions (${INTERACTION_FIELDS}, final_bytes)
      SELECT ${INTERACTION_FIELDS}, final_bytes FROM incoming_interactions WHERE incoming_id = :incoming_id AND EXISTS (SELECT FROM chat) ORDER BY id
    ),
    kept AS (
      DELETE FROM loose_logs l USING incoming_interactions i
      WHERE i.incoming_id = :incoming_id AND l.interaction_id = i.id AND EXISTS (SELECT FROM chat)
    ),
    asked AS (
      INSERT INTO requests (${REQUEST_COLUMNS})
      SELECT ${REQUEST_COLUMNS} FROM incoming_requests WHERE incoming_id = :incoming_id AND EXISTS (SELECT FROM chat)
    )
    SELECT uid FROM chat`,
});

/** Adds the files of the chat `$1`, if the chat was created. */
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
  /** Size in bytes of the records so far of the interaction that is being received. */
  #bytes = 0;

  constructor(
    private readonly db: Database,
    private readonly id: string,
  ) {}

  async append({ id }: ArchivedInteraction, records: readonly LogRecord[]): Promise<void> {
    if (!this.#ids.has(id)) this.#bytes = 0;
    this.#ids.add(id);
    const columns = toColumns(records);
    this.#bytes += bytesOf([columns.bodies, columns.hidden]);
    await this.db.batch([[HOLD_LOG, [id]], ADD_RECORDS({ interaction_id: id, ...columns })]);
  }

  async end(row: ArchivedInteraction, { requests, added_messages }: ArchivedEnd): Promise<void> {
    const asked = requests.map(ofRequest);
    const interaction = ofInteraction(row, JSON.stringify(added_messages));
    const bytes = this.#bytes + bytesOf([interaction, ...asked].flatMap(Object.values));
    await this.db.batch([
      ADD_INTERACTION({ incoming_id: this.id, ...interaction, bytes }),
      ...asked.map((request) => ADD_REQUEST({ incoming_id: this.id, ...request })),
    ]);
  }

  async commit(chat: ArchivedChat, key?: WrappedKey): Promise<boolean> {
    const { head_interaction_id, updated_at, preview, files = [] } = chat;
    const head = { head_interaction_id, updated_at, preview };
    const values = chatValues({ ...chat, ...(key && { data_key: key }) });
    const [made] = await this.db.longBatch([
      COMMIT_INCOMING({ incoming_id: this.id, ...values, ...head }),
      [ADD_FILES, [chat.uid, JSON.stringify(files)]],
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

/** Size in bytes of the texts among the values. */
function bytesOf(values: readonly unknown[]): number {
  const texts = values.filter((value) => typeof value === 'string');
  return texts.reduce((total, text) => total + Buffer.byteLength(text), 0);
}

function toColumns(records: readonly LogRecord[]) {
  return {
    seqs: records.map(({ seq }) => seq),
    epochs: records.map(({ epoch }) => epoch),
    agent_ids: records.map(({ agent_id }) => agent_id),
    keys: records.map(({ key }) => key),
    types: records.map(({ body }) => body.type),
    times: records.map(({ at }) => at),
    bodies: JSON.stringify(records.map(({ body }) => body)),
    hidden: JSON.stringify(records.map(({ hidden }) => hidden)),
  };
}

function ofInteraction(row: ArchivedInteraction, added_messages: string) {
  const { id, chat_uid, chat_id, tenant_id, started_by, parent_id, status } = row;
  const { user_message, agent, agent_id, model, usage, error } = row;
  const { created_at, completed_at, superseded_at, last_seq, epoch, edited_from } = row;
  return {
    ...{ id, chat_uid, chat_id, tenant_id, started_by, parent_id, status },
    ...{ user_message, agent, agent_id, model, added_messages },
    ...{ created_at, completed_at, superseded_at, last_seq, epoch, edited_from },
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cached_tokens: usage.cached_tokens,
    cache_write_tokens: usage.cache_write_tokens,
    reasoning_tokens: usage.reasoning_tokens,
    cost_usd: usage.cost_usd,
    settings: JSON.stringify(row.settings),
    metadata: JSON.stringify(row.metadata),
    error: error && JSON.stringify(error),
    queue_rank: row.begun ? null : 0,
  };
}

function ofRequest({ event, settlement, ...row }: RequestRow) {
  return {
    ...row,
    event: JSON.stringify(event),
    settlement: settlement && JSON.stringify(settlement),
  };
}
