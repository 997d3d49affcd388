import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { ConversationCache } from '../../src/persistence/conversation-cache/conversation-cache.js';
import { MessageLists } from '../../src/persistence/conversation-cache/message-lists.js';
import type { Message } from '../../src/protocol/message.js';
import { connectRedis } from '../../src/redis/connect-redis.js';
import { eventually } from '../support/eventually.js';
import { findRedisServerFault, RedisServer } from '../support/store/redis-server.js';
import { findRedisFault, testRedisUrl } from '../support/store/test-redis.js';
import { runs } from '../support/thoroughness.js';

interface Place {
  readonly id: string;
  readonly chat_uid: string;
  readonly parent_id: string | null;
}

const CHAT = 'chat_1';
const WHOLE = Infinity;
/** Whatever else the machine does. */
const PATIENCE_MS = 30_000;
const fault = await findRedisFault();

/** What interactions have added to their chat, as a store has it. */
class Saved {
  /** Of interactions that follow another; a first one may go on from messages of its chat. */
  reads = 0;
  private readonly all = new Map<string, { parent_id: string | null; added: Message[] }>();

  end({ id, parent_id }: Place, added: readonly Message[]): void {
    this.all.set(id, { parent_id, added: [...added] });
  }

  before(parentId: string | null): Message[] {
    if (parentId === null) return [];
    const { parent_id, added } = this.all.get(parentId)!;
    return [...this.before(parent_id), ...added];
  }

  store(parentOf: (id: string) => string | null) {
    return {
      getPreviousState: async (id: string): Promise<Message[]> => this.before(parentOf(id)),
      findFinalState: async (id: string, most: number) => {
        this.reads++;
        const messages = this.before(id);
        const bytes = JSON.stringify(messages).length;
        return bytes > most ? undefined : { parts: [{ id: null, messages }], bytes };
      },
    };
  }
}

(fault ? describe.skip : describe)(ConversationCache.name, () => {
  let redis: Redis;
  let saved: Saved;
  let prefix: string;
  let memory: ConversationCache;
  let places: Map<string, Place>;

  beforeAll(() => {
    redis = connectRedis(testRedisUrl(), () => {}, { enableOfflineQueue: true });
  });
  afterAll(() => redis.disconnect());
  beforeEach(() => begin());
  afterEach(() => redis.del(`${prefix}${CHAT}`));

  function begin(limits = { most: 20, most_bytes: 10_000 }): void {
    prefix = `parley-test-${randomUUID()}:`;
    saved = new Saved();
    places = new Map();
    const store = saved.store((id) => places.get(id)!.parent_id);
    const lists = new MessageLists(redis, { prefix, ttl_ms: 60_000, ...limits });
    memory = new ConversationCache(store, lists, undefined, PATIENCE_MS);
  }

  function place(parent_id: string | null): Place {
    const made = { id: `int_${places.size + 1}`, chat_uid: CHAT, parent_id };
    places.set(made.id, made);
    return made;
  }

  const head = async (): Promise<string | null> => redis.lindex(`${prefix}${CHAT}`, 0);

  /** Runs an interaction to its end, and resolves when Redis has it. */
  async function speak(parent: Place | null, length = 10): Promise<Place> {
    const own = place(parent?.id ?? null);
    const before = (await memory.read(own, WHOLE))!;
    const added: Message[] = [
      { role: 'user', content: `${own.id} 🦜\u2028"` },
      { role: 'assistant', content: 'a'.repeat(length) },
    ];
    saved.end(own, added);
    const known = await head();
    memory.note(own, { before, added });
    await eventually(async () => (await head()) !== known);
    return own;
  }

  it('asks the store once, and never again while the chat goes on', async () => {
    const first = await speak(null);
    await redis.del(`${prefix}${CHAT}`);
    const third = await speak(await speak(first));
    expect(saved.reads).toBe(1);
    expect(await memory.read(place(third.id), WHOLE)).toEqual(saved.before(third.id));
    expect(saved.reads).toBe(1);
  });

  it('asks the store after an edit, and keeps what the chat goes on with', async () => {
    const first = await speak(null);
    const left = await speak(first);
    const edited = await speak(first);
    expect(saved.reads).toBe(1);
    expect(await memory.read(place(edited.id), WHOLE)).toEqual(saved.before(edited.id));
    expect(saved.reads).toBe(1);
    expect(await memory.read(place(left.id), WHOLE)).toEqual(saved.before(left.id));
    expect(saved.reads).toBe(2);
  });

  it.each([
    ['messages', { most: 5, most_bytes: 10_000 }],
    ['bytes', { most: 20, most_bytes: 300 }],
  ])('keeps no more %s than it may', async (_, limits) => {
    begin(limits);
    const second = await speak(await speak(null, 20), 20);
    expect(await redis.exists(`${prefix}${CHAT}`)).toBe(1);
    const third = await speak(second, 50);
    expect(await redis.exists(`${prefix}${CHAT}`)).toBe(0);
    memory.note(place(null), { before: [], added: saved.before(third.id) }); // all of it at once is too much as well
    await redis.ping(); // comes to Redis after that
    expect(await redis.exists(`${prefix}${CHAT}`)).toBe(0);
    expect(await memory.read(place(third.id), WHOLE)).toEqual(saved.before(third.id));
  });

  it('reads no more than it is asked for from the store', async () => {
    const first = await speak(null, 1_000);
    await redis.del(`${prefix}${CHAT}`);
    expect(await memory.read(place(first.id), 100)).toBeUndefined();
  });

  it('lets a chat that nobody speaks in go', async () => {
    const first = await speak(null);
    expect(await redis.pttl(`${prefix}${CHAT}`)).toBeGreaterThan(10_000);
    await redis.pexpire(`${prefix}${CHAT}`, 10_000);
    await memory.read(place(first.id), WHOLE);
    expect(await redis.pttl(`${prefix}${CHAT}`)).toBeGreaterThan(10_000);
  });

  it('forgets a chat that was deleted, also what is told of it late', async () => {
    const first = await speak(null);
    await memory.forget(CHAT);
    memory.note(place(null), { before: [], added: [{ role: 'user', content: 'Late.' }] });
    expect(await redis.lrange(`${prefix}${CHAT}`, 0, -1)).toEqual(['{"deleted":true}']);
    expect(await redis.pttl(`${prefix}${CHAT}`)).toBeGreaterThan(0);
    expect(await memory.read(place(first.id), WHOLE)).toEqual(saved.before(first.id));
  });

  it('forgets what ends with an interaction that runs again, because the store lost its end', async () => {
    const first = await speak(null);
    const lost = await speak(first);
    await memory.reopen(first);
    expect(await head()).toContain(lost.id);
    await memory.reopen(lost);
    expect(await redis.exists(`${prefix}${CHAT}`)).toBe(0);
  });

  it.each([
    ['is garbage', async (key: string) => redis.lset(key, 0, '{')],
    ['is no list', async (key: string) => redis.set(key, 'hello')],
    ['has a message that is none', async (key: string) => redis.lset(key, 1, '{')],
  ])('asks the store when what is kept %s', async (_, spoil) => {
    const first = await speak(null);
    await spoil(`${prefix}${CHAT}`);
    expect(await memory.read(place(first.id), WHOLE)).toEqual(saved.before(first.id));
    expect(saved.reads).toBe(1);
  });

  it('waits no longer than the store takes for a Redis that hangs, and tells what one refuses', async () => {
    const refused: string[] = [];
    const hanging = {
      find: () => new Promise<never>(() => {}),
      append: () => Promise.reject(new Error('NOPERM')),
    } as unknown as MessageLists;
    const store = saved.store(() => 'int_1');
    const patient = new ConversationCache(store, hanging, ({ message }) => refused.push(message));
    saved.end(place(null), [{ role: 'user', content: 'Hello?' }]);
    const second = place('int_1');
    expect(await patient.read(second, WHOLE)).toEqual(saved.before('int_1'));
    patient.note(second, { before: [], added: [] });
    await eventually(() => refused.length > 0);
    expect(refused).toEqual(['NOPERM']);
  });

  it('asks the store while Redis is away', async () => {
    const away = new Redis({ lazyConnect: true, enableOfflineQueue: false });
    const lists = new MessageLists(away, { prefix, ttl_ms: 1, most: 1, most_bytes: 1 });
    const alone = new ConversationCache(
      saved.store(() => 'int_1'),
      lists,
    );
    saved.end(place(null), [{ role: 'user', content: 'Hello?' }]);
    const second = place('int_1');
    alone.note(second, { before: [], added: [] });
    await alone.forget(CHAT);
    expect(await alone.read(second, WHOLE)).toEqual(saved.before('int_1'));
    alone.onApplicationShutdown();
  });

  it('says what the store says, however the chat is edited, and whatever Redis loses', async () => {
    const step = fc.record({
      /** How far back from the newest interaction it goes on. */
      back: fc.nat({ max: 3 }),
      added: fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 4 }),
      loses: fc.constantFrom('nothing', 'nothing', 'nothing', 'all', 'the note'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        begin();
        const ended: Place[] = [];
        for (const { back, added, loses } of steps) {
          const own = place(ended.at(-1 - back)?.id ?? null);
          const before = (await memory.read(own, WHOLE))!;
          expect(before).toEqual(saved.before(own.parent_id));
          const messages = added.map((content): Message => ({ role: 'user', content }));
          saved.end(own, messages);
          ended.push(own);
          if (loses !== 'the note') memory.note(own, { before, added: messages });
          if (loses === 'all') await redis.del(`${prefix}${CHAT}`);
        }
        await redis.del(`${prefix}${CHAT}`);
      }),
      { numRuns: runs(60) },
    );
  });
});

(findRedisServerFault() ? describe.skip : describe)(
  'ConversationCache, and a Redis that is full',
  () => {
    const first: Message = { role: 'user', content: 'Hello?' };
    let server: RedisServer;
    let redis: Redis;
    let lists: MessageLists;

    beforeAll(async () => {
      server = await RedisServer.start();
      redis = connectRedis(server.url, () => {}, { enableOfflineQueue: true });
      lists = new MessageLists(redis, { prefix: '', ttl_ms: 60_000, most: 20, most_bytes: 10_000 });
    });
    afterAll(async () => {
      await redis.quit();
      await server.stop();
    });
    beforeEach(async () => {
      await redis.config('SET', 'maxmemory', 0);
      await redis.flushall();
      await lists.replace(CHAT, { head: 'int_1', messages: [first] });
      await redis.config('SET', 'maxmemory', 1);
    });

    it('keeps what is there, and takes nothing more', async () => {
      const second = { head: 'int_2', messages: [first] };
      await expect(lists.replace(CHAT, second)).rejects.toThrow('OOM');
      await expect(lists.append(CHAT, 'int_1', second)).rejects.toThrow('OOM');
      await expect(lists.replace('chat_2', second)).rejects.toThrow('OOM');
      expect(await lists.find(CHAT, 'int_1')).toEqual([first]);
      expect(await redis.keys('*')).toEqual([CHAT]);
    });

    it('forgets a chat that was deleted', async () => {
      await lists.forget(CHAT);
      expect(await redis.lrange(CHAT, 0, -1)).toEqual(['{"deleted":true}']);
    });
  },
);
