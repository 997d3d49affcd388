import { Logger, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { LeaseStore } from '../persistence/lease.store.js';
import { RecordStore } from '../persistence/record.store.js';
import { QueueModule } from '../queue/queue.module.js';
import { RunQueue } from '../queue/run-queue.js';
import { AppendMeter } from './append/append-meter.js';
import { LogWriter } from './append/log-writer.js';
import { Readers } from './follow/readers.js';
import { LiveBus } from './live/live-bus.js';
import { LocalLiveBus } from './live/local/local-live-bus.js';
import { SpillFolder } from './spill/spill-folder.js';
import { Spill } from './spill/spill.js';
import { StoreHealth } from './store-health.js';

/** Needs an `AppendMeter` and the stores, which are global. */
@Module({
  imports: [QueueModule],
  providers: [
    { provide: LiveBus, inject: [Config], useFactory: openLiveBus },
    {
      provide: Spill,
      inject: [Config, InteractionStore, RecordStore, LeaseStore],
      useFactory: openSpill,
    },
    {
      provide: StoreHealth,
      inject: [Config, RecordStore, Spill, Clock, RunQueue],
      useFactory: watchStore,
    },
    {
      provide: LogWriter,
      inject: [Config, RecordStore, Clock, Spill, StoreHealth, AppendMeter],
      useFactory: createLogWriter,
    },
    {
      provide: Readers,
      inject: [RecordStore, LiveBus],
      useFactory: (records: RecordStore, bus: LiveBus) => new Readers({ records, bus }),
    },
  ],
  exports: [LiveBus, Spill, StoreHealth, LogWriter, Readers, QueueModule],
})
export class EventLogModule {}

/** The Redis client is loaded only with `REDIS_URL`. */
async function openLiveBus({ redisUrl }: Config): Promise<LiveBus> {
  if (!redisUrl) return new LocalLiveBus();
  const { RedisLiveBus } = await import('./live/redis/redis-live-bus.js');
  const { REDIS_PREFIX } = await import('../redis/connect-redis.js');
  const logger = new Logger('LiveBus');
  const report = (problem: string): void => logger.warn(problem);
  return RedisLiveBus.open({ url: redisUrl.reveal(), prefix: `${REDIS_PREFIX}:`, report });
}

/** Bytes of all unsaved records; they fit in memory before they are written. */
const MAX_SPILL_BYTES = 1024 ** 3;

/** With the file store there is no folder: a disk that refuses the log refuses the spill too. */
async function openSpill(
  { store, dataDir }: Config,
  interactions: InteractionStore,
  ...[records, leases]: [RecordStore, LeaseStore]
): Promise<Spill> {
  const folder = store === 'file' ? undefined : new SpillFolder(dataDir, MAX_SPILL_BYTES);
  const spill = new Spill({ interactions, records, leases }, folder);
  await spill.open();
  return spill;
}

function watchStore(
  ...[config, records, spill, clock, queue]: [Config, RecordStore, Spill, Clock, RunQueue]
): StoreHealth {
  return new StoreHealth(
    { records, spill, clock },
    {
      name: config.store === 'file' ? 'data directory' : 'database',
      patience_ms: Math.min(Math.max(config.saveTimeoutMs, 1000), 5000),
      onSaved: (id) => queue.enqueue(id),
    },
  );
}

function createLogWriter(
  ...[{ saveTimeoutMs: save_timeout_ms }, records, clock, spill, watch, meter]: [
    Config,
    RecordStore,
    Clock,
    Spill,
    StoreHealth,
    AppendMeter,
  ]
): LogWriter {
  return new LogWriter(records, clock, { save_timeout_ms, spill, watch, meter });
}
