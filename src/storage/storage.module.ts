import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationShutdown, Provider } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AppLogger } from '../logging/app-logger.js';
import { ChatArchive } from '../persistence/chat-archive.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { RuleStore } from '../permissions/rule-store.js';
import { TaskStore } from '../tasks/task-store.js';
import { openStorage } from './open-storage.js';
import type { Storage } from './open-storage.js';

/** Saved state, open. */
export type Stores = Omit<Storage, 'close'>;

/** Closes the storage after everything else: the shutdown hooks of global modules run last. */
class OpenStorage implements OnApplicationShutdown {
  constructor(
    readonly stores: Stores,
    private readonly close?: () => Promise<void>,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.close?.();
  }
}

/**
 * Binds the store ports to what the configuration selects. It is global because it is above the
 * features that use the ports.
 */
@Global()
@Module({})
export class StorageModule {
  /** Opens the storage with the application, and closes it with it. */
  static forRoot(): DynamicModule {
    return withStorage({
      provide: OpenStorage,
      inject: [Config, AppLogger],
      useFactory: async (config: Config, logger: AppLogger) => {
        // Directly, because Nest's own logger holds messages back until the application is created.
        const storage = await openStorage(config, (problem) => logger.warn(problem, 'Storage'));
        return new OpenStorage(storage, () => storage.close());
      },
    });
  }

  /** Stores that are open already; the caller closes them. */
  static of(stores: Stores): DynamicModule {
    return withStorage({ provide: OpenStorage, useValue: new OpenStorage(stores) });
  }
}

function withStorage(storage: Provider): DynamicModule {
  const ports: Provider[] = [
    port(InteractionStore, 'store'),
    port(RuleStore, 'rules'),
    port(TaskStore, 'tasks'),
    port(ChatArchive, 'archive'),
  ];
  return { module: StorageModule, providers: [storage, ...ports], exports: ports };
}

function port<K extends keyof Stores>(
  token: abstract new (...args: never[]) => Stores[K],
  name: K,
): Provider {
  return {
    provide: token,
    inject: [OpenStorage],
    useFactory: ({ stores }: OpenStorage) => stores[name],
  };
}
