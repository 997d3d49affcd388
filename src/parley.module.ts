import { Module } from '@nestjs/common';
import type {
  BeforeApplicationShutdown,
  DynamicModule,
  FactoryProvider,
  MiddlewareConsumer,
  ModuleMetadata,
  NestModule,
  OnModuleInit,
} from '@nestjs/common';
import type { MiddlewareBuilder } from '@nestjs/core';
import type { Application } from 'express';
import type { ServerModule } from './app.module.js';
import { MountedServer, checkPath } from './app/mounted-server.js';
import { ParleyServer } from './app/parley-server.js';
import { loadConfig } from './config/load-config.js';
import type { Environment } from './config/load-config.js';
import { prepareServer } from './server.js';

export interface ParleyOptions {
  /**
   * The variables of `.env.example`; the environment of the process is not read. `HOST` is where
   * the application listens, `0.0.0.0` unless given; `PORT` is not used.
   */
  readonly environment: Environment;
  /** Agents, tools and the like beside the server's own. */
  readonly modules?: readonly ServerModule[];
}

export interface ParleyAsyncOptions {
  /** Path of the HTTP API, without the global prefix: `/parley` unless given, `/` for the root. */
  readonly path?: string;
  readonly imports?: ModuleMetadata['imports'];
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: FactoryProvider<ParleyOptions>['useFactory'];
}

/**
 * Parley in a Nest application, on Express. It is an application of its own, so that neither has
 * the guards, pipes, filters, middleware or routes of the other; `ParleyServer` is exported.
 */
@Module({})
export class ParleyModule implements NestModule, OnModuleInit, BeforeApplicationShutdown {
  constructor(private readonly mounted: MountedServer) {}

  /** An application with wrong variables can't be created: a ConfigError has all faults. */
  static forRootAsync(options: ParleyAsyncOptions): DynamicModule {
    const { imports = [], inject = [], useFactory } = options;
    const path = checkPath(options.path ?? '/parley');
    return {
      module: ParleyModule,
      imports,
      providers: [
        {
          provide: MountedServer,
          inject,
          useFactory: async (...args: Parameters<typeof useFactory>) =>
            new MountedServer(await prepare(await useFactory(...args)), path),
        },
        {
          provide: ParleyServer,
          inject: [MountedServer],
          useFactory: ({ server }: MountedServer) => server,
        },
      ],
      exports: [ParleyServer],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    const adapter = (consumer as MiddlewareBuilder).getHttpAdapter();
    if (adapter.getType() !== 'express')
      throw new Error('ParleyModule needs an application on Express (@nestjs/platform-express).');
    this.mounted.mountOn(adapter.getInstance() as Application);
  }

  /** After the modules that it imports, and before those that import it. */
  async onModuleInit(): Promise<void> {
    await this.mounted.server.init();
  }

  /** Before the HTTP server closes, which waits for streams. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.mounted.server.shutdown();
  }
}

function prepare({ environment, modules = [] }: ParleyOptions): Promise<ParleyServer> {
  const HOST = environment['HOST']?.trim() || '0.0.0.0';
  return prepareServer(loadConfig({ ...environment, HOST }), modules);
}
