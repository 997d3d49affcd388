import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AgentRegistry } from './agent-registry.js';
import { AgentTypesController } from './agent-types.controller.js';
import { CallRates } from './runtime/call-rates.js';
import { ReactAgent } from './react/react.agent.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [AgentTypesController],
  providers: [AgentRegistry, CallRates, ReactAgent],
  exports: [AgentRegistry, CallRates],
})
export class AgentsModule {}
