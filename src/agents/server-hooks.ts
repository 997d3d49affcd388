import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { warnOfUndecorated } from '../kernel/warn-of-undecorated.js';
import type { DoneStep, HookContext, Step } from './agent-hooks.js';
import type { Message } from '../protocol/message.js';

/** Marks a provider that extends `Hooks` as hooks of all agents of the server. */
export const HooksProvider = DiscoveryService.createDecorator();

/**
 * Hooks of all agents, called before those of the agent's own type, with the same rules: they are
 * synchronous, are called again in the same order when an agent runs again after a crash, and an
 * error that one throws ends the agent. One instance serves all agents at once: what it keeps about
 * an agent belongs into a map by `ctx.agent.id`.
 */
export abstract class Hooks {
  /** A returned string is the reason to refuse the step; hooks after this one are not asked. */
  beforeStep?(step: Step, ctx: HookContext): string | void;
  afterStep?(step: DoneStep, ctx: HookContext): void;
  onMessage?(message: Message, ctx: HookContext): void;
}

const HOOKS = { base: Hooks, decorator: HooksProvider, written: '@HooksProvider()' };

/** The providers marked with `@HooksProvider`, in the order of their modules. */
@Injectable()
export class ServerHooks implements OnModuleInit {
  all: readonly Hooks[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const found = this.discovery.getProviders({ metadataKey: HooksProvider.KEY });
    this.all = found.map(({ instance, name }) => requireHooks(instance, String(name)));
    warnOfUndecorated(this.discovery, HOOKS);
  }
}

function requireHooks(instance: unknown, provider: string): Hooks {
  if (instance instanceof Hooks) return instance;
  throw new Error(`@HooksProvider() is on ${provider}, which does not extend Hooks.`);
}
