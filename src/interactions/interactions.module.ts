import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HttpModule } from '../http/http.module.js';
import { ModelsModule } from '../models/models.module.js';
import { ConversationCacheModule } from '../persistence/conversation-cache/conversation-cache.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { CancelController } from '../cancellation/cancellation.controller.js';
import { CancelService } from '../cancellation/cancel.service.js';
import { DisconnectWatch } from '../cancellation/disconnect-watch.js';
import { EventsService } from './events.service.js';
import { InteractionView } from './interaction-view.js';
import { InteractionsController } from './interactions.controller.js';
import { InteractionsService } from './interactions.service.js';
import { LeaseKeeper } from '../runs/runner/lease-keeper.js';
import { ProcessName } from '../runs/runner/process-name.js';
import { RunServices } from '../runs/run-services.js';
import { Runner } from '../runs/runner/runner.js';
import { CrashQuarantine } from '../runs/runner/crash-quarantine.js';
import { Sweep } from '../runs/runner/sweep.js';
import { WaitForEnd } from '../cancellation/wait-for-end.js';

@Module({
  imports: [
    AgentsModule,
    ConversationCacheModule,
    EventLogModule,
    ModelsModule,
    ToolsModule,
    WorkspaceModule,
    PermissionsModule,
    GuardrailsModule,
    HttpModule,
    CancellationModule,
  ],
  controllers: [InteractionsController, CancelController],
  providers: [
    InteractionsService,
    CancelService,
    EventsService,
    InteractionView,
    WaitForEnd,
    RunServices,
    Runner,
    LeaseKeeper,
    ProcessName,
    Sweep,
    CrashQuarantine,
    DisconnectWatch,
  ],
  exports: [Runner, InteractionView, WaitForEnd],
})
export class InteractionsModule {}
