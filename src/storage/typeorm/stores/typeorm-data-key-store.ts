import { DataKeyStore, SAMPLES_OF_KEY } from '../../../encryption/data-key-store.js';
import type { KeyOfChat, OwnedKey, WrappedKey } from '../../../encryption/data-key-store.js';
import type { Database, Statement } from '../connection/database.js';

const KEY = 'master_key_id, data_key AS wrapped';

const FIND_OF_CHATS: Statement = {
  name: 'data_keys.of_chats',
  text: `SELECT uid AS chat_uid, tenant_id, ${KEY} FROM chats WHERE uid = ANY ($1::uuid[])`,
};

const GIVE_TO_CHAT: Statement = {
  text: 'UPDATE chats SET master_key_id = $2, data_key = $3 WHERE uid = $1 AND data_key IS NULL',
};

const FIND_OF_TENANT: Statement = {
  name: 'data_keys.of_tenant',
  text: `SELECT ${KEY} FROM tenant_keys WHERE tenant_id = $1`,
};

const GIVE_TO_TENANT: Statement = {
  text: `INSERT INTO tenant_keys (tenant_id, master_key_id, data_key) VALUES ($1, $2, $3)
    ON CONFLICT (tenant_id) DO NOTHING`,
};

/** A few index entries for each master key, however many chats there are. */
const SAMPLES: Statement = {
  text: `
    WITH RECURSIVE used AS (
      SELECT min(master_key_id) AS id FROM chats WHERE master_key_id IS NOT NULL
      UNION ALL
      SELECT (SELECT min(master_key_id) FROM chats WHERE master_key_id > used.id) FROM used WHERE used.id IS NOT NULL
    )
    SELECT c.* FROM used CROSS JOIN LATERAL (
      SELECT uid AS chat_uid, tenant_id, ${KEY} FROM chats WHERE master_key_id = used.id LIMIT ${SAMPLES_OF_KEY}
    ) c
    UNION ALL
    SELECT NULL, tenant_id, ${KEY} FROM (
      SELECT *, row_number() OVER (PARTITION BY master_key_id) AS place FROM tenant_keys
    ) t WHERE place <= ${SAMPLES_OF_KEY}`,
};

const OTHERS: Statement = {
  text: `
    SELECT uid AS chat_uid, tenant_id, ${KEY} FROM chats WHERE master_key_id < $1
    UNION ALL SELECT uid, tenant_id, ${KEY} FROM chats WHERE master_key_id > $1
    UNION ALL SELECT NULL, tenant_id, ${KEY} FROM tenant_keys WHERE master_key_id <> $1
    LIMIT $2`,
};

const REPLACE_OF_CHAT: Statement = {
  text: `UPDATE chats SET master_key_id = $3, data_key = $4 WHERE uid = $1 AND data_key = $2 RETURNING uid`,
};

const REPLACE_OF_TENANT: Statement = {
  text: `UPDATE tenant_keys SET master_key_id = $3, data_key = $4 WHERE tenant_id = $1 AND data_key = $2
    RETURNING tenant_id`,
};

interface ColumnsOfChat {
  readonly chat_uid: string;
  readonly tenant_id: string;
  readonly master_key_id: string | null;
  readonly wrapped: string | null;
}

/** Data keys in Postgres, on a server or embedded. */
export class TypeOrmDataKeyStore extends DataKeyStore {
  constructor(private readonly db: Database) {
    super();
  }

  async findOfChats(chatUids: readonly string[]): Promise<KeyOfChat[]> {
    return (await this.db.query<ColumnsOfChat>(FIND_OF_CHATS, [chatUids])).map(toKeyOfChat);
  }

  async giveToChat(
    chatUid: string,
    { master_key_id, wrapped }: WrappedKey,
  ): Promise<WrappedKey | undefined> {
    const [, rows] = await this.db.batch<ColumnsOfChat>([
      [GIVE_TO_CHAT, [chatUid, master_key_id, wrapped]],
      [FIND_OF_CHATS, [[chatUid]]],
    ]);
    return rows!.map(toKeyOfChat)[0]?.key ?? undefined;
  }

  async findOfTenant(tenantId: string): Promise<WrappedKey | undefined> {
    const [found] = await this.db.query<WrappedKey>(FIND_OF_TENANT, [tenantId]);
    return found;
  }

  async giveToTenant(
    tenantId: string,
    { master_key_id, wrapped }: WrappedKey,
  ): Promise<WrappedKey> {
    const [, rows] = await this.db.batch<WrappedKey>([
      [GIVE_TO_TENANT, [tenantId, master_key_id, wrapped]],
      [FIND_OF_TENANT, [tenantId]],
    ]);
    return rows![0]!;
  }

  listSamples(): Promise<OwnedKey[]> {
    return this.db.query<OwnedKey>(SAMPLES, []);
  }

  listOthers(masterKeyId: string, limit: number): Promise<OwnedKey[]> {
    return this.db.query<OwnedKey>(OTHERS, [masterKeyId, limit]);
  }

  async replace(before: OwnedKey, after: WrappedKey): Promise<boolean> {
    const { chat_uid, tenant_id } = before;
    const values = [chat_uid ?? tenant_id, before.wrapped, after.master_key_id, after.wrapped];
    const statement = chat_uid === null ? REPLACE_OF_TENANT : REPLACE_OF_CHAT;
    return (await this.db.query(statement, values)).length > 0;
  }
}

function toKeyOfChat({ chat_uid, tenant_id, master_key_id, wrapped }: ColumnsOfChat): KeyOfChat {
  const isWhole = master_key_id !== null && wrapped !== null;
  return { chat_uid, tenant_id, key: isWhole ? { master_key_id, wrapped } : null };
}
