import { z } from 'zod';
import { Tool } from '../../../src/tools/core/tool.js';
import type { ToolContext, ToolPolicy, ToolRecovery } from '../../../src/tools/core/tool.js';

type Work = (input: Record<string, unknown>, context: ToolContext) => Promise<string> | string;

/** A tool that does what a test says. */
export class FakeTool extends Tool<Record<string, unknown>> {
  readonly description = 'Does what a test says.';
  readonly input = z.looseObject({});
  readonly policy: ToolPolicy;

  constructor(
    readonly name: string,
    private readonly work: Work,
    recovery: ToolRecovery = 'report',
    { read_only = recovery === 'rerun' }: Partial<Pick<ToolPolicy, 'read_only'>> = {},
  ) {
    super();
    this.policy = { category: 'compute', read_only, risk: 'low', recovery };
  }

  execute(input: Record<string, unknown>, context: ToolContext): Promise<string> | string {
    return this.work(input, context);
  }
}
