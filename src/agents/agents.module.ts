import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { DiscoveryModule } from '@nestjs/core';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { ModelsModule } from '../models/models.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { AgentRegistry } from './agent-registry.js';
import { AgentTypesController } from './agent-types.controller.js';
import { CoderAgent } from './kinds/coder/coder.agent.js';
import { ProjectNotes } from './kinds/coder/project-notes.js';
import { DeliberateAgent } from './kinds/deliberate/deliberate.agent.js';
import { AgentFiles } from './files/agent-files.js';
import { KnownModels } from './models/known-models.js';
import { ModelsController } from './models/models.controller.js';
import { InterventionsController } from './interventions/interventions.controller.js';
import { InterventionsService } from './interventions/interventions.service.js';
import { AgentTreeService } from './tree/agent-tree.service.js';
import { AgentsController } from './tree/agents.controller.js';
import { ServerHooks } from './server-hooks.js';
import { ReactAgent } from './kinds/react/react.agent.js';

@Module({
  imports: [
    AccessModule,
    DiscoveryModule,
    CancellationModule,
    EventLogModule,
    GuardrailsModule,
    ModelsModule,
    PermissionsModule,
    ToolsModule,
    WorkspaceModule,
  ],
  controllers: [AgentTypesController, AgentsController, InterventionsController, ModelsController],
  providers: [
    AgentRegistry,
    ServerHooks,
    AgentFiles,
    ReactAgent,
    CoderAgent,
    DeliberateAgent,
    ProjectNotes,
    KnownModels,
    AgentTreeService,
    InterventionsService,
  ],
  exports: [AgentRegistry, InterventionsService, ServerHooks],
})
export class AgentsModule {}
