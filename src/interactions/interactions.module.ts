import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HttpModule } from '../http/http.module.js';
import { RunsModule } from '../runs/runs.module.js';
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
import { WaitForEnd } from '../cancellation/wait-for-end.js';

@Module({
  imports: [
    RunsModule,
    AgentsModule,
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
    DisconnectWatch,
  ],
  exports: [RunsModule, InteractionView, WaitForEnd],
})
export class InteractionsModule {}
