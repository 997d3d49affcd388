import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolPolicy } from '../core/tool.js';
import { CalculatorThread } from './calculator-thread.js';

const MAX_LENGTH = 1_000;

const input = z.object({
  expression: z
    .string()
    .trim()
    .min(1, 'Give an expression, such as 6 * 7.')
    .max(MAX_LENGTH)
    .describe('For example: (2^10 - 24) / 8, sqrt(2), 15% * 80, sin(45 deg), round(2/3, 2), 20!'),
});

@ToolProvider()
@Injectable()
export class CalculatorTool extends Tool<z.infer<typeof input>> implements OnApplicationShutdown {
  readonly name = 'calculator';
  readonly description =
    'Calculates one arithmetic expression exactly, with + - * / ^ % mod ! and parentheses, functions such as sqrt, round, log (natural), log10, sin, min, max, mean, gcd and combinations, and the constants pi, e, tau and phi. Use it for every calculation.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'compute',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };
  private readonly thread = new CalculatorThread();

  execute({ expression }: z.infer<typeof input>): Promise<string> {
    return this.thread.calculate(expression);
  }

  onApplicationShutdown(): Promise<void> {
    return this.thread.stop();
  }
}
