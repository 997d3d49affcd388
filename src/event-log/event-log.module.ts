import { Logger, Module } from '@nestjs/common';
import type { Provider } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Encryption } from '../encryption/encryption.js';
import { Clock } from '../kernel/clock.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { LeaseStore } from '../persistence/lease.store.js';
import { RecordStore } from '../persistence/record.store.js';
import { QueueModule } from '../queue/queue.module.js';
import { RunQueue } from '../queue/run-queue.js';
import { LogWriter } from './append/log-writer.js';
import { Readers } from './follow/readers.js';
import { LiveBus } from './live/live-bus.js';
import { LocalLiveBus } from './live/local/local-live-bus.js';
import { RunWaker } from './live/run-waker.js';
import { SpillFolder } from './spill/spill-folder.js';
import { Spill } from './spill/spill.js';
import { StoreHealth } from './store-health.js';
import { Telemetry } from '../telemetry/telemetry.js';

/** All spilled records together, in bytes; they fit in memory before. */
const MAX_SPILL_BYTES = 1024 ** 3;

const PROVIDERS: Provider[] = [
  { provide: LiveBus, inject: [Config, Encryption], useFactory: openLiveBus },
  RunWaker,
  {
    provide: Spill,
    inject: [Config, InteractionStore, RecordStore, LeaseStore, Encryption],
    useFactory: openSpill,
  },
  {
    provide: StoreHealth,
    inject: [Config, RecordStore, Spill, RunQueue, Clock],
    useFactory: openStoreHealth,
  },
  {
    provide: LogWriter,
    inject: [Config, RecordStore, Spill, StoreHealth, Telemetry, Clock],
    useFactory: openLogWriter,
  },
  Readers,
];

/**
 * The log of interactions: appending, following, live frames, and what happens while the store is
 * unavailable.
 */
@Module({ imports: [QueueModule], providers: PROVIDERS, exports: [...PROVIDERS, QueueModule] })
export class EventLogModule {}

/** The client of Redis is loaded with `REDIS_URL` only. */
async function openLiveBus({ redisUrl }: Config, { live }: Encryption): Promise<LiveBus> {
  if (!redisUrl) return new LocalLiveBus();
  const { RedisLiveBus } = await import('./live/redis/redis-live-bus.js');
  const { REDIS_PREFIX } = await import('../redis/connect-redis.js');
  const logger = new Logger(LiveBus.name);
  return RedisLiveBus.open({
    url: redisUrl.reveal(),
    prefix: `${REDIS_PREFIX}:`,
    keys: live,
    report: (problem) => logger.warn(problem),
  });
}

/** The file store has none: a disk that takes no log takes no spill either. */
async function openSpill(
  config: Config,
  ...[interactions, records, leases, encryption]: [
    InteractionStore,
    RecordStore,
    LeaseStore,
    Encryption,
  ]
): Promise<Spill> {
  const folder =
    config.store === 'file' ? undefined : new SpillFolder(config.dataDir, MAX_SPILL_BYTES);
  const spill = new Spill({ interactions, records, leases }, folder, encryption);
  await spill.open();
  return spill;
}

function openStoreHealth(
  config: Config,
  ...[records, spill, queue, clock]: [RecordStore, Spill, RunQueue, Clock]
): StoreHealth {
  const name = config.store === 'file' ? 'data directory' : 'database';
  const timeout_ms = Math.min(Math.max(config.saveTimeoutMs, 1000), 5000);
  return new StoreHealth({ records, spill, queue, clock }, { name, timeout_ms });
}

function openLogWriter(
  { saveTimeoutMs: save_timeout_ms, webhookUrl }: Config,
  ...[records, spill, health, telemetry, clock]: [RecordStore, Spill, StoreHealth, Telemetry, Clock]
): LogWriter {
  const announce = webhookUrl !== undefined;
  return new LogWriter(records, clock, { save_timeout_ms, spill, health, telemetry, announce });
}
