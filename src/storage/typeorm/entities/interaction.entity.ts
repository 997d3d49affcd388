import { EntitySchema } from 'typeorm';
import type { EntitySchemaColumnOptions } from 'typeorm';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { Usage } from '../../../protocol/interaction.js';
import { BIGINT, ID, INTEGER, JSON_TEXT, nullable, TEXT, TIME, UID } from './columns.js';
import { OPTIONAL_BIGINT, OPTIONAL_DOUBLE } from './columns.js';

export interface InteractionColumns extends InteractionRow {
  /** Null once it has begun; an interaction that ended in the queue keeps its rank. */
  readonly queue_rank: number | null;
}

export const COLUMNS_OF_USAGE = {
  ...{ input_tokens: BIGINT, output_tokens: BIGINT },
  ...{ cached_tokens: OPTIONAL_BIGINT, cache_write_tokens: OPTIONAL_BIGINT },
  ...{ reasoning_tokens: OPTIONAL_BIGINT, cost_usd: OPTIONAL_DOUBLE },
} as const satisfies Record<keyof Usage, EntitySchemaColumnOptions>;

/** The columns of an `InteractionRow` beside those of its usage. */
export const COLUMNS_OF_INTERACTION = {
  id: { ...ID, primary: true },
  chat_uid: UID,
  chat_id: ID,
  tenant_id: ID,
  started_by: ID,
  parent_id: nullable(ID),
  status: TEXT,
  user_message: TEXT,
  agent: TEXT,
  model: TEXT,
  settings: JSON_TEXT,
  error: nullable(JSON_TEXT),
  created_at: TIME,
  completed_at: nullable(TIME),
  superseded_at: nullable(TIME),
  last_seq: INTEGER,
  metadata: JSON_TEXT,
  epoch: INTEGER,
  agent_id: ID,
  edited_from: nullable(ID),
  signals: INTEGER,
  cancel_reason: nullable(TEXT),
  cancelled_by: nullable(TEXT),
  waits_for: nullable(TEXT),
} as const satisfies Record<keyof Omit<InteractionRow, 'usage'>, EntitySchemaColumnOptions>;

const UsageColumns = new EntitySchema<Usage>({ name: 'usage', columns: COLUMNS_OF_USAGE });

/** Without the columns that only leases, losses and idempotency use. */
export const InteractionEntity = new EntitySchema<InteractionColumns>({
  name: 'interactions',
  embeddeds: { usage: { schema: UsageColumns, prefix: false } },
  columns: { ...COLUMNS_OF_INTERACTION, queue_rank: nullable(INTEGER) },
});
