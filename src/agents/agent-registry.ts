import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppError } from '../kernel/app-error.js';
import { AgentType } from './agent-type.decorator.js';
import type { AgentTypeOptions } from './agent-type.decorator.js';
import { Agent } from './agent.js';

/** All kinds of agents: the providers that are marked with `@AgentType`. */
@Injectable()
export class AgentRegistry implements OnModuleInit {
  private readonly agents = new Map<
    string,
    { readonly type: AgentTypeOptions; readonly agent: Agent }
  >();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders({ metadataKey: AgentType.KEY })) {
      const type = this.discovery.getMetadataByDecorator(AgentType, wrapper);
      if (type) this.add(type, wrapper.instance);
    }
  }

  list(): readonly AgentTypeOptions[] {
    return [...this.agents.values()]
      .map(({ type }) => type)
      .sort((a, b) => a.name.localeCompare(b.name));
  }

  /** @throws AppError `unknown_agent` (400) */
  get(name: string): Agent {
    const found = this.agents.get(name);
    if (found) return found.agent;
    const known = this.list().map((type) => type.name);
    const message = `There is no agent "${name.slice(0, 64)}". Use one of: ${known.join(', ')}.`;
    throw new AppError('invalid', 'unknown_agent', message, {
      errors: [{ field: 'agent', message }],
    });
  }

  private add(type: AgentTypeOptions, instance: unknown): void {
    if (!(instance instanceof Agent))
      throw new Error(`@AgentType("${type.name}") is on a provider that does not extend Agent.`);
    if (this.agents.has(type.name)) throw new Error(`Two agents are called "${type.name}".`);
    this.agents.set(type.name, { type, agent: instance });
  }
}
