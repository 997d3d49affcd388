import type { Repository } from 'typeorm';
import type { AuditEntry } from '../../../audit/audit-entry.js';
import { AuditStore } from '../../../audit/audit-store.js';
import type { AuditPage } from '../../../audit/audit-store.js';
import type { Database } from '../connection/database.js';
import { AuditEntity } from '../entities/audit.entity.js';
import type { AuditRow } from '../entities/audit.entity.js';

/** The audit trails in Postgres, on a server or embedded. Newest is by time, then by id. */
export class TypeOrmAuditStore extends AuditStore {
  constructor(private readonly db: Database) {
    super();
  }

  async add(entry: AuditEntry): Promise<void> {
    await this.#rows((rows) => rows.insert(entry));
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

function toEntry({ chat_id, interaction_id, ...row }: AuditRow): AuditEntry {
  return {
    ...row,
    ...(chat_id !== null && { chat_id }),
    ...(interaction_id !== null && { interaction_id }),
  };
}
