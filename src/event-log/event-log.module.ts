import { Logger, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { QueueModule } from '../queue/queue.module.js';
import { RunQueue } from '../queue/run-queue.js';
import { REDIS_PREFIX } from '../redis/redis-prefix.js';
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
    { provide: Spill, inject: [Config, InteractionStore], useFactory: openSpill },
    {
      provide: StoreHealth,
      inject: [Config, InteractionStore, Spill, Clock, RunQueue],
      useFactory: watchStore,
    },
    {
      provide: LogWriter,
      inject: [Config, InteractionStore, Clock, Spill, StoreHealth, AppendMeter],
      useFactory: createLogWriter,
    },
    {
      provide: Readers,
      inject: [InteractionStore, LiveBus],
      useFactory: (store: InteractionStore, bus: LiveBus) => new Readers({ store, bus }),
    },
  ],
  exports: [LiveBus, Spill, StoreHealth, LogWriter, Readers],
})
export class EventLogModule {}

async function openLiveBus({ redisUrl }: Config): Promise<LiveBus> {
  if (!redisUrl) return new LocalLiveBus();
  const { RedisLiveBus } = await import('./live/redis/redis-live-bus.js');
  const logger = new Logger('LiveBus');
  const report = (problem: string): void => logger.warn(problem);
  return RedisLiveBus.open({ url: redisUrl.reveal(), prefix: `${REDIS_PREFIX}:`, report });
}

/** Bytes of all unsaved records; they fit in memory before they are written. */
const MAX_SPILL_BYTES = 1024 ** 3;

/** With the file store there is no folder: a disk that refuses the log refuses the spill too. */
async function openSpill(
  { store: kind, dataDir }: Config,
  store: InteractionStore,
): Promise<Spill> {
  const folder = kind === 'file' ? undefined : new SpillFolder(dataDir, MAX_SPILL_BYTES);
  const spill = new Spill(store, folder);
  await spill.open();
  return spill;
}

function watchStore(
  ...[config, store, spill, clock, queue]: [Config, InteractionStore, Spill, Clock, RunQueue]
): StoreHealth {
  return new StoreHealth(
    { store, spill, clock },
    {
      name: config.store === 'file' ? 'data directory' : 'database',
      patience_ms: Math.min(Math.max(config.saveTimeoutMs, 1000), 5000),
      onSaved: (id) => queue.enqueue(id),
    },
  );
}

function createLogWriter(
  ...[{ saveTimeoutMs: save_timeout_ms }, store, clock, spill, watch, meter]: [
    Config,
    InteractionStore,
    Clock,
    Spill,
    StoreHealth,
    AppendMeter,
  ]
): LogWriter {
  return new LogWriter(store, clock, { save_timeout_ms, spill, watch, meter });
}
