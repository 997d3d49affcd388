import { Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { SecurityModule } from './access/security.module.js';
import { AudioModule } from './audio/audio.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuditModule } from './audit/audit.module.js';
import { ChatsModule } from './chats/chats.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { Config } from './config/config.js';
import { AppConfigModule } from './config/config.module.js';
import { FacadesModule } from './facades/facades.module.js';
import { FeedModule } from './feed/feed.module.js';
import { FilesModule } from './files/files.module.js';
import { HealthModule } from './health/health.module.js';
import { InteractionsModule } from './interactions/interactions.module.js';
import { KernelModule } from './kernel/kernel.module.js';
import { LoggingModule } from './logging/logging.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PermissionsModule } from './permissions/permissions.module.js';
import { ProblemsModule } from './problems/problems.module.js';
import { RealtimeModule } from './realtime/realtime.module.js';
import { StorageModule } from './storage/storage.module.js';
import type { AllStores } from './storage/stores.js';
import { TasksModule } from './tasks/tasks.module.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';
import { TracingModule } from './tracing/tracing.module.js';
import { TimelineModule } from './timeline/timeline.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** A module of agents, tools and the like beside the server's own. */
export type ServerModule = Type | DynamicModule;

@Module({
  imports: [
    KernelModule,
    LoggingModule,
    TelemetryModule,
    TracingModule,
    AuthModule,
    SecurityModule,
    AuditModule,
    ApiKeysModule,
    ProblemsModule,
    HealthModule,
    MetricsModule,
    InteractionsModule,
    ChatsModule,
    ApprovalsModule,
    PermissionsModule,
    TasksModule,
    FeedModule,
    TimelineModule,
    FilesModule,
    AudioModule,
    RealtimeModule,
    McpModule,
    WebhooksModule,
  ],
})
export class AppModule {
  /**
   * The server, which opens its stores.
   * @param modules agents and tools beside the server's own
   */
  static forRoot(config: Config, modules: readonly ServerModule[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        AppConfigModule.of(config),
        StorageModule.forRoot(),
        FacadesModule.of(config),
        ...modules,
      ],
    };
  }

  /** The server with a given configuration, on stores that are open already. */
  static of(
    config: Config,
    stores: AllStores,
    modules: readonly ServerModule[] = [],
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        AppConfigModule.of(config),
        StorageModule.of(stores),
        FacadesModule.of(config),
        ...modules,
      ],
    };
  }
}
