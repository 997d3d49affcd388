import { DiscoveryService } from '@nestjs/core';

export interface AgentTypeOptions {
  /** The name by which a start selects it: `react`. */
  readonly name: string;
  readonly description: string;
  /** `<provider>/<name>`: what it runs with unless its start says otherwise. */
  readonly model?: string;
  /** How often it may go round its loop, unless its start says otherwise. */
  readonly max_iterations?: number;
}

/** Marks a provider that extends `Agent` as a kind of agent. */
export const AgentType = DiscoveryService.createDecorator<AgentTypeOptions>();
