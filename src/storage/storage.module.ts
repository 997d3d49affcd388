import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationShutdown, Provider } from '@nestjs/common';
import { KeyStore } from '../auth/keys/key-store.js';
import { TicketStore } from '../auth/tickets/ticket-store.js';
import { AuditStore } from '../audit/audit-store.js';
import { Config } from '../config/config.js';
import { Encryption } from '../encryption/encryption.js';
import { Clock } from '../kernel/clock.js';
import { FileCatalog } from '../files/file-catalog.js';
import { AppLogger } from '../logging/app-logger.js';
import { ChatArchive } from '../persistence/chat-archive.js';
import { ChatStore } from '../persistence/chat.store.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { InterventionStore } from '../persistence/intervention.store.js';
import { LeaseStore } from '../persistence/lease.store.js';
import { RecordStore } from '../persistence/record.store.js';
import { RequestStore } from '../persistence/request.store.js';
import { RunStores } from '../persistence/stores.js';
import { RuleStore } from '../permissions/rules/rule-store.js';
import { UsageStore } from '../quotas/usage-store.js';
import { TaskStore } from '../tasks/task-store.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { openEncrypted } from './encrypted/open-encrypted.js';
import { openStorage } from './open-storage.js';
import type { AllStores } from './stores.js';

/** Closes the storage last: the shutdown hooks of global modules run after all others. */
class OpenStorage implements OnApplicationShutdown {
  constructor(
    readonly stores: AllStores,
    readonly encryption: Encryption,
    private readonly close?: () => Promise<void>,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.close?.();
  }
}

const PORTS: Provider[] = [
  port(ChatStore, 'chats'),
  port(InteractionStore, 'interactions'),
  port(RecordStore, 'records'),
  port(LeaseStore, 'leases'),
  port(RequestStore, 'requests'),
  port(InterventionStore, 'interventions'),
  port(ChatArchive, 'archive'),
  port(RuleStore, 'rules'),
  port(TaskStore, 'tasks'),
  port(FileCatalog, 'files'),
  port(KeyStore, 'keys'),
  port(TicketStore, 'tickets'),
  port(AuditStore, 'audit'),
  port(UsageStore, 'usage'),
  port(WebhookOutbox, 'webhooks'),
  {
    provide: Encryption,
    inject: [OpenStorage],
    useFactory: ({ encryption }: OpenStorage): Encryption => encryption,
  },
  {
    provide: RunStores,
    inject: [OpenStorage],
    useFactory: ({ stores }: OpenStorage): RunStores => stores.runs ?? stores,
  },
];

/**
 * Binds the store ports to the configured storage. The module is global because it is above the
 * features that use the ports, so they can't import it.
 */
@Global()
@Module({})
export class StorageModule {
  /** Opens the storage when the application is created, and closes it with the application. */
  static forRoot(): DynamicModule {
    return withStorage({
      provide: OpenStorage,
      inject: [Config, Clock, AppLogger],
      useFactory: async (config: Config, clock: Clock, logger: AppLogger) => {
        // Written directly, because Nest's own logger buffers messages until the application is
        // created.
        const storage = await openStorage(config, clock, (problem) =>
          logger.warn(problem, 'Storage'),
        );
        try {
          const { stores, encryption } = await openEncrypted(storage, config);
          return new OpenStorage(stores, encryption, () => storage.close());
        } catch (error) {
          await storage.close();
          throw error;
        }
      },
    });
  }

  /** Uses stores that are already open; the caller closes them. */
  static of(stores: AllStores): DynamicModule {
    return withStorage({
      provide: OpenStorage,
      inject: [Config],
      useFactory: async (config: Config) => {
        const opened = await openEncrypted(stores, config);
        return new OpenStorage(opened.stores, opened.encryption);
      },
    });
  }
}

function withStorage(storage: Provider): DynamicModule {
  return { module: StorageModule, providers: [storage, ...PORTS], exports: PORTS };
}

function port<K extends keyof AllStores>(
  token: abstract new (...args: never[]) => AllStores[K],
  name: K,
): Provider {
  return {
    provide: token,
    inject: [OpenStorage],
    useFactory: ({ stores }: OpenStorage) => stores[name],
  };
}
