import { INTERACTION_COLUMNS } from '../interactions/interaction-row.js';
import { REQUEST_COLUMNS } from './request-row.js';
import type { Statement } from '../connection/database.js';

export const SELECT_REQUESTS = `SELECT ${REQUEST_COLUMNS} FROM requests r`;

export const FIND: Statement = {
  name: 'requests.find',
  text: `${SELECT_REQUESTS} WHERE r.id = $1`,
};

export const LIST_EXPIRED: Statement = {
  text: `${SELECT_REQUESTS} WHERE r.status = 'pending' AND r.expires_at <= $1 ORDER BY r.expires_at, r.id LIMIT $2`,
};

/** First the interaction, then the request: an append that ends the interaction locks them in that order too. */
export const LOCK_INTERACTION_OF: Statement = {
  name: 'requests.lock_interaction_of',
  text: `SELECT id FROM interactions WHERE id = (SELECT interaction_id FROM requests WHERE id = $1) FOR NO KEY UPDATE`,
};

/** Under that lock: settles the request (I5), or tells why not. `$4` is now, `$5` whether its time is over. */
export const SETTLE: Statement = {
  name: 'requests.settle',
  text: `
    WITH verdict AS MATERIALIZED (
      SELECT r.id, CASE
          WHEN r.kind <> $2 THEN 'unknown'
          WHEN r.status <> 'pending' OR i.cancel_reason IS NOT NULL THEN 'settled_before'
          WHEN r.expires_at <= $4::timestamptz AND NOT $5::boolean THEN 'expired'
          ELSE 'settled'
        END AS outcome
      FROM requests r JOIN interactions i ON i.id = r.interaction_id WHERE r.id = $1
    ),
    settled AS (
      UPDATE requests r SET status = 'settled', settlement = $3::json, settled_at = $4::timestamptz
      FROM verdict v WHERE r.id = v.id AND v.outcome = 'settled' AND r.status = 'pending' RETURNING r.interaction_id
    ),
    signalled AS (
      UPDATE interactions i SET signals = i.signals + 1 FROM settled s WHERE i.id = s.interaction_id RETURNING ${INTERACTION_COLUMNS}
    )
    SELECT v.outcome, s.* FROM verdict v LEFT JOIN signalled s ON true`,
};
