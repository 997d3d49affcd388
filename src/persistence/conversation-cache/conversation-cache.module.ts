import { Logger, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Encryption } from '../../encryption/encryption.js';
import { Refusals } from '../../redis/redis-faults.js';
import { RunStores } from '../stores.js';
import { ConversationCache } from './conversation-cache.js';
import { MessageLists } from './message-lists.js';

/** Limits per chat, because Redis is shared. */
const CHAT_LIMITS = { most: 2_000, most_bytes: 512 * 1024 };

@Module({
  providers: [
    { provide: ConversationCache, inject: [Config, RunStores, Encryption], useFactory: openCache },
  ],
  exports: [ConversationCache],
})
export class ConversationCacheModule {}

async function openCache(
  config: Config,
  { interactions: store }: RunStores,
  { keys }: Encryption,
): Promise<ConversationCache> {
  const { redisUrl, hotMemoryTtlMs: ttl_ms } = config;
  if (!redisUrl || ttl_ms === 0) return new ConversationCache(store);
  const { connectRedis, REDIS_PREFIX } = await import('../../redis/connect-redis.js');
  const redis = connectRedis(redisUrl.reveal(), () => {}); // The live bus reports outages.
  const prefix = `${REDIS_PREFIX}:chat:`;
  const lists = new MessageLists(redis, { prefix, ttl_ms, ...CHAT_LIMITS, keys });
  const logger = new Logger(ConversationCache.name);
  const refusals = new Refusals((message) =>
    logger.warn(`Redis rejected the conversation cache: ${message}`),
  );
  return new ConversationCache(store, lists, (error) => refusals.note(error));
}
