import { Injectable, Module } from '@nestjs/common';
import { bootstrap } from '../../../src/bootstrap.js';
import { replayCommand } from '../../../src/replay-command.js';
import { AgentType } from '../../../src/agents/agent-type.decorator.js';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import { Agent } from '../../../src/agents/agent.js';

/** Returns what its model answered, signed; with a child, which does the same. */
@Injectable()
@AgentType({ name: 'signer', description: 'Signs its answer.' })
class SignerAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    const { text } = await ctx.generate();
    if (ctx.agent.parent_id !== null) return `${text} (of a child)`;
    const child = await ctx.fork('hello', { agent_type: 'signer' });
    return `${text} (signed: ${await ctx.wait(child)})`;
  }
}

@Module({ providers: [SignerAgent] })
class SigningModule {}

const isReplay = process.argv.length > 2;
await (isReplay ? replayCommand([SigningModule]) : bootstrap([SigningModule]));
