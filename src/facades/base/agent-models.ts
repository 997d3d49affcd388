import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agents/agent-registry.js';
import type { RunOptions } from '../../interactions/start/start-request.js';

/** An agent as a protocol's "model". */
export interface AgentModel {
  readonly id: string;
  readonly description: string;
}

/** Agents are the models of clients: `react`, or with a model, `react:openai/gpt-5-mini`. */
@Injectable()
export class AgentModels {
  constructor(private readonly agents: AgentRegistry) {}

  /** By name. */
  list(): readonly AgentModel[] {
    return this.agents.list().map(({ type: { name: id, description } }) => ({ id, description }));
  }

  /** Undefined if there is no such agent. Its model is checked when it starts. */
  find(id: string): Pick<RunOptions, 'agent' | 'model'> | undefined {
    const [agent = '', ...rest] = id.split(':');
    if (!this.agents.find(agent)) return undefined;
    return rest.length === 0 ? { agent } : { agent, model: rest.join(':') };
  }
}
