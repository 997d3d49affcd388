import { Injectable } from '@nestjs/common';
import { AgentType } from '../../dist/src/agents/agent-type.decorator.js';
import { Agent } from '../../dist/src/agents/agent.js';

/**
 * Has two others work in the background: waits for one of them in the end, and leaves the other as
 * it is.
 */
export class BossAgent extends Agent {
  async run(ctx) {
    const plan = planOf(ctx.messages);
    const asked = await ctx.fork(`Plan ${plan}.asked: 1 turns`);
    await ctx.fork(`Plan ${plan}.left: 3 turns`, { agent_type: 'react' });
    for (let turn = await ctx.generate(); turn.tool_calls.length > 0; turn = await ctx.generate())
      await ctx.callTools(turn.tool_calls);
    return `They say: ${await ctx.wait(asked)}`;
  }
}
Injectable()(BossAgent);
AgentType({ name: 'boss', description: 'Has others work for it.' })(BossAgent);

function planOf(messages) {
  const plans = messages.map(({ content }) => /^Plan (\S+):/.exec(content ?? '')?.[1]);
  return plans.findLast((plan) => plan !== undefined);
}
