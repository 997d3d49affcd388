import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../dist/client/index.js';
import { openDatabase } from '../../dist/src/storage/typeorm/connection/open-database.js';
import { TypeOrmInteractionStore } from '../../dist/src/storage/typeorm/interactions/typeorm-interaction-store.js';
import { summarise } from '../percentiles.mjs';
import { withCluster } from './cluster.mjs';
import { saveChats } from './saved-chats.mjs';

const LENGTHS = [10, 100, 1000];
const CHATS = 30;
const READS = 10;
const ROUNDS = 10;
/** People think. */
const PAUSE_MS = 10;
const WARM_UP = { kind: 'closed', model: 'flat-20', at_once: 16, seconds: 5 };
/** So that no conversation is cut. */
const ENV = { MODEL_CONTEXT_TOKENS: '1000000' };

/**
 * What the one read costs that a run begins with: the messages of a chat from Postgres, as the
 * server reads them, against the same messages as a list in Redis; and the time to the first delta
 * that the read is part of. A row for each length of a chat. One at a time.
 */
export async function conversations(bench, { topology, profile }) {
  return withCluster(bench, { topology, env: ENV, profile }, async ({ ports, store, redis }) => {
    await bench.client.run({ ...WARM_UP, ports });
    const database = await openDatabase({ url: store.url, migrate: false });
    try {
      const rows = {};
      for (const messages of LENGTHS) {
        const chats = await saveChats({ store, redis, chats: CHATS, messages });
        const reads = await compareReads(chats, {
          store: new TypeOrmInteractionStore(database),
          redis: redis.client,
        });
        rows[messages] = { ...reads, ...(await timeFirstDeltas({ ports, redis }, chats)) };
      }
      return { rows };
    } finally {
      await database.close();
    }
  });
}

/** Both take turns, so that they meet the same noise. The first round warms up. */
async function compareReads(chats, { store, redis }) {
  const times = { postgres: [], redis: [] };
  let sizes = 0;
  for (let round = 0; round <= READS; round++) {
    for (const { id, last, messages } of chats) {
      const read = await time(() => store.getPreviousState(last));
      const listed = await time(async () => (await redis.lrange(id, 0, -1)).map(parse));
      if (read.value.length !== messages || listed.value.length !== messages)
        throw new Error(`${id} has ${read.value.length} and ${listed.value.length} messages.`);
      sizes = JSON.stringify(listed.value).length;
      if (round === 0) continue;
      times.postgres.push(read.ms);
      times.redis.push(listed.ms);
    }
  }
  const postgres = summarise(times.postgres);
  const fromRedis = summarise(times.redis);
  return {
    kb: sizes / 1024,
    postgres_p50_ms: postgres.p50,
    postgres_p99_ms: postgres.p99,
    redis_p50_ms: fromRedis.p50,
    redis_p99_ms: fromRedis.p99,
    saved_ms: postgres.p50 - fromRedis.p50,
  };
}

function parse(text) {
  return JSON.parse(text);
}

async function time(work) {
  const begun = performance.now();
  const value = await work();
  return { value, ms: performance.now() - begun };
}

/**
 * Of each chat in turns: with its conversation kept in Redis, and after that was taken away. A
 * single process keeps none.
 */
async function timeFirstDeltas({ ports, redis }, chats) {
  const [port] = ports;
  const kept = [];
  const read = [];
  for (const { id } of chats) await timeFirstDelta(port, id);
  for (let round = 0; round < ROUNDS; round++)
    for (const { id, uid } of chats) {
      kept.push(await timeFirstDelta(port, id));
      await redis.client.del(`parley:chat:${uid}`);
      read.push(await timeFirstDelta(port, id));
    }
  const [fromRedis, fromPostgres] = [kept, read].map(summarise);
  return {
    first_kept_p50_ms: fromRedis.p50,
    first_kept_p99_ms: fromRedis.p99,
    first_read_p50_ms: fromPostgres.p50,
    first_read_p99_ms: fromPostgres.p99,
  };
}

/** Of the next interaction of a chat, in milliseconds; resolves at its end. */
async function timeFirstDelta(port, chat) {
  const message = { user_message: 'Go on', model: 'openai/flat-20' };
  const begun = performance.now();
  let first;
  for await (const { type } of createClient({ url: `http://127.0.0.1:${port}` }).start(
    chat,
    message,
  ))
    if (type === 'TEXT_DELTA') first ??= performance.now() - begun;
  if (first === undefined) throw new Error(`${chat} had no answer.`);
  await delay(PAUSE_MS);
  return first;
}
