import { uidOf } from '../support/store/chat-parts.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import { Vacuum } from '../../src/storage/typeorm/connection/vacuum.js';
import {
  ended,
  endBatch,
  HELD,
  newBatch,
  started,
} from '../contracts/interaction-store/fixtures.js';
import type { TestDatabase } from '../support/store/databases.js';
import { openTestPglite } from '../support/store/databases.js';
import { eventually } from '../support/eventually.js';

describe(Vacuum.name, () => {
  let tested: TestDatabase;
  let vacuum: Vacuum;
  let store: WholeStore;
  beforeEach(async () => {
    tested = await openTestPglite();
    vacuum = new Vacuum(tested.database, 1);
    store = typeOrmStore(tested.database, vacuum);
  });
  afterEach(async () => {
    await vacuum.stop();
    await tested.close();
  });

  const pages = async (): Promise<number> => {
    const text = `SELECT (pg_relation_size('records') / 8192)::integer AS pages`;
    const [row] = await tested.database.query<{ pages: number }>({ text }, []);
    return row!.pages;
  };
  const fill = async (): Promise<string> => {
    const { id, chat_id } = await started(store, { lease: HELD });
    await store.append([newBatch(id, [2, 2000])]);
    await store.append([endBatch(id, 2001)]);
    return chat_id;
  };

  it('gives back what a deleted chat took', async () => {
    const kept = await ended(store, 'kept');
    const chat_id = await fill();
    expect(await pages()).toBeGreaterThan(40);
    expect(await store.deleteChat(uidOf(chat_id))).toBe('deleted');
    await store.removeLeftovers(new AbortController().signal);
    await eventually(async () => (await pages()) === 1);
    expect(await store.readRecords(kept.id, { after: 0, limit: 9 })).toHaveLength(2);
  });

  it('lets the space in the middle be used again', async () => {
    const chat_id = await fill();
    await ended(store, 'kept');
    const before = await pages();
    await store.deleteChat(uidOf(chat_id));
    await store.removeLeftovers(new AbortController().signal);
    await vacuumed();
    await fill();
    expect(await pages()).toBeLessThan(before + 5);
  });

  it('is in nobody’s way, and nobody in its', async () => {
    const work = Array.from({ length: 40 }, async (_, n) => {
      vacuum.request();
      const { chat_id } = await ended(store, String(n));
      return store.deleteChat(uidOf(chat_id));
    });
    expect(new Set(await Promise.all(work))).toEqual(new Set(['deleted']));
  });

  /** `records` has been gone through. */
  async function vacuumed(): Promise<void> {
    const text = `SELECT relallvisible > 0 AS done FROM pg_class WHERE relname = 'records'`;
    await eventually(async () => {
      const [row] = await tested.database.query<{ done: boolean }>({ text }, []);
      return row!.done;
    });
  }
});
