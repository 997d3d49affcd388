import { Injectable } from '@nestjs/common';
import { Agent } from 'parley/agent';
import type { AgentContext } from 'parley/agent-context';
import type { DoneStep, HookContext, Step } from 'parley/agent-hooks';
import { AgentType } from 'parley/agent-type';
import { Stock } from './stock.js';

const MAX_LOOKUPS = 2;

@Injectable()
@AgentType({ name: 'clerk', description: 'Says what is in stock.' })
export class ClerkAgent extends Agent<Stock> {
  override resources(): Stock {
    return new Stock();
  }

  async run(ctx: AgentContext<Stock>): Promise<string> {
    const options = { instructions: 'You are a clerk. Look things up.', tools: ['count_stock'] };
    let turn = await ctx.generate(options);
    for (let i = 1; turn.tool_calls.length > 0 && i < ctx.max_iterations; i++) {
      await ctx.callTools(turn.tool_calls);
      turn = await ctx.generate(options);
    }
    // Readers have seen the text of the turn; this stands in its place.
    return `${turn.text} (${ctx.resources.lookups} lookups)`;
  }

  override beforeStep(step: Step, { resources }: HookContext<Stock>): string | void {
    if (step.kind === 'tool_call' && resources.lookups >= MAX_LOOKUPS)
      return `${MAX_LOOKUPS} lookups are enough. Answer now.`;
  }

  override afterStep(step: DoneStep, { resources }: HookContext<Stock>): void {
    if (step.kind === 'tool_call' && !step.value?.is_error) resources.lookups++;
  }
}
