import { RecordStore } from '../../../persistence/record.store.js';
import { AppError } from '../../../kernel/app-error.js';
import type { AppendBatch, AppendOutcome } from '../../../persistence/rows/store-rows.js';
import { AppendQueries } from './append-records.js';
import type {
  LogRecord,
  RecordContent,
  RecordOrigin,
} from '../../../persistence/rows/log-record.js';
import type { RecordType } from '../../../protocol/events.js';
import type { Database } from '../connection/database.js';
import type { Statement } from '../connection/database.js';

const SELECT =
  'SELECT interaction_id, seq, epoch, agent_id, at, key, body, hidden FROM records WHERE';

const READ: Statement = {
  name: 'records.read',
  text: `${SELECT} interaction_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
};

const READ_TYPES: Statement = {
  text: `${SELECT} interaction_id = ANY ($1::text[]) AND type = ANY ($2::text[]) ORDER BY interaction_id, seq`,
};

const LAST_SEQS: Statement = {
  text: 'SELECT id, last_seq FROM interactions WHERE id = ANY ($1::text[])',
};

const PING: Statement = {
  text: "SELECT current_setting('transaction_read_only') AS read_only",
};

type Columns = Omit<RecordOrigin, 'at'> & { readonly at: Date } & RecordContent;

export class TypeOrmRecordStore extends RecordStore {
  readonly #appends: AppendQueries;

  constructor(private readonly db: Database) {
    super();
    this.#appends = new AppendQueries(db);
  }

  append(batches: readonly AppendBatch[]): Promise<AppendOutcome[]> {
    return this.#appends.append(batches);
  }

  async readRecords(
    interactionId: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<LogRecord[]> {
    const rows = await this.db.query<Columns>(READ, [interactionId, after, limit]);
    return rows.map(toRecord);
  }

  async readRecordsOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    const rows = await this.db.query<Columns>(READ_TYPES, [interactionIds, types]);
    return rows.map(toRecord);
  }

  async readLastSeqs(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.db.query<{ id: string; last_seq: number }>(LAST_SEQS, [ids]);
    return new Map(rows.map(({ id, last_seq }) => [id, last_seq]));
  }

  async ping(): Promise<void> {
    const [answer] = await this.db.query<{ read_only: string }>(
      PING,
      [],
      this.db.limits?.connectMs,
    );
    if (answer?.read_only === 'on')
      throw new AppError('unavailable', 'store_unavailable', 'The database takes no writes.');
  }
}

function toRecord({ at, ...rest }: Columns): LogRecord {
  return { ...rest, at: at.toISOString() };
}
