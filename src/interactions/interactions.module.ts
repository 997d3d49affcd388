import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HttpModule } from '../http/http.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { CancelController } from './cancel.controller.js';
import { CancelService } from './cancel.service.js';
import { DisconnectWatch } from './disconnect-watch.js';
import { EventsService } from './events.service.js';
import { InteractionView } from './interaction-view.js';
import { InteractionsController } from './interactions.controller.js';
import { InteractionsService } from './interactions.service.js';
import { LeaseKeeper } from './lease-keeper.js';
import { ProcessName } from './process-name.js';
import { RunDeps } from './run-deps.js';
import { Runner } from './runner.js';
import { Suspects } from './suspects.js';
import { Sweep } from './sweep.js';
import { WaitForEnd } from './wait-for-end.js';

@Module({
  imports: [
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
    RunDeps,
    Runner,
    LeaseKeeper,
    ProcessName,
    Sweep,
    Suspects,
    DisconnectWatch,
  ],
  exports: [Runner, InteractionView, WaitForEnd],
})
export class InteractionsModule {}
