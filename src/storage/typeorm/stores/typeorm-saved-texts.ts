import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../kernel/app-error.js';
import type { Owner, SavedKind, SavedTexts, SealRow } from '../../saved-texts.js';
import type { Database, Row } from '../connection/database.js';
import { countOtherProcesses } from '../connection/other-processes.js';

const SLICE = 100;
/** Postgres takes a moment to notice that a killed process is gone. */
const EXIT_TIMEOUT_MS = 5000;
const POLL_MS = 200;

interface Table {
  /** The primary key. */
  readonly key: readonly string[];
  readonly text: readonly string[];
  readonly json: readonly string[];
  /** SQL for the uid of the chat of a row `t`; null: its tenant's. */
  readonly chat_uid: string;
}

const OF_INTERACTION = '(SELECT i.chat_uid FROM interactions i WHERE i.id = t.interaction_id)';

const TABLES: Readonly<Record<SavedKind, Table>> = {
  chats: {
    key: ['uid'],
    text: ['title', 'preview'],
    json: ['settings', 'metadata', 'messages'],
    chat_uid: 't.uid',
  },
  files: { key: ['id'], text: ['filename'], json: [], chat_uid: 't.chat_uid' },
  interactions: {
    key: ['id'],
    text: ['user_message', 'cancel_reason', 'idempotency_fingerprint'],
    json: ['settings', 'metadata', 'error', 'added_messages'],
    chat_uid: 't.chat_uid',
  },
  records: {
    key: ['interaction_id', 'seq'],
    text: [],
    json: ['body', 'hidden'],
    chat_uid: OF_INTERACTION,
  },
  requests: { key: ['id'], text: [], json: ['event', 'settlement'], chat_uid: 't.chat_uid' },
  interventions: {
    key: ['id'],
    text: ['user_comment', 'user_content'],
    json: [],
    chat_uid: OF_INTERACTION,
  },
  permission_rules: {
    key: ['id'],
    text: ['description'],
    json: ['matcher'],
    chat_uid: 't.chat_uid',
  },
  tasks: { key: ['id'], text: ['title', 'description'], json: [], chat_uid: 't.chat_uid' },
};

/** A row without a chat is its tenant's. */
const OF_TENANT: ReadonlySet<Table> = new Set([TABLES.permission_rules, TABLES.files]);

/** The columns of a row as text: JSON as it was written. */
type Columns = Readonly<Record<string, string | null>>;

/** The texts in a Postgres database, on a server or embedded. */
export class TypeOrmSavedTexts implements SavedTexts {
  constructor(private readonly db: Database) {}

  async sealAll(seal: SealRow): Promise<number> {
    let replaced = 0;
    for (const kind of Object.keys(TABLES) as SavedKind[])
      for (let after: Row | undefined; ;) {
        await this.requireAlone();
        const rows = await this.readSlice(TABLES[kind], after);
        const done = await Promise.all(rows.map((row) => this.sealRow(kind, row, seal)));
        replaced += done.filter(Boolean).length;
        after = rows.at(-1);
        if (rows.length < SLICE) break;
      }
    return replaced;
  }

  /** A process without the keys would give sealed texts to clients. */
  private async requireAlone(): Promise<void> {
    if (!this.db.limits) return;
    const deadline = performance.now() + EXIT_TIMEOUT_MS;
    for (; performance.now() < deadline; await delay(POLL_MS))
      if ((await countOtherProcesses(this.db)) === 0) return;
    const message =
      'A server uses this database. Stop all of them first: one that was started without ENCRYPTION_KEYS can’t read what is encrypted here. What is encrypted so far stays so; repeat the command.';
    throw new AppError('conflict', 'store_in_use', message);
  }

  private readSlice(table: Table, after: Row | undefined): Promise<Row[]> {
    const { key, text, json, chat_uid } = table;
    const columns = [...key.map((name) => `t.${name}`), ...text.map((name) => `t.${name}`)];
    const tenant = OF_TENANT.has(table) ? 't.tenant_id' : 'NULL';
    const texts = json.map((name) => `t.${name}::text AS ${name}`);
    const from = after && `WHERE (${list('t', key)}) > (${key.map((_, n) => `$${n + 1}`).join()})`;
    const of = `${chat_uid} AS owner_uid, ${tenant} AS owner_tenant`;
    const statement = `SELECT ${[...columns, ...texts, of].join()} FROM ${nameOf(table)} t
      ${from ?? ''} ORDER BY ${list('t', key)} LIMIT ${SLICE}`;
    return this.db.query({ text: statement }, after ? key.map((name) => after[name]) : []);
  }

  /** True if it was changed. */
  private async sealRow(kind: SavedKind, row: Row, seal: SealRow): Promise<boolean> {
    const table = TABLES[kind];
    const owner = ownerOf(row);
    const plain = parse(table, row as Columns);
    const sealed = owner && (await seal(kind, owner, plain as never));
    if (!sealed) return false;
    const [before, after] = [plain, sealed].map((each) => stringify(table, each)) as [Row, Row];
    const changed = [...table.text, ...table.json].filter((name) => after[name] !== before[name]);
    if (changed.length === 0) return false;
    const { key, json } = table;
    const set = changed.map(
      (name, n) => `${name} = $${n + 1}${json.includes(name) ? '::json' : ''}`,
    );
    const where = key.map((name, n) => `${name} = $${changed.length + n + 1}`);
    const values = [...changed.map((name) => after[name]), ...key.map((name) => row[name])];
    const text = `UPDATE ${nameOf(table)} SET ${set.join()} WHERE ${where.join(' AND ')}`;
    await this.db.query({ text }, values);
    return true;
  }
}

function ownerOf({ owner_uid, owner_tenant }: Row): Owner | undefined {
  if (typeof owner_uid === 'string') return { chat_uid: owner_uid };
  return typeof owner_tenant === 'string' ? { tenant_id: owner_tenant } : undefined;
}

function nameOf(table: Table): string {
  return Object.entries(TABLES).find(([, each]) => each === table)![0];
}

function list(of: string, names: readonly string[]): string {
  return names.map((name) => `${of}.${name}`).join();
}

function parse({ json }: Table, row: Columns): object {
  const parsed = json.map((name) => [name, row[name] == null ? null : JSON.parse(row[name])]);
  return { ...row, ...Object.fromEntries(parsed) };
}

function stringify({ json }: Table, saved: object): Row {
  const row = saved as Row;
  const texts = json.map((name) => [name, row[name] == null ? null : JSON.stringify(row[name])]);
  return { ...row, ...Object.fromEntries(texts) };
}
