import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AgentRegistry } from './agent-registry.js';
import { AgentTypesController } from './agent-types.controller.js';
import { CallRates } from './runtime/call-rates.js';
import { AgentTreeService } from './tree/agent-tree.service.js';
import { AgentsController } from './tree/agents.controller.js';
import { ReactAgent } from './react/react.agent.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [AgentTypesController, AgentsController],
  providers: [AgentRegistry, CallRates, ReactAgent, AgentTreeService],
  exports: [AgentRegistry, CallRates],
})
export class AgentsModule {}
