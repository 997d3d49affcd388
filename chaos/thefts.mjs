import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const POLL_MS = 20;

/**
 * Steals leases in the database of the servers, and finds out whether those who lost them have
 * written all the same (I6).
 */
export class Thefts {
  /**
   * `{ id, epoch, last_seq }`: an epoch that nobody ever ran, and where the log ended when it
   * began.
   */
  #stolen = [];
  #pool;

  constructor(url) {
    const options = '-c parley.tenant=*'; // row-level security shows every tenant
    this.#pool = new pg.Pool({ connectionString: url, options, max: 2 });
  }

  /** Everything that is held by anybody: answers `{ id, chat_id }` of each. */
  async steal() {
    const { rows } = await this.#pool.query(
      `WITH held AS MATERIALIZED (
         SELECT id FROM interactions WHERE owner IS NOT NULL AND completed_at IS NULL ORDER BY id FOR UPDATE
       )
       UPDATE interactions i SET owner = 'another', epoch = epoch + 1, lease_until = clock_timestamp() - interval '1 second'
       FROM held WHERE i.id = held.id RETURNING i.id, chat_id, epoch, last_seq`,
    );
    this.#stolen.push(...rows);
    this.last = rows;
    return rows;
  }

  /** Resolves when somebody has taken what was stolen last, or it takes too long. */
  async taken(limit_ms) {
    const deadline = performance.now() + limit_ms;
    const ids = this.last.map(({ id }) => id);
    while (performance.now() < deadline && ids.length > 0) {
      const { rowCount } = await this.#pool.query(
        `SELECT 1 FROM interactions WHERE id = ANY($1) AND owner <> 'another' LIMIT 1`,
        [ids],
      );
      if (rowCount > 0) return;
      await delay(POLL_MS);
    }
  }

  /** In a sentence each: what was written by runs whose epoch was over. */
  async findFaults() {
    const { rows } = await this.#pool.query(
      `SELECT id, min(seq) AS seq, min(epoch) AS epoch, count(*) AS count FROM (
         SELECT r.interaction_id AS id, r.seq, r.epoch FROM records r
         JOIN unnest($1::text[], $2::integer[], $3::integer[]) AS s (id, epoch, last_seq) ON s.id = r.interaction_id
         WHERE r.seq > s.last_seq AND r.epoch <= s.epoch
         UNION
         SELECT id, seq, epoch FROM (
           SELECT interaction_id AS id, seq, epoch, lag(epoch) OVER (PARTITION BY interaction_id ORDER BY seq) AS before FROM records
         ) AS r WHERE r.epoch < r.before
       ) AS r GROUP BY id`,
      ['id', 'epoch', 'last_seq'].map((name) => this.#stolen.map((row) => row[name])),
    );
    return rows.map(
      ({ id, seq, epoch, count }) =>
        `${id}: ${count} records, from ${seq} on, were written by runs that had lost their lease (${epoch})`,
    );
  }

  async close() {
    await this.#pool.end();
  }
}
