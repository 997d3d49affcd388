import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HealthModule } from '../health/health.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { PendingRequests } from './pending-requests.js';

@Module({
  imports: [
    AgentsModule,
    EventLogModule,
    GuardrailsModule,
    HealthModule,
    StreamsModule,
    InteractionsModule,
    ToolsModule,
  ],
  controllers: [MetricsController],
  providers: [Metrics, PendingRequests],
})
export class MetricsModule {}
