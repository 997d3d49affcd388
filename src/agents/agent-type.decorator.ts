import { DiscoveryService } from '@nestjs/core';

export interface AgentTypeOptions {
  /** What `agent` of a start names: `react`. */
  readonly name: string;
  readonly description: string;
}

/** Marks a provider that extends `Agent` as a kind of agent. */
export const AgentType = DiscoveryService.createDecorator<AgentTypeOptions>();
