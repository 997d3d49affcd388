import { uidOf } from '../support/store/chat-parts.js';
import pg from 'pg';
import { TypeOrmChatArchive } from '../../src/storage/typeorm/archive/typeorm-chat-archive.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import {
  ended,
  endBatch,
  HELD,
  newBatch,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import { findPostgresFault, openTestPglite, openTestPostgres } from '../support/store/databases.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { allTenants } from '../support/store/all-tenants.js';

const fault = await findPostgresFault();
const BATCH = 2000;
const RECORDS = 20_000;
/** Records that are removed at a time. */
const SLICE = 500;

/** A chat with this number of records. */
async function fill(store: WholeStore, records: number): Promise<{ chat_id: string; id: string }> {
  const { id, chat_id } = await started(store, { lease: HELD });
  let last = 1;
  for (; last < records - 1; last += BATCH)
    await store.append([newBatch(id, [last + 1, Math.min(last + BATCH, records - 1)])]);
  await store.append([endBatch(id, records)]);
  return { id, chat_id };
}

async function count(database: Database, table: string): Promise<number> {
  const text = `SELECT count(*)::integer AS n FROM ${table}`;
  return (await database.query<{ n: number }>({ text }, []))[0]!.n;
}

const NEVER = new AbortController().signal;

describe('What a deleted chat leaves in the embedded database', () => {
  let opened: Awaited<ReturnType<typeof openTestPglite>>;
  let store: WholeStore;
  beforeAll(async () => {
    opened = await openTestPglite();
    store = typeOrmStore(opened.database);
  });
  afterAll(() => opened.close());

  it('is removed in slices: others have their answers in between', async () => {
    const { chat_id } = await fill(store, RECORDS);
    expect(await store.deleteChat(uidOf(chat_id))).toBe('deleted');
    let isRemoved = false;
    const removing = store.removeLeftovers(NEVER).then(() => (isRemoved = true));
    const left = [RECORDS];
    while (!isRemoved) left.push(await count(opened.database, 'records'));
    await removing;
    const slices = left.slice(1).map((rest, at) => left[at]! - rest);
    expect(Math.max(...slices)).toBeLessThanOrEqual(2 * SLICE);
    expect(await count(opened.database, 'records')).toBe(0);
    expect(await count(opened.database, 'loose_logs')).toBe(0);
  });

  it('is removed to the end by the next one, if the first was stopped', async () => {
    const { chat_id } = await fill(store, RECORDS);
    const kept = await ended(store, 'kept');
    await store.deleteChat(uidOf(chat_id));
    const stopping = new AbortController();
    const removing = store.removeLeftovers(stopping.signal);
    for (let answers = 0; answers < 5; answers++) await store.findChat(chat_id);
    stopping.abort();
    await removing;
    const rest = await count(opened.database, 'records');
    expect(rest).toBeGreaterThan(2);
    expect(rest).toBeLessThan(RECORDS);
    store = typeOrmStore(await opened.reopen());
    await store.removeLeftovers(NEVER);
    expect(await count(opened.database, 'records')).toBe(2);
    expect(await readAll(store, kept.id)).toHaveLength(2);
  });

  it('is as little as what an import leaves that was not completed', async () => {
    const { database } = opened;
    const before = await count(database, 'records');
    const row = { ...(await ended(store, 'gone')), begun: true };
    const records = (await readAll(store, row.id)).slice();
    await store.deleteChat(uidOf(row.chat_id));
    await store.removeLeftovers(NEVER);
    const archive = new TypeOrmChatArchive(database);
    const discarded = await archive.receive();
    await discarded.append(row, records);
    await discarded.discard();
    const left = await archive.receive();
    await left.append({ ...row, id: `${row.id}_left` }, records);
    await store.removeLeftovers(NEVER);
    expect(await count(database, 'records')).toBe(before + records.length);
    const passDay = "UPDATE loose_logs SET remove_at = remove_at - interval '1 day'";
    await database.query({ text: passDay }, []);
    const age = "UPDATE incoming_chats SET begun_at = begun_at - interval '25 hours'";
    await database.query({ text: age }, []);
    await store.removeLeftovers(NEVER);
    expect(await count(database, 'records')).toBe(before);
    expect(await count(database, 'incoming_chats')).toBe(0);
  });
});

(fault ? describe.skip : describe)('What a deleted chat leaves on a Postgres server', () => {
  let opened: Awaited<ReturnType<typeof openTestPostgres>>;
  let store: WholeStore;
  let admin: pg.Client;
  beforeAll(async () => {
    opened = await openTestPostgres();
    store = typeOrmStore(opened.database);
    admin = new pg.Client(allTenants(opened.url));
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await opened.close();
  });

  it('does not hold the deletion up: the chat is gone while its records can’t be removed', async () => {
    const { chat_id, id } = await fill(store, 10);
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE records IN SHARE MODE');
    expect(await store.deleteChat(uidOf(chat_id))).toBe('deleted');
    expect(await store.findChat(chat_id)).toBeUndefined();
    expect(await store.findInteraction(id)).toBeUndefined();
    expect(await readAll(store, id)).toEqual([]);
    expect(await count(opened.database, 'records')).toBe(10);
    await admin.query('ROLLBACK');
    await store.removeLeftovers(NEVER);
    expect(await count(opened.database, 'records')).toBe(0);
  });
});
