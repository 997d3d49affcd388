import { addTokens } from '../../../protocol/interaction.js';
import type { Usage } from '../../../protocol/interaction.js';
import { UsageStore } from '../../../quotas/usage-store.js';
import type { UsageKey, UsageQuery, UsageSum, UsedBytes } from '../../../quotas/usage-store.js';
import type { Database, Row, Statement } from '../connection/database.js';
import { STARTED_ON, toUsage, USED_BY_MODEL } from '../interactions/interaction-row.js';
import type { ColumnsOfUsage } from '../interactions/interaction-row.js';

const COUNT_TOKENS: Statement = {
  text: `
    SELECT coalesce(sum(tokens), 0)::float8 AS total FROM (
      SELECT input_tokens + output_tokens AS tokens FROM interactions WHERE tenant_id = $1 AND started_at >= $2::timestamptz
      UNION ALL
      SELECT tokens FROM deleted_usage WHERE tenant_id = $1 AND started_at >= $2::timestamptz
    ) used`,
};

const COUNT_BYTES: Statement = {
  text: `
    SELECT coalesce(sum(bytes), 0)::float8 AS total, coalesce(sum(bytes) FILTER (WHERE is_file), 0)::float8 AS files FROM (
      SELECT final_bytes AS bytes, false AS is_file FROM interactions WHERE tenant_id = $1
      UNION ALL
      SELECT octet_length(messages::text) + octet_length(settings::text) + octet_length(metadata::text), false FROM chats WHERE tenant_id = $1
      UNION ALL
      SELECT size_bytes, true FROM files WHERE tenant_id = $1
    ) used`,
};

/** The columns of usage, summed. */
const SUMS = `coalesce(sum(input_tokens), 0)::float8 AS input_tokens, coalesce(sum(output_tokens), 0)::float8 AS output_tokens,
  sum(cached_tokens)::float8 AS cached_tokens, sum(cache_write_tokens)::float8 AS cache_write_tokens, sum(reasoning_tokens)::float8 AS reasoning_tokens, sum(cost_usd) AS cost_usd`;

const SUM_OF_CHAT: Statement = {
  name: 'usage.sum_of_chat',
  text: `SELECT ${SUMS} FROM interactions WHERE chat_uid = $1`,
};

const OF_KEYS = { day: 'day::text', model: 'model', user: 'user_id' } as const;
const COUNTS =
  'input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_usd';
/** Rows that were saved before turns were counted by model have no numbers of their own. */
const OF_DELETED = `coalesce(model_interactions, interactions) AS model_interactions, ${COUNTS},
        coalesce(unpriced_tokens, CASE WHEN cost_usd IS NULL THEN input_tokens + output_tokens ELSE 0 END) AS unpriced_tokens`;

/**
 * Sums of the tenant `$1`, or of each if it is null, on the days `$2`…`$3`, at most `$4` of them.
 * Tenants are found one by one, so that only the index range of these days is read of each.
 */
function sumsBy(key: UsageKey): Statement {
  const interactions = key === 'model' ? 'model_interactions' : 'interactions';
  const lastDay = key === 'day' ? 'key DESC, ' : '';
  return {
    text: `
    WITH RECURSIVE tenants (id) AS (
      SELECT coalesce($1::text, (SELECT min(tenant_id) FROM interactions))
      UNION ALL
      SELECT (SELECT min(tenant_id) FROM interactions WHERE tenant_id > t.id) FROM tenants t WHERE t.id IS NOT NULL AND $1::text IS NULL
    ),
    used AS (
      SELECT i.* FROM tenants t CROSS JOIN LATERAL (
        SELECT i.tenant_id, ${STARTED_ON} AS day, i.started_by AS user_id, m.*
        FROM interactions i CROSS JOIN ${USED_BY_MODEL} WHERE i.tenant_id = t.id AND i.started_at >= $2::date::timestamp AT TIME ZONE 'UTC'
        AND i.started_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC'
      ) i
      UNION ALL
      SELECT tenant_id, day, user_id, model, interactions, ${OF_DELETED} FROM deleted_usage_days
      WHERE day BETWEEN $2::date AND $3::date AND ($1::text IS NULL OR tenant_id = $1)
    )
    SELECT tenant_id, ${OF_KEYS[key]} AS key, sum(${interactions})::float8 AS interactions, ${SUMS},
      sum(unpriced_tokens)::float8 AS unpriced_tokens FROM used GROUP BY 1, 2
    ORDER BY ${lastDay}cost_usd DESC NULLS LAST, sum(input_tokens) + sum(output_tokens) DESC, 1, 2 LIMIT $4`,
  };
}

const SUMS_BY = { day: sumsBy('day'), model: sumsBy('model'), user: sumsBy('user') };

export class TypeOrmUsageStore extends UsageStore {
  constructor(private readonly db: Database) {
    super();
  }

  async countTokens(tenantId: string, since: string): Promise<number> {
    const [row] = await this.db.query<{ total: number }>(COUNT_TOKENS, [tenantId, since]);
    return row!.total;
  }

  async countBytes(tenantId: string): Promise<UsedBytes> {
    const [row] = await this.db.query<UsedBytes>(COUNT_BYTES, [tenantId]);
    return row!;
  }

  async sumOfChat(chatUid: string): Promise<Usage> {
    const [row] = await this.db.query<ColumnsOfUsage & Row>(SUM_OF_CHAT, [chatUid]);
    return toUsage(row!);
  }

  async sumUsage({ tenant_id, by, since, until, limit }: UsageQuery): Promise<UsageSum[]> {
    const values = [tenant_id, since, until, limit];
    const rows = await this.db.query<Omit<UsageSum, 'usage'> & ColumnsOfUsage & Row>(
      SUMS_BY[by],
      values,
    );
    return rows.map(({ tenant_id: tenant, key, interactions, unpriced_tokens, ...columns }) => {
      const sums = { usage: toUsage(columns), unpriced_tokens: addTokens(unpriced_tokens) };
      return { tenant_id: tenant, key, interactions, ...sums };
    });
  }
}
