import type { Statement } from '../connection/database.js';

/** No upload takes that long: whoever began it is gone. */
export const SWEEP_INCOMING: Statement = {
  text: "DELETE FROM incoming_chats WHERE begun_at < now() - interval '1 day'",
};

export const RECEIVE: Statement = { text: 'INSERT INTO incoming_chats (id) VALUES ($1)' };

export const DISCARD: Statement = { text: 'DELETE FROM incoming_chats WHERE id = $1' };

const RECORD_COLUMNS = 'interaction_id, seq, epoch, agent_id, key, type, at, body, hidden';

/** `$1` is what is being received, `$2` the interaction. Bodies travel as one JSON array, for the reasons that appends have. */
export const ADD_RECORDS: Statement = {
  text: `INSERT INTO incoming_records (incoming_id, ${RECORD_COLUMNS})
    SELECT $1, $2, r.* FROM ROWS FROM (unnest($3::integer[]), unnest($4::integer[]), unnest($5::text[]), unnest($6::text[]),
      unnest($7::text[]), unnest($8::timestamptz[]), json_array_elements($9::json), json_array_elements($10::json)) AS r`,
};

const INTERACTION_FIELDS = `id, chat_id, parent_id, status, user_message, agent, agent_id, model, settings, input_tokens, output_tokens, error,
  added_messages, created_at, completed_at, superseded_at, last_seq, metadata, epoch, edited_from, queue_rank`;

export const ADD_INTERACTION: Statement = {
  text: `INSERT INTO incoming_interactions (incoming_id, ${INTERACTION_FIELDS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
};

const REQUEST_FIELDS =
  'id, interaction_id, chat_id, key, kind, status, agent_id, event, settlement, created_at, expires_at, settled_at';

export const ADD_REQUEST: Statement = {
  text: `INSERT INTO incoming_requests (incoming_id, ${REQUEST_FIELDS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
};

/** Makes the chat (`$2`…`$8`) with all that was received as `$1`, unless its id is taken: then nothing. */
export const COMMIT_INCOMING: Statement = {
  text: `
    WITH chat AS (
      INSERT INTO chats (id, title, agent, head_interaction_id, created_at, updated_at, metadata)
      SELECT $2, $3, $4, $5, $6::timestamptz, $7::timestamptz, $8::json FROM incoming_chats WHERE id = $1
      ON CONFLICT (id) DO NOTHING RETURNING id
    ),
    entered AS (
      INSERT INTO interactions (${INTERACTION_FIELDS})
      SELECT ${INTERACTION_FIELDS} FROM incoming_interactions WHERE incoming_id = $1 AND EXISTS (SELECT FROM chat)
    ),
    recorded AS (
      INSERT INTO records (${RECORD_COLUMNS})
      SELECT ${RECORD_COLUMNS} FROM incoming_records WHERE incoming_id = $1 AND EXISTS (SELECT FROM chat)
    ),
    asked AS (
      INSERT INTO requests (${REQUEST_FIELDS})
      SELECT ${REQUEST_FIELDS} FROM incoming_requests WHERE incoming_id = $1 AND EXISTS (SELECT FROM chat)
    )
    SELECT id FROM chat`,
};
