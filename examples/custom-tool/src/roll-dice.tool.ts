import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Tool } from 'parley/tool';
import type { ToolPolicy } from 'parley/tool';
import { ToolProvider } from 'parley/tool-provider';
import { z } from 'zod';

const input = z.object({ count: z.int().min(1).max(100).describe('How many dice.') });

@ToolProvider()
@Injectable()
export class RollDiceTool extends Tool<z.infer<typeof input>> {
  readonly name = 'roll_dice';
  readonly description = 'Rolls dice with six sides. Use it whenever chance has to decide.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'compute',
    read_only: false,
    risk: 'low',
    recovery: 'report', // a second roll would be cheating
  };

  execute({ count }: z.infer<typeof input>): string {
    return Array.from({ length: count }, () => randomInt(1, 7)).join(', ');
  }
}
