import { UsageStore } from '../../../quotas/usage-store.js';
import type { UsedBytes } from '../../../quotas/usage-store.js';
import type { Database, Statement } from '../connection/database.js';

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
}
