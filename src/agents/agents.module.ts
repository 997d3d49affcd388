import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AgentRegistry } from './agent-registry.js';
import { AgentTypesController } from './agent-types.controller.js';
import { ReactAgent } from './react/react.agent.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [AgentTypesController],
  providers: [AgentRegistry, ReactAgent],
  exports: [AgentRegistry],
})
export class AgentsModule {}
