import { In } from 'typeorm';
import type { Repository } from 'typeorm';
import type { ApiKey } from '../../../auth/keys/key-store.js';
import { KeyStore } from '../../../auth/keys/key-store.js';
import type { Database, Statement } from '../connection/database.js';
import { asParameters, named } from '../named-statement.js';
import { KeyEntity } from '../entities/key.entity.js';

/** Additions to one tenant are serialized, so that the limit holds. */
const LOCK: Statement = {
  name: 'keys.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('api_keys/' || $1::text, 0))`,
};

const COLUMNS = 'id, tenant_id, user_id, scopes, secret_hash, created_at, expires_at, created_by';

const ADD = named({
  name: 'keys.add',
  parameters: `${COLUMNS}, limit`,
  text: `INSERT INTO api_keys (${COLUMNS}) SELECT ${asParameters(COLUMNS)}
    WHERE (SELECT count(*) FROM api_keys WHERE tenant_id = :tenant_id) < :limit
    ON CONFLICT (id) DO NOTHING RETURNING id`,
});

const REMOVE: Statement = {
  name: 'keys.remove',
  text: `DELETE FROM api_keys WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2)
    RETURNING tenant_id`,
};

/** API keys in Postgres, on a server or embedded. */
export class TypeOrmKeyStore extends KeyStore {
  constructor(private readonly db: Database) {
    super();
  }

  find(ids: readonly string[]): Promise<ApiKey[]> {
    return this.#keys((keys) => keys.findBy({ id: In([...ids]) }));
  }

  list({ tenant_id, limit, after }: Parameters<KeyStore['list']>[0]): Promise<ApiKey[]> {
    return this.#keys((keys) => {
      const query = keys.createQueryBuilder('k').where('k.tenant_id = :tenant_id', { tenant_id });
      if (after) query.andWhere('(k.created_at, k.id) > (:created_at, :id)', after);
      return query.orderBy('k.created_at').addOrderBy('k.id').limit(limit).getMany();
    });
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.#keys((keys) => keys.exists()));
  }

  async add(key: ApiKey, limit: number): Promise<boolean> {
    const [, added] = await this.db.batch([[LOCK, [key.tenant_id]], ADD({ ...key, limit })]);
    return (added?.length ?? 0) > 0;
  }

  async remove(id: string, tenant_id?: string): Promise<string | undefined> {
    const [removed] = await this.db.query<Pick<ApiKey, 'tenant_id'>>(REMOVE, [
      id,
      tenant_id ?? null,
    ]);
    return removed?.tenant_id;
  }

  #keys<T>(work: (keys: Repository<ApiKey>) => Promise<T>): Promise<T> {
    return this.db.entities((manager) => work(manager.getRepository(KeyEntity)));
  }
}
