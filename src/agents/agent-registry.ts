import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppError } from '../kernel/app-error.js';
import { duplicateName } from '../kernel/duplicate-name.js';
import { warnOfUndecorated } from '../kernel/warn-of-undecorated.js';
import { AgentType } from './agent-type.decorator.js';
import type { AgentTypeOptions } from './agent-type.decorator.js';
import { Agent } from './agent.js';
import { cutText } from '../kernel/text/cut-text.js';

/** An agent type and its implementation. */
export interface RegisteredAgent {
  readonly type: AgentTypeOptions;
  readonly agent: Agent;
  /** Its origin if it is not a provider: the path of a file, for people. */
  readonly source?: string;
}

const AGENT = {
  base: Agent,
  decorator: AgentType,
  written: '@AgentType({ name, description })',
};

/** All agent types: the providers that are marked with `@AgentType`, and those of agent files. */
@Injectable()
export class AgentRegistry implements OnModuleInit {
  private readonly agents = new Map<string, RegisteredAgent>();
  /** Reason why an agent is missing, by its name. */
  private faulty: ReadonlyMap<string, string> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders({ metadataKey: AgentType.KEY })) {
      const type = this.discovery.getMetadataByDecorator(AgentType, wrapper);
      if (type) this.add(type, wrapper.instance);
    }
    warnOfUndecorated(this.discovery, AGENT);
  }

  /** By name. */
  list(): readonly RegisteredAgent[] {
    return [...this.agents.values()].sort((a, b) => a.type.name.localeCompare(b.type.name));
  }

  find(name: string): RegisteredAgent | undefined {
    return this.agents.get(name);
  }

  /** Replaces all agent types of files. `faulty`: why others are missing, by name. */
  replaceFiles(
    agents: readonly Required<RegisteredAgent>[],
    faulty: ReadonlyMap<string, string>,
  ): void {
    for (const [name, { source }] of this.agents) if (source) this.agents.delete(name);
    for (const agent of agents) this.agents.set(agent.type.name, agent);
    this.faulty = faulty;
  }

  /** @throws AppError `unknown_agent` (400) */
  get(name: string): Agent {
    const found = this.agents.get(name);
    if (found) return found.agent;
    const known = this.list().map(({ type }) => type.name);
    const why = this.faulty.get(name) ?? `There is no agent "${cutText(name, 64)}".`;
    const message = `${why} Use one of: ${known.join(', ')}.`;
    throw new AppError('invalid', 'unknown_agent', message, {
      errors: [{ field: 'agent', message }],
    });
  }

  private add(type: AgentTypeOptions, instance: unknown): void {
    if (!(instance instanceof Agent))
      throw new Error(`@AgentType("${type.name}") is on a provider that does not extend Agent.`);
    const other = this.agents.get(type.name);
    if (other) throw duplicateName('agents', type.name, [other.agent, instance]);
    this.agents.set(type.name, { type, agent: instance });
  }
}
