import type { LogRecord, RecordContent, RecordOrigin } from '../../persistence/rows/log-record.js';
import type { RecordType } from '../../protocol/events.js';
import type { Database } from './database.js';
import type { Statement } from './statement.js';

const SELECT =
  'SELECT interaction_id, seq, epoch, agent_id, at, key, body, hidden FROM records WHERE';

const READ: Statement = {
  name: 'records.read',
  text: `${SELECT} interaction_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
};

const READ_TYPES: Statement = {
  text: `${SELECT} interaction_id = ANY ($1::text[]) AND type = ANY ($2::text[]) ORDER BY interaction_id, seq`,
};

type Columns = Omit<RecordOrigin, 'at'> & { readonly at: Date } & RecordContent;

export class RecordQueries {
  constructor(private readonly db: Database) {}

  async read(
    interactionId: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<LogRecord[]> {
    const rows = await this.db.query<Columns>(READ, [interactionId, after, limit]);
    return rows.map(toRecord);
  }

  async readOfTypes(
    interactionIds: readonly string[],
    types: readonly RecordType[],
  ): Promise<LogRecord[]> {
    const rows = await this.db.query<Columns>(READ_TYPES, [interactionIds, types]);
    return rows.map(toRecord);
  }
}

function toRecord({ at, ...rest }: Columns): LogRecord {
  return { ...rest, at: at.toISOString() };
}
