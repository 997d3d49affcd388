import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { EventLogModule } from '../event-log/event-log.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { Dependencies } from './dependencies.js';
import { HealthController } from './health.controller.js';
import { StoreGuard } from './store.guard.js';
import { WriteFaultsGuard } from './write-faults.guard.js';

@Module({
  imports: [
    EventLogModule,
    StreamsModule,
    QueueModule,
    ToolsModule,
    WebhooksModule,
    WorkspaceModule,
  ],
  controllers: [HealthController],
  providers: [
    Dependencies,
    { provide: APP_GUARD, useClass: StoreGuard },
    { provide: APP_GUARD, useClass: WriteFaultsGuard },
  ],
  exports: [Dependencies],
})
export class HealthModule {}
