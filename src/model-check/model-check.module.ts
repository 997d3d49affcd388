import { Injectable, Module } from '@nestjs/common';
import type { AgentContext } from '../agents/agent-context.js';
import { AgentType } from '../agents/agent-type.decorator.js';
import { Agent } from '../agents/agent.js';
import { isProbeName, PROBES } from './probes.js';
import { KeepTextTool, WordForTool } from './probe-tools.js';

export const PROBE_AGENT = 'model_probe';

/** Runs the probe that `metadata.probe` names; its answer is the finding as JSON. */
@Injectable()
@AgentType({ name: PROBE_AGENT, description: 'Asks a model one question to find what it can do.' })
class ModelProbeAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    const { probe } = ctx.agent.metadata;
    if (!isProbeName(probe)) throw new Error(`There is no probe called ${String(probe)}.`);
    return JSON.stringify(await PROBES[probe].run(ctx));
  }
}

/** The agent and the tools that find what a model can do. */
@Module({ providers: [ModelProbeAgent, KeepTextTool, WordForTool] })
export class ModelCheckModule {}
