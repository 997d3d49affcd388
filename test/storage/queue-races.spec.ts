import { uidOf } from '../support/store/chat-parts.js';
import type { WholeStore } from '../support/store/whole-store.js';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import type { Database } from '../../src/storage/typeorm/connection/database.js';
import { openDatabase } from '../../src/storage/typeorm/connection/open-database.js';
import { typeOrmStore } from '../support/store/typeorm-store.js';
import {
  at,
  chatId,
  endBatch,
  HELD,
  newBatch,
  newEnd,
  newRequest,
  newStart,
  queued,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import type { TestDatabase } from '../support/store/databases.js';
import { findPostgresFault, openTestPostgres } from '../support/store/databases.js';
import { runs } from '../support/thoroughness.js';

const fault = await findPostgresFault();
const describeOnPostgres = fault ? describe.skip : describe;

describeOnPostgres(`people and queues on Postgres${fault ? `: ${fault}` : ''}`, () => {
  let tested: TestDatabase;
  let second: Database;
  let stores: [WholeStore, WholeStore];

  beforeAll(async () => {
    const opened = await openTestPostgres();
    tested = opened;
    second = await openDatabase({ url: opened.url, dataDir: '', migrate: false });
    stores = [typeOrmStore(tested.database), typeOrmStore(second)];
  });

  afterAll(async () => {
    await second.close();
    await tested.close();
  });

  it('are promoted after a crash in a bounded number at once', async () => {
    const [store] = stores;
    const waiting: string[] = [];
    for (let n = 0; n < 230; n++) {
      const { chat_id } = await started(store);
      waiting.push((await queued(store, { chat_id })).id);
    }
    const crash = `UPDATE interactions SET status = 'FAILED', completed_at = now() WHERE status = 'RUNNING'`;
    await tested.database.query({ text: crash }, []);
    const first = await store.promoteQueued(at(9));
    expect(first).toHaveLength(200);
    const second = await store.promoteQueued(at(9));
    expect([...first, ...second].toSorted()).toEqual(waiting.toSorted());
    await tested.database.query({ text: crash }, []);
  });

  it('are told whom an end has promoted, also when its first answer was lost', async () => {
    const [one, other] = stores;
    const { id, chat_id } = await started(one, { lease: HELD });
    const next = await queued(one, { chat_id });
    await one.append([endBatch(id, 2)]);
    const promoted: string[] = [];
    const stopListening = other.onPromoted((each) => promoted.push(each));
    expect(await other.append([endBatch(id, 2)])).toEqual(['written']);
    expect(promoted).toEqual([next.id]);
    stopListening();
  });

  it('settle each request once, while its run appends, parks and ends (I5)', async () => {
    const [one, two] = stores;
    const rows = await Promise.all(Array.from({ length: 50 }, () => started(one, { lease: HELD })));
    const requests = rows.map(() => newRequest(2));
    await one.append(
      rows.map(({ id }, i) =>
        newBatch(id, [2, 2], { requests: [requests[i]!], status: 'WAITING_INPUT' }),
      ),
    );
    const settle = (store: WholeStore, answer: string) =>
      Promise.all(
        requests.map(({ id }) =>
          store.settleRequest({
            request_id: id,
            settlement: { kind: 'input', answer, by: { kind: 'user', user_id: 'ann' } },
            at: at(9),
          }),
        ),
      );
    const [first, other] = await Promise.all([
      settle(one, 'first'),
      settle(two, 'other'),
      one.append(rows.map(({ id }) => newBatch(id, [3, 3]))),
      ...rows.map(({ id }) => two.park({ interaction_id: id, epoch: 1, signals: 0 })),
    ]);
    await Promise.all([one.append(rows.map(({ id }) => endBatch(id, 4))), settle(two, 'late')]);
    for (const [i, { id }] of requests.entries()) {
      const outcomes = [first[i]!.outcome, other[i]!.outcome];
      expect(outcomes.toSorted()).toEqual(['settled', 'settled_before']);
      const answer = first[i]!.outcome === 'settled' ? 'first' : 'other';
      expect(await two.findRequest(id)).toMatchObject({
        status: 'settled',
        settlement: { answer },
      });
      expect((await two.findInteraction(rows[i]!.id))?.signals).toBe(1);
    }
  });

  it('settle a request once when both find it pending (I5)', async () => {
    const [one, two] = stores;
    const { id } = await started(one, { lease: HELD });
    const request = newRequest(2);
    await one.append([newBatch(id, [2, 2], { requests: [request], status: 'WAITING_INPUT' })]);
    const runner = tested.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query("SELECT set_config('parley.tenant', '*', true)");
    await runner.query('SELECT FROM interactions WHERE id = $1 FOR UPDATE', [id]);
    const settling = [one, two].map((store, n) =>
      store.settleRequest({
        request_id: request.id,
        settlement: { kind: 'input', answer: `answer ${n}`, by: { kind: 'user', user_id: 'ann' } },
        at: at(9),
      }),
    );
    while ((await countWaiting(tested)) < settling.length);
    await runner.commitTransaction();
    await runner.release();
    const outcomes = (await Promise.all(settling)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['settled', 'settled_before']);
    const answer = `answer ${outcomes.indexOf('settled')}`;
    expect(await two.findRequest(request.id)).toMatchObject({ settlement: { answer } });
    expect((await two.findInteraction(id))?.signals).toBe(1);
  });

  it('begin what comes at the very moment that the one before it ends', async () => {
    const [one, two] = stores;
    for (let round = 0; round < runs(40); round++) {
      const rows = await Promise.all(
        Array.from({ length: 10 }, () => started(one, { lease: HELD })),
      );
      const starts = rows.map(({ chat_id }) => newStart({ chat_id, on_conflict: 'enqueue' }));
      const ends = rows.map(({ id }) => endBatch(id, 2));
      await Promise.all([
        ...(round % 2 ? [one.append(ends)] : ends.map((end) => one.append([end]))),
        ...starts.map((start) => two.startInteraction(start)),
      ]);
      for (const { chat, interaction } of starts)
        expect((await one.findActiveInteraction(uidOf(chat.id)))?.id).toBe(interaction.id);
    }
  });

  it('let nobody wait for a neighbour whose chat is held', async () => {
    const [store] = stores;
    const [free, held] = [
      await started(store, { lease: HELD }),
      await started(store, { lease: HELD }),
    ];
    const runner = tested.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query("SELECT set_config('parley.tenant', '*', true)");
    await runner.query('SELECT FROM chats WHERE uid = $1 FOR UPDATE', [held.chat_uid]);
    const appended = store.append([free, held].map(({ id }) => endBatch(id, 2)));
    while ((await store.findInteraction(free.id))?.completed_at === null);
    expect((await store.findInteraction(held.id))?.completed_at).toBeNull();
    await runner.commitTransaction();
    await runner.release();
    expect(await appended).toEqual(['written', 'written']);
  });

  it('strand nothing that is queued while others end, and lock nobody out (I9)', async () => {
    const race = new QueueRace(stores);
    await race.run();
    await race.drain();
    await race.check();
  });
});

/** The number of statements that wait for a lock. */
async function countWaiting({ database }: TestDatabase): Promise<number> {
  const text =
    'SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()';
  return (await database.query({ text }, [])).length;
}

const CHATS = 8;
const ROUNDS = 25;

/**
 * Chats to which messages come faster than they are worked off, from two processes, some cancelled
 * while they wait.
 */
class QueueRace {
  readonly #chats = Array.from({ length: CHATS }, () => chatId());
  readonly #entered: string[] = [];
  #cancelled = 0;

  constructor(private readonly stores: readonly [WholeStore, WholeStore]) {}

  async run(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all([
        ...this.#chats.map((chat, i) => this.#start(chat, round + i)),
        ...this.#chats.map((chat, i) => this.#start(chat, round + i + 1)),
        this.#endAll(this.stores[round % 2]!),
        this.#endAll(this.stores[(round + 1) % 2]!),
        this.#cancelOne(this.#chats[round % CHATS]!),
      ]);
    }
  }

  /** Ends all that is left. What is queued in a chat begins without anybody's help. */
  async drain(): Promise<void> {
    const [store] = this.stores;
    for (;;) {
      for (const chat of this.#chats) {
        const [first, ...rest] = await store.listUnfinished(uidOf(chat));
        if (first?.status === 'QUEUED' && [first, ...rest].some((row) => !row.cancel_reason))
          throw new Error(`Nothing is active in ${chat}, and ${first.id} waits.`);
      }
      if ((await this.#endAll(store)) === 0) break;
    }
  }

  async check(): Promise<void> {
    const [store] = this.stores;
    expect(this.#entered.length).toBeGreaterThan(CHATS * ROUNDS);
    expect(this.#cancelled).toBeGreaterThan(0);
    expect(await store.promoteQueued(at(99))).toEqual([]);
    let begun = 0;
    for (const chat_id of this.#chats) {
      const page = { chat_uid: uidOf(chat_id), superseded: false, limit: 1000 };
      const rows = await store.listInteractions(page);
      expect(await lengthOfBranch(store, chat_id)).toBe(rows.length);
      begun += rows.length;
      for (const { id } of rows) await expectWholeLog(store, id);
    }
    const rows = await Promise.all(this.#entered.map((id) => store.findInteraction(id)));
    expect(rows.every((row) => row?.completed_at)).toBe(true);
    expect(rows.filter((row) => row?.superseded_at === null)).toHaveLength(begun);
  }

  async #start(chat_id: string, n: number): Promise<void> {
    const on_conflict = n % 3 === 0 ? 'interrupt' : 'enqueue';
    const start = newStart({ chat_id, on_conflict });
    const { outcome } = await this.stores[n % 2]!.startInteraction(start);
    if (outcome === 'started' || outcome === 'queued') this.#entered.push(start.interaction.id);
    else expect(outcome).toBe('queue_full');
  }

  /**
   * Takes up what may run and ends it, in one group; another process tries the same. Answers how
   * many there were.
   */
  async #endAll(store: WholeStore): Promise<number> {
    const unfinished = await Promise.all(
      this.#chats.map((chat) => store.listUnfinished(uidOf(chat))),
    );
    const taken = await Promise.all(
      unfinished.flat().map(({ id }) => store.acquireLease(id, HELD)),
    );
    const rows = taken.flatMap((lease) => (lease ? [lease.interaction] : []));
    const held = rows.map(({ id, epoch }) => ({ interaction_id: id, epoch }));
    const [outcomes] = await Promise.all([
      store.append(rows.map(toEnd)),
      store.renewLeases(held, HELD),
    ]);
    expect(outcomes.every((outcome) => outcome === 'written')).toBe(true);
    return rows.length;
  }

  async #cancelOne(chat_id: string): Promise<void> {
    const waiting = await this.stores[0].listUnfinished(uidOf(chat_id));
    const row = waiting.at(-1);
    if (row?.status !== 'QUEUED') return;
    this.#cancelled++;
    await this.stores[1].requestCancel(row.id, 'user');
  }
}

function toEnd({ id, epoch, last_seq }: InteractionRow) {
  return endBatch(id, last_seq + 1, { epoch, end: newEnd(id) });
}

async function lengthOfBranch(store: WholeStore, chatId: string): Promise<number> {
  let length = 0;
  let id = (await store.findChat(chatId))?.head_interaction_id ?? null;
  for (; id !== null; length++) id = (await store.findInteraction(id))!.parent_id;
  return length;
}

async function expectWholeLog(store: WholeStore, id: string): Promise<void> {
  const types = (await readAll(store, id)).map(({ seq, body }) => `${seq} ${body.type}`);
  expect(types).toEqual(['1 INTERACTION_STARTED', '2 INTERACTION_COMPLETE']);
}
