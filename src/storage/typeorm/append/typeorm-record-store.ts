import { outsideTenants } from '../../../kernel/tenant-scope.js';
import { EVENT_OVERHEAD, RecordStore } from '../../../persistence/record.store.js';
import type { EventLimits, EventPage, RecordPage } from '../../../persistence/record.store.js';
import { AppError } from '../../../kernel/app-error.js';
import type { AppendBatch, AppendOutcome } from '../../../persistence/rows/append-rows.js';
import type { AppendQueries } from './append-records.js';
import { requireBody } from '../../../persistence/rows/damaged-record.js';
import type {
  LogRecord,
  RecordContent,
  RecordOrigin,
} from '../../../persistence/rows/log-record.js';
import type { RecordType } from '../../../protocol/events.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';
import type { OtherProcesses } from '../connection/other-processes.js';

/** Records without an interaction are not there: their chat was deleted, or is being imported. */
const SELECT =
  'SELECT interaction_id, seq, epoch, agent_id, at, key, body, hidden FROM records WHERE';

const READ: Statement = {
  name: 'records.read',
  text: `${SELECT} interaction_id = (SELECT id FROM interactions WHERE id = $1) AND seq > $2
    AND ($4::text[] IS NULL OR type = ANY ($4::text[])) ORDER BY seq LIMIT $3`,
};

const EVENT_COLUMNS = 'r.interaction_id, r.seq, r.epoch, r.agent_id, r.at, r.key, r.body';

/**
 * The records of `page` up to `bytes`, at least one; `found` is the number of records in `page`.
 * Bodies beyond the limit are not read.
 */
function upTo(bytes: string, page: string): string {
  return `
    SELECT interaction_id, seq, epoch, agent_id, at, key, body, found, total FROM (
      SELECT ${EVENT_COLUMNS}, count(*) OVER () ::integer AS found, row_number() OVER (ORDER BY r.seq) AS number,
        sum(r.body_bytes + ${EVENT_OVERHEAD}) OVER (ORDER BY r.seq) ::integer AS total
      FROM (SELECT ${EVENT_COLUMNS}, r.body_bytes FROM records r WHERE ${page}) r
    ) r WHERE r.total <= ${bytes} OR r.number = 1`;
}

const READ_EVENTS: Statement = {
  name: 'records.read_events',
  text: `${upTo('$4', 'r.interaction_id = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3')} ORDER BY seq`,
};

const READ_EVENTS_OF_TYPES: Statement = {
  text: `SELECT e.* FROM unnest($1::text[]) AS wanted(id) CROSS JOIN LATERAL (
      ${upTo('$4', 'r.interaction_id = wanted.id AND r.type = ANY ($2::text[]) ORDER BY r.seq LIMIT $3')}
    ) e ORDER BY e.interaction_id, e.seq`,
};

/** From the interaction along its parents; the subquery in the lateral join is one index lookup. */
const FIND_RESULT: Statement = {
  name: 'records.find_result',
  text: `
    WITH RECURSIVE line AS (
      SELECT id, parent_id, 0 AS distance FROM interactions WHERE id = $1
      UNION ALL
      SELECT p.id, p.parent_id, l.distance + 1 FROM line l CROSS JOIN LATERAL (
        SELECT id, parent_id FROM interactions WHERE id = l.parent_id OFFSET 0
      ) p
    )
    SELECT r.interaction_id, r.seq, r.epoch, r.agent_id, r.at, r.key, r.body, r.hidden FROM line l CROSS JOIN LATERAL (
      SELECT * FROM records WHERE interaction_id = l.id AND call_id = $2 ORDER BY seq DESC LIMIT 1
    ) r ORDER BY l.distance LIMIT 1`,
};

const READ_TYPES: Statement = {
  text: `${SELECT} interaction_id IN (SELECT id FROM interactions WHERE id = ANY ($1::text[])) AND type = ANY ($2::text[]) ORDER BY interaction_id, seq`,
};

const LAST_SEQS: Statement = {
  text: 'SELECT id, last_seq FROM interactions WHERE id = ANY ($1::text[])',
};

type Columns = Omit<RecordOrigin, 'at'> & { readonly at: Date } & RecordContent;
type EventColumns = Omit<Columns, 'hidden'> & { readonly found: number; readonly total: number };

export class TypeOrmRecordStore extends RecordStore {
  constructor(
    private readonly db: Database,
    private readonly appends: AppendQueries,
    private readonly others?: OtherProcesses,
  ) {
    super();
  }

  append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    return this.appends.append(batches);
  }

  onPromoted(listener: (interactionId: string) => void): () => void {
    const subscription = this.appends.promoted.subscribe(listener);
    return () => subscription.unsubscribe();
  }

  async readRecords(
    interactionId: string,
    { after, limit, types }: RecordPage,
  ): Promise<LogRecord[]> {
    const values = [interactionId, after, limit, types ?? null];
    const rows = await this.db.query<Columns>(READ, values);
    return rows.map(toRecord);
  }

  async readEvents(
    interactionId: string,
    { after, limit, bytes }: { after: number } & EventLimits,
  ): Promise<EventPage> {
    const values = [interactionId, after, limit + 1, bytes];
    return toPage(await this.db.query<EventColumns>(READ_EVENTS, values), limit);
  }

  async readEventsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
    bytes: number,
  ): Promise<Map<string, EventPage>> {
    const limit = Math.ceil(bytes / EVENT_OVERHEAD) + 1;
    const values = [interactionIds, types, limit + 1, bytes];
    const rows = await this.db.query<EventColumns>(READ_EVENTS_OF_TYPES, values);
    const pages = interactionIds.map((id) => {
      const own = rows.filter(({ interaction_id }) => interaction_id === id);
      return [id, toPage(own, limit)] as const;
    });
    return new Map(pages.filter(([, { records }]) => records.length > 0));
  }

  async findToolResult(
    interactionId: string,
    callId: string,
  ): Promise<LogRecord<'TOOL_RESULT'> | undefined> {
    const [found] = await this.db.query<Columns>(FIND_RESULT, [interactionId, callId]);
    return found && (toRecord(found) as LogRecord<'TOOL_RESULT'>);
  }

  async readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    const rows = await this.db.query<Columns>(READ_TYPES, [interactionIds, types]);
    return rows.map(toRecord);
  }

  async readLastSeqs(ids: readonly string[]): Promise<Map<string, number>> {
    // of the readers of all tenants
    const rows = await outsideTenants(() =>
      this.db.query<{ id: string; last_seq: number }>(LAST_SEQS, [ids]),
    );
    return new Map(rows.map(({ id, last_seq }) => [id, last_seq]));
  }

  async ping(): Promise<void> {
    const { isReadOnly } = await this.db.runs.ping();
    if (isReadOnly)
      throw new AppError('unavailable', 'store_unavailable', 'The database takes no writes.');
    await this.others?.check();
  }
}

/** @param rows up to `limit` + 1; the extra one means that there are more */
function toPage(rows: readonly EventColumns[], limit: number): EventPage {
  const shown = rows.slice(0, limit);
  const records = shown.map(({ found: _, total: _total, ...columns }) =>
    toRecord({ ...columns, hidden: null }),
  );
  const bytes = shown.at(-1)?.total ?? 0;
  return { records, bytes, has_more: (rows[0]?.found ?? 0) > records.length };
}

function toRecord({ at, ...rest }: Columns): LogRecord {
  return requireBody({ ...rest, at: at.toISOString() });
}
