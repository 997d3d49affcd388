import { Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { ChatsModule } from './chats/chats.module.js';
import type { Config } from './config/config.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { InteractionsModule } from './interactions/interactions.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PermissionsModule } from './permissions/permissions.module.js';
import { TasksModule } from './tasks/tasks.module.js';
import { PortsModule } from './ports.module.js';
import type { AllStores } from './storage/stores.js';

/** The whole server, on an open store, with `modules` (agents, tools) beside its own. */
@Module({})
export class AppModule {
  static of(config: Config, stores: AllStores, modules: readonly Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PortsModule.of(config, stores),
        HttpModule,
        HealthModule,
        MetricsModule,
        InteractionsModule,
        ChatsModule,
        ApprovalsModule,
        PermissionsModule,
        TasksModule,
        McpModule,
        ...modules,
      ],
    };
  }
}
