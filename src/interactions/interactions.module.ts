import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HttpModule } from '../http/http.module.js';
import { ModelsModule } from '../models/models.module.js';
import { ConversationCacheModule } from '../persistence/conversation-cache/conversation-cache.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { RunServices } from '../runs/run-services.js';
import { CrashQuarantine } from '../runs/runner/crash-quarantine.js';
import { LeaseKeeper } from '../runs/runner/lease-keeper.js';
import { ProcessName } from '../runs/runner/process-name.js';
import { Runner } from '../runs/runner/runner.js';
import { Sweep } from '../runs/runner/sweep.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { EventsService } from './events.service.js';
import { InteractionView } from './interaction-view.js';
import { InteractionFactory } from './interaction.factory.js';
import { InteractionsController } from './interactions.controller.js';
import { InteractionsService } from './interactions.service.js';

@Module({
  imports: [
    AgentsModule,
    CancellationModule,
    ConversationCacheModule,
    EventLogModule,
    ModelsModule,
    GuardrailsModule,
    HttpModule,
    PermissionsModule,
    ToolsModule,
    WorkspaceModule,
  ],
  controllers: [InteractionsController],
  providers: [
    InteractionsService,
    InteractionFactory,
    EventsService,
    InteractionView,
    RunServices,
    Runner,
    LeaseKeeper,
    ProcessName,
    Sweep,
    CrashQuarantine,
  ],
  exports: [Runner, InteractionView],
})
export class InteractionsModule {}
