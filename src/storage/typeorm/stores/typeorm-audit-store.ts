import type { Repository } from 'typeorm';
import type { AuditEntry } from '../../../audit/audit-entry.js';
import { AuditStore } from '../../../audit/audit-store.js';
import type { AuditPage } from '../../../audit/audit-store.js';
import type { StartInteraction } from '../../../persistence/rows/start-rows.js';
import type { Database, Statement, Step } from '../connection/database.js';
import { AuditEntity } from '../entities/audit.entity.js';
import type { AuditRow } from '../entities/audit.entity.js';

const INSERT =
  'INSERT INTO audit (id, at, tenant_id, user_id, action, chat_id, interaction_id, detail)';
const ADD: Statement = { text: `${INSERT} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)` };
/** The chat has a uid of its own only if the start of the interaction created it. */
const ADD_WITH_CHAT: Statement = {
  name: 'audit.add-with-chat',
  text: `${INSERT} SELECT $1, $2::timestamptz, $3, $4, $5, $6, $7, $8::json
    WHERE EXISTS (SELECT FROM interactions WHERE id = $9 AND chat_uid = $10::uuid)`,
};

/** The last step of a start: adds its entry if it created the chat. */
export function addWithChat(
  entry: AuditEntry,
  { interaction, chat }: Pick<StartInteraction, 'interaction' | 'chat'>,
): Step {
  return [ADD_WITH_CHAT, [...toParameters(entry), interaction.id, chat.uid]];
}

/** The audit trails in Postgres, on a server or embedded. Newest is by time, then by id. */
export class TypeOrmAuditStore extends AuditStore {
  constructor(private readonly db: Database) {
    super();
  }

  async add(entry: AuditEntry): Promise<void> {
    await this.db.query(ADD, toParameters(entry));
  }

  async list({ tenant_id, limit, before }: AuditPage): Promise<AuditEntry[]> {
    const found = await this.#rows((rows) => {
      const query = rows.createQueryBuilder('a').where('a.tenant_id = :tenant_id', { tenant_id });
      if (before) query.andWhere('(a.at, a.id) < (:at, :id)', before);
      return query.orderBy('a.at', 'DESC').addOrderBy('a.id', 'DESC').limit(limit).getMany();
    });
    return found.map(toEntry);
  }

  #rows<T>(work: (rows: Repository<AuditRow>) => Promise<T>): Promise<T> {
    return this.db.entities((manager) => work(manager.getRepository(AuditEntity)));
  }
}

function toParameters(entry: AuditEntry): unknown[] {
  const { id, at, tenant_id, user_id, action, chat_id, interaction_id, detail } = entry;
  const of = [tenant_id, user_id, action, chat_id, interaction_id];
  return [id, at, ...of, JSON.stringify(detail)];
}

function toEntry({ chat_id, interaction_id, ...row }: AuditRow): AuditEntry {
  return {
    ...row,
    ...(chat_id !== null && { chat_id }),
    ...(interaction_id !== null && { interaction_id }),
  };
}
