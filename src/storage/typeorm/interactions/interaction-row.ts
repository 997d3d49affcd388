import type { Database, Row, Statement } from '../connection/database.js';
import { named } from '../named-statement.js';
import { COLUMNS_OF_INTERACTION, COLUMNS_OF_USAGE } from '../entities/interaction.entity.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { addTokens, toDollars } from '../../../protocol/interaction.js';
import type { Usage } from '../../../protocol/interaction.js';
import type { AnyViewer } from '../../../persistence/viewer.js';
import { inSeenChat, viewerValues, VIEWER } from '../viewer-sql.js';

const NAMES = Object.keys(COLUMNS_OF_INTERACTION) as (keyof typeof COLUMNS_OF_INTERACTION)[];

/** The driver gives a bigint as text, and a double as the number that it is. */
const USAGE = Object.keys(COLUMNS_OF_USAGE).map((name) => `i.${name}::double precision`);

/** The columns of `ColumnsOfInteraction`, of the table `i`. */
export const INTERACTION_COLUMNS = [...NAMES.map((name) => `i.${name}`), ...USAGE].join(', ');

/** The columns of a usage; null: no turn has this number. */
export interface ColumnsOfUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly cost_usd: number | null;
}

type Times = 'created_at' | 'completed_at' | 'superseded_at';

/** An interaction as the driver reads it. */
export interface ColumnsOfInteraction
  extends ColumnsOfUsage, Omit<InteractionRow, Times | 'usage'> {
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly superseded_at: Date | null;
}

/** Without the further columns of a statement. */
export function toInteractionRow(columns: ColumnsOfInteraction): InteractionRow {
  const row: Row = { usage: toUsage(columns) };
  for (const name of NAMES) row[name] = toPlain(columns[name]);
  return row as unknown as InteractionRow;
}

function toPlain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** Usage of an interaction, or of several: these sums are as exact as those of `addUsage`. */
export function toUsage(columns: ColumnsOfUsage): Usage {
  const { input_tokens, output_tokens, cached_tokens, cache_write_tokens } = columns;
  const { reasoning_tokens, cost_usd } = columns;
  return {
    ...{ input_tokens: addTokens(input_tokens), output_tokens: addTokens(output_tokens) },
    ...(cached_tokens !== null && { cached_tokens: addTokens(cached_tokens) }),
    ...(cache_write_tokens !== null && { cache_write_tokens: addTokens(cache_write_tokens) }),
    ...(reasoning_tokens !== null && { reasoning_tokens: addTokens(reasoning_tokens) }),
    ...(cost_usd !== null && { cost_usd: toDollars(cost_usd) }),
  };
}

/**
 * Written as a literal, because a partial index is used only if its predicate occurs in the query.
 */
export const IS_ACTIVE = "status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT')";

/** True while it waits for its chat; for a table `i`: `i.${IS_QUEUED}`. */
export const IS_QUEUED = "status = 'QUEUED'";

/** An interaction that ended in the queue keeps its rank. */
export const HAS_BEGUN = 'queue_rank IS NULL';

/**
 * True if the interaction of the table `i` may have a run: it is active, or queued and to be
 * cancelled.
 */
export const MAY_RUN = `(i.${IS_ACTIVE} OR i.${IS_QUEUED} AND i.cancel_reason IS NOT NULL)`;

const TURN_COLUMNS =
  'model text, input_tokens bigint, output_tokens bigint, cached_tokens bigint, cache_write_tokens bigint, reasoning_tokens bigint, cost_usd float8, unpriced_tokens bigint';

/**
 * The usage of an interaction `i` by the models of its turns: rows `m`, of which the first counts
 * it.
 */
export const USED_BY_MODEL = `
  LATERAL (
    SELECT i.model, 1 AS interactions, 1 AS model_interactions, i.input_tokens, i.output_tokens, i.cached_tokens, i.cache_write_tokens, i.reasoning_tokens,
      i.cost_usd, CASE WHEN i.cost_usd IS NULL THEN i.input_tokens + i.output_tokens ELSE 0 END AS unpriced_tokens
    WHERE i.usage_by_model IS NULL
    UNION ALL
    SELECT u.model, CASE WHEN u.place = 1 THEN 1 ELSE 0 END, 1, u.input_tokens, u.output_tokens, u.cached_tokens, u.cache_write_tokens, u.reasoning_tokens,
      u.cost_usd, u.unpriced_tokens
    FROM ROWS FROM (json_to_recordset(i.usage_by_model) AS (${TURN_COLUMNS})) WITH ORDINALITY
      AS u (model, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced_tokens, place)
  ) m`;

/** The day in UTC. */
export const STARTED_ON = "(i.started_at AT TIME ZONE 'UTC')::date";

export const SELECT_INTERACTIONS = `SELECT ${INTERACTION_COLUMNS} FROM interactions i`;

export const FIND_INTERACTION: Statement = {
  name: 'interactions.find',
  text: `${SELECT_INTERACTIONS} WHERE i.id = $1`,
};

/** By name, since requests do this all the time: a finder of TypeORM takes twice as long. */
const FIND_SEEN = named({
  name: 'interactions.find_seen',
  parameters: `id, ${VIEWER}`,
  text: `${SELECT_INTERACTIONS} WHERE i.id = :id AND ${inSeenChat('i')}`,
});

export async function findInteraction(
  db: Database,
  id: string,
  viewer: AnyViewer,
): Promise<InteractionRow | undefined> {
  const find = FIND_SEEN({ id, ...viewerValues(viewer) });
  const [found] = await db.query<ColumnsOfInteraction>(...find);
  return found && toInteractionRow(found);
}

/** Assignments to `interactions i` that request a cancel, unless one was requested before. */
export const CANCELLED = `cancel_reason = coalesce(i.cancel_reason, :cancel_reason), signals = i.signals + 1,
      cancelled_by = CASE WHEN i.cancel_reason IS NULL THEN :user_id::text ELSE i.cancelled_by END`;
