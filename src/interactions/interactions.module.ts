import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { ConversationCacheModule } from '../persistence/conversation-cache/conversation-cache.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { FilesModule } from '../files/files.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HttpModule } from '../http/http.module.js';
import { ModelsModule } from '../models/models.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { EventsService } from './events.service.js';
import { InteractionView } from './interaction-view.js';
import { InteractionFactory } from './interaction.factory.js';
import { InteractionsController } from './interactions.controller.js';
import { InteractionsService } from './interactions.service.js';
import { RunChecks } from './run-checks.js';
import { RunsController } from './runs.controller.js';
import { RunsService } from './runs.service.js';

@Module({
  imports: [
    AccessModule,
    AgentsModule,
    CancellationModule,
    ConversationCacheModule,
    EventLogModule,
    FilesModule,
    GuardrailsModule,
    HttpModule,
    ModelsModule,
    QuotasModule,
    RunsModule,
    ToolsModule,
  ],
  controllers: [InteractionsController, RunsController],
  providers: [
    InteractionsService,
    RunsService,
    InteractionFactory,
    RunChecks,
    EventsService,
    InteractionView,
  ],
  exports: [RunsModule, InteractionView, RunChecks],
})
export class InteractionsModule {}
