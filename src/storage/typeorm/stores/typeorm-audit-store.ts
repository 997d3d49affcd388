import type { Repository } from 'typeorm';
import type { AuditEntry } from '../../../audit/audit-entry.js';
import { AuditStore } from '../../../audit/audit-store.js';
import type { AuditPage } from '../../../audit/audit-store.js';
import type { StartInteraction } from '../../../persistence/rows/start-rows.js';
import type { Database, Step } from '../connection/database.js';
import { asParameters, named } from '../named-statement.js';
import { AuditEntity } from '../entities/audit.entity.js';
import type { AuditRow } from '../entities/audit.entity.js';

const COLUMNS = 'id, at, tenant_id, user_id, action, chat_id, interaction_id, detail';
const INSERT = `INSERT INTO audit (${COLUMNS}) SELECT ${asParameters(COLUMNS)}`;
const ADD = named({ parameters: COLUMNS, text: INSERT });
/** The chat has a uid of its own only if the start of the interaction created it. */
const ADD_WITH_CHAT = named({
  name: 'audit.add-with-chat',
  parameters: `${COLUMNS}, started_id, chat_uid`,
  text: `${INSERT} WHERE EXISTS (SELECT FROM interactions WHERE id = :started_id AND chat_uid = :chat_uid::uuid)`,
});

/** The last step of a start: adds its entry if it created the chat. */
export function addWithChat(
  entry: AuditEntry,
  { interaction, chat }: Pick<StartInteraction, 'interaction' | 'chat'>,
): Step {
  return ADD_WITH_CHAT({ ...toValues(entry), started_id: interaction.id, chat_uid: chat.uid });
}

/** The audit trails in Postgres, on a server or embedded. Newest is by time, then by id. */
export class TypeOrmAuditStore extends AuditStore {
  constructor(private readonly db: Database) {
    super();
  }

  async add(entry: AuditEntry): Promise<void> {
    await this.db.query(...ADD(toValues(entry)));
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

function toValues({ chat_id, interaction_id, ...entry }: AuditEntry) {
  return { ...entry, chat_id, interaction_id, detail: JSON.stringify(entry.detail) };
}

function toEntry({ chat_id, interaction_id, ...row }: AuditRow): AuditEntry {
  return {
    ...row,
    ...(chat_id !== null && { chat_id }),
    ...(interaction_id !== null && { interaction_id }),
  };
}
