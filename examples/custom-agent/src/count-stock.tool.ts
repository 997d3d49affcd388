import { Injectable } from '@nestjs/common';
import { Tool } from 'parley/tool';
import type { ToolContext, ToolPolicy } from 'parley/tool';
import { ToolProvider } from 'parley/tool-provider';
import { z } from 'zod';
import { Stock } from './stock.js';

const input = z.object({ item: z.string().describe('What the customer wants.') });

@ToolProvider()
@Injectable()
export class CountStockTool extends Tool<z.infer<typeof input>> {
  readonly name = 'count_stock';
  readonly description = 'Says how many of an item there are.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };

  execute({ item }: z.infer<typeof input>, { resources }: ToolContext): string {
    return `${item}: ${resources.get(Stock).count(item)}`;
  }
}
