import { DiscoveryService } from '@nestjs/core';

export interface AgentTypeOptions {
  /** The name by which a start selects it: `react`. */
  readonly name: string;
  readonly description: string;
  /** `<provider>/<name>`: its model unless its start names another. */
  readonly model?: string;
  /** Maximum number of iterations of its loop, unless its start names another. */
  readonly max_iterations?: number;
}

/** Marks a provider that extends `Agent` as a kind of agent. */
export const AgentType = DiscoveryService.createDecorator<AgentTypeOptions>();
