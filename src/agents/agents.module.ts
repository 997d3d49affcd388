import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { AgentRegistry } from './agent-registry.js';
import { AgentTypesController } from './agent-types.controller.js';
import { InterventionsController } from './interventions/interventions.controller.js';
import { InterventionsService } from './interventions/interventions.service.js';
import { CallRates } from './runtime/call-rates.js';
import { AgentTreeService } from './tree/agent-tree.service.js';
import { AgentsController } from './tree/agents.controller.js';
import { ReactAgent } from './react/react.agent.js';

@Module({
  imports: [DiscoveryModule, CancellationModule],
  controllers: [AgentTypesController, AgentsController, InterventionsController],
  providers: [AgentRegistry, CallRates, ReactAgent, AgentTreeService, InterventionsService],
  exports: [AgentRegistry, CallRates],
})
export class AgentsModule {}
