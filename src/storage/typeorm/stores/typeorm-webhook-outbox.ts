import type { ClaimedWebhook } from '../../../persistence/rows/webhook-rows.js';
import { WebhookOutbox } from '../../../webhooks/webhook-outbox.js';
import type { WebhookClaim, WebhookCounts } from '../../../webhooks/webhook-outbox.js';
import type { Database, Statement } from '../connection/database.js';

/** Skips what another process is claiming, so that none waits for the other. */
const CLAIM: Statement = {
  text: `
    WITH due AS MATERIALIZED (
      SELECT id, next_attempt_at FROM webhooks WHERE failed_at IS NULL AND next_attempt_at <= $1::timestamptz
      ORDER BY next_attempt_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
    ),
    claimed AS (
      UPDATE webhooks w SET attempts = w.attempts + 1, next_attempt_at = $2::timestamptz FROM due WHERE w.id = due.id
      RETURNING w.id, w.type, w.interaction_id, w.created_at, w.attempts, due.next_attempt_at AS due_at
    )
    SELECT id, type, interaction_id, created_at, attempts FROM claimed ORDER BY due_at, id`,
};

const REMOVE: Statement = { text: 'DELETE FROM webhooks WHERE id = $1' };

const POSTPONE: Statement = {
  text: 'UPDATE webhooks SET next_attempt_at = $3::timestamptz WHERE id = $1 AND attempts = $2 AND failed_at IS NULL',
};

const GIVE_UP: Statement = {
  text: 'UPDATE webhooks SET failed_at = $3::timestamptz WHERE id = $1 AND attempts = $2 AND failed_at IS NULL RETURNING id',
};

const REMOVE_FAILED: Statement = { text: 'DELETE FROM webhooks WHERE failed_at < $1::timestamptz' };

const REMOVE_OLDEST: Statement = {
  text: `DELETE FROM webhooks WHERE id IN (
      SELECT id FROM webhooks ORDER BY created_at DESC, id DESC OFFSET $1
    ) RETURNING id`,
};

const COUNT: Statement = {
  text: `SELECT count(*) FILTER (WHERE failed_at IS NULL)::integer AS waiting,
      count(*) FILTER (WHERE failed_at IS NOT NULL)::integer AS failed FROM webhooks`,
};

type Columns = Omit<ClaimedWebhook, 'created_at'> & { readonly created_at: Date };

export class TypeOrmWebhookOutbox extends WebhookOutbox {
  constructor(private readonly db: Database) {
    super();
  }

  async claim({ at, until, limit }: WebhookClaim): Promise<ClaimedWebhook[]> {
    const rows = await this.db.query<Columns>(CLAIM, [at, until, limit]);
    return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
  }

  async remove(id: string): Promise<void> {
    await this.db.query(REMOVE, [id]);
  }

  async postpone({ id, attempts }: ClaimedWebhook, next: string): Promise<void> {
    await this.db.query(POSTPONE, [id, attempts, next]);
  }

  async giveUp({ id, attempts }: ClaimedWebhook, at: string): Promise<boolean> {
    return (await this.db.query(GIVE_UP, [id, attempts, at])).length > 0;
  }

  async trim({ failed_before, max }: { failed_before: string; max: number }): Promise<number> {
    await this.db.query(REMOVE_FAILED, [failed_before]);
    return (await this.db.query(REMOVE_OLDEST, [max])).length;
  }

  async count(): Promise<WebhookCounts> {
    const [counts] = await this.db.query<WebhookCounts>(COUNT, []);
    return counts!;
  }
}

/**
 * Makes every entry due. For a process that has just opened a database that no other process can
 * use: the owners of claims are dead.
 */
export async function releaseWebhooks(database: Database): Promise<void> {
  const text = 'UPDATE webhooks SET next_attempt_at = created_at WHERE failed_at IS NULL';
  await database.query({ text }, []);
}
