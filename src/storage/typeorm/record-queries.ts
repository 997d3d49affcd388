import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordBody, RecordType } from '../../protocol/events.js';
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

interface Columns extends Omit<LogRecord, 'at'> {
  readonly at: Date;
  readonly body: RecordBody;
}

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

function toRecord({ interaction_id, seq, epoch, agent_id, at, key, body, hidden }: Columns) {
  return { interaction_id, seq, epoch, agent_id, at: at.toISOString(), key, body, hidden };
}
