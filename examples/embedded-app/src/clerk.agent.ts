import { Injectable } from '@nestjs/common';
import { Agent } from 'parley/agent';
import type { AgentContext } from 'parley/agent-context';
import { AgentType } from 'parley/agent-type';
import { Stock } from './stock.js';

@Injectable()
@AgentType({ name: 'clerk', description: 'Says what is in stock.' })
export class ClerkAgent extends Agent {
  constructor(private readonly stock: Stock) {
    super();
  }

  run(ctx: AgentContext): Promise<string> {
    return ctx.step('stock', () => JSON.stringify([...this.stock.items]));
  }
}
