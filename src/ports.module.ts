import { Global, Logger, Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { Config } from './config/config.js';
import type { Secret } from './config/secret.js';
import { Clock, SystemClock } from './kernel/clock.js';
import { Ids } from './kernel/ids.js';
import { ChatArchive } from './persistence/chat-archive.js';
import { ConversationCache } from './persistence/conversation-cache/conversation-cache.js';
import { ChatStore } from './persistence/chat.store.js';
import { InteractionStore } from './persistence/interaction.store.js';
import { InterventionStore } from './persistence/intervention.store.js';
import { LeaseStore } from './persistence/lease.store.js';
import { RecordStore } from './persistence/record.store.js';
import { RequestStore } from './persistence/request.store.js';
import { LiveBus } from './event-log/live/live-bus.js';
import { LocalLiveBus } from './event-log/live/local/local-live-bus.js';
import { MessageLists } from './persistence/conversation-cache/message-lists.js';
import { RedisLiveBus } from './event-log/live/redis/redis-live-bus.js';
import { LogWriter } from './event-log/append/log-writer.js';
import { SpillFolder } from './event-log/spill/spill-folder.js';
import { Spill } from './event-log/spill/spill.js';
import { StoreHealth } from './event-log/store-health.js';
import { Readers } from './event-log/follow/readers.js';
import { AnthropicProvider } from './models/anthropic/anthropic-provider.js';
import { DemoProvider } from './models/demo/demo-provider.js';
import { Metrics } from './metrics/metrics.js';
import { ModelRegistry } from './models/model-registry.js';
import type { ModelProvider } from './models/model-provider.js';
import { OpenAiProvider } from './models/openai/openai-provider.js';
import { seesImages } from './models/sees-images.js';
import type { HttpProviderOptions } from './models/wire/http-provider-options.js';
import type { AllStores } from './storage/stores.js';
import { RuleStore } from './permissions/rule-store.js';
import { connectRedis } from './redis/connect-redis.js';
import { Refusals } from './redis/refusals.js';
import { BullRunQueue } from './queue/bullmq/bull-run-queue.js';
import { LocalRunQueue } from './queue/local/local-run-queue.js';
import { RunQueue } from './queue/run-queue.js';
import { TaskStore } from './tasks/task-store.js';
import { openSandbox } from './workspace/sandbox/open-sandbox.js';
import { Sandbox } from './workspace/sandbox/sandbox.js';
import { PythonSettings } from './tools/python/python-settings.js';
import { ToolLimits } from './tools/tool-limits.js';

/** Binds ports to implementations, for all modules. */
@Global()
@Module({})
export class PortsModule {
  static of(config: Config, stores: AllStores): DynamicModule {
    const providers: Provider[] = [
      { provide: Config, useValue: config },
      { provide: Clock, useClass: SystemClock },
      Ids,
      Metrics,
      { provide: ChatStore, useValue: stores.chats },
      { provide: InteractionStore, useValue: stores.interactions },
      { provide: RecordStore, useValue: stores.records },
      { provide: LeaseStore, useValue: stores.leases },
      { provide: RequestStore, useValue: stores.requests },
      { provide: InterventionStore, useValue: stores.interventions },
      { provide: ChatArchive, useValue: stores.archive },
      { provide: RuleStore, useValue: stores.rules },
      { provide: TaskStore, useValue: stores.tasks },
      { provide: LiveBus, useFactory: () => openLiveBus(config) },
      {
        provide: ConversationCache,
        inject: [InteractionStore],
        useFactory: (saved: InteractionStore) => openHotMemory(config, saved),
      },
      { provide: RunQueue, useFactory: () => openRunQueue(config) },
      {
        provide: Spill,
        useFactory: () => openSpill(config, stores),
      },
      {
        provide: StoreHealth,
        inject: [RecordStore, Spill, Clock, RunQueue],
        useFactory: (records: RecordStore, spill: Spill, clock: Clock, queue: RunQueue) =>
          new StoreHealth(
            { records, spill, clock },
            {
              name: config.store === 'file' ? 'data directory' : 'database',
              patience_ms: patienceOf(config),
              onSaved: (id) => queue.enqueue(id),
            },
          ),
      },
      {
        provide: LogWriter,
        inject: [RecordStore, Clock, Spill, StoreHealth, Metrics],
        useFactory: (
          ...[saved, clock, spill, watch, meter]: [RecordStore, Clock, Spill, StoreHealth, Metrics]
        ) =>
          new LogWriter(saved, clock, {
            save_timeout_ms: config.saveTimeoutMs,
            spill,
            watch,
            meter,
          }),
      },
      {
        provide: Readers,
        inject: [RecordStore, LiveBus],
        useFactory: (records: RecordStore, bus: LiveBus) => new Readers({ records, bus }),
      },
      { provide: ModelRegistry, useValue: modelsOf(config) },
      { provide: ToolLimits, useValue: config },
      { provide: PythonSettings, useValue: config },
      { provide: Sandbox, useFactory: () => openSandbox(config) },
    ];
    return { module: PortsModule, providers, exports: providers.map(tokenOf) };
  }
}

function modelsOf(config: Config): ModelRegistry {
  const { modelMaxOutputTokens, modelThinking } = config;
  return new ModelRegistry(providersOf(config), config.model, {
    ...(modelMaxOutputTokens !== undefined && { max_output_tokens: modelMaxOutputTokens }),
    ...(modelThinking !== undefined && { thinking: modelThinking }),
  });
}

/** Those that there is a key or an address for; the script always. */
function providersOf(config: Config): ModelProvider[] {
  const { openaiApiKey, openaiBaseUrl, anthropicApiKey, anthropicBaseUrl } = config;
  const openai = reach(config, { key: openaiApiKey, url: openaiBaseUrl });
  const anthropic = reach(config, { key: anthropicApiKey, url: anthropicBaseUrl });
  return [
    ...(openai ? [new OpenAiProvider(openai)] : []),
    ...(anthropic ? [new AnthropicProvider(anthropic)] : []),
    new DemoProvider(),
  ];
}

function reach(
  { modelTimeoutMs: timeoutMs, modelImages }: Config,
  { key, url: baseUrl }: { key: Secret | undefined; url: string | undefined },
): HttpProviderOptions | undefined {
  if (key === undefined && baseUrl === undefined) return undefined;
  const sees = (model: string): boolean => seesImages(model, modelImages);
  return { timeoutMs, sees, ...(key && { apiKey: key.reveal() }), ...(baseUrl && { baseUrl }) };
}

/** A job whose process is busy for a moment is not lost. */
const MIN_LOCK_MS = 5_000;
/** Of a chat in Redis: its memory is not ours alone. */
const MOST_KEPT = { most: 2_000, most_bytes: 512 * 1024 };
/** What everything in Redis begins with. Interactions of other servers have other ids. */
const REDIS_PREFIX = 'parley';

async function openLiveBus({ redisUrl }: Config): Promise<LiveBus> {
  if (!redisUrl) return new LocalLiveBus();
  const logger = new Logger('LiveBus');
  const report = (problem: string): void => logger.warn(problem);
  return RedisLiveBus.open({ url: redisUrl.reveal(), prefix: `${REDIS_PREFIX}:`, report });
}

function openHotMemory(
  { redisUrl, hotMemoryTtlMs: ttl_ms }: Config,
  store: InteractionStore,
): ConversationCache {
  if (!redisUrl || ttl_ms === 0) return new ConversationCache(store);
  const redis = connectRedis(redisUrl.reveal(), () => {}); // the live bus tells that it is away
  const lists = new MessageLists(redis, { prefix: `${REDIS_PREFIX}:chat:`, ttl_ms, ...MOST_KEPT });
  const logger = new Logger(ConversationCache.name);
  const refusals = new Refusals((message) =>
    logger.warn(`Redis refuses to keep what was said in chats: ${message}`),
  );
  return new ConversationCache(store, lists, (error) => refusals.note(error));
}

async function openRunQueue(config: Config): Promise<RunQueue> {
  const { redisUrl, maxConcurrentRuns: concurrency, leaseTtlMs } = config;
  if (!redisUrl) return new LocalRunQueue(concurrency);
  const lock_ms = Math.max(leaseTtlMs, MIN_LOCK_MS);
  const logger = new Logger('RunQueue');
  const report = (problem: string): void => logger.warn(problem);
  const url = redisUrl.reveal();
  return BullRunQueue.open({ url, prefix: REDIS_PREFIX, concurrency, lock_ms, report });
}

/** All that may be unsaved at once, in bytes; it fits in memory before. */
const MAX_SPILL_BYTES = 1024 ** 3;

/** A disk that takes no log takes no spill either. */
async function openSpill(config: Config, stores: AllStores): Promise<Spill> {
  const folder =
    config.store === 'file' ? undefined : new SpillFolder(config.dataDir, MAX_SPILL_BYTES);
  const spill = new Spill(stores, folder);
  await spill.open();
  return spill;
}

/** How long the store may take to say that it is there, in milliseconds. */
function patienceOf({ saveTimeoutMs }: Config): number {
  return Math.min(Math.max(saveTimeoutMs, 1000), 5000);
}

function tokenOf(provider: Provider): Exclude<DynamicModule['exports'], undefined>[number] {
  return typeof provider === 'function' ? provider : provider.provide;
}
