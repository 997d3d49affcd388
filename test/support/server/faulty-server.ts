import { appendFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { z } from 'zod';
import { bootstrap } from '../../../src/bootstrap.js';
import { PAUSES_MS } from '../../../src/runs/runner/crash-quarantine.js';
import { AgentType } from '../../../src/agents/agent-type.decorator.js';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import { Agent } from '../../../src/agents/agent.js';
import { ToolProvider } from '../../../src/tools/core/tool-provider.decorator.js';
import { Tool } from '../../../src/tools/core/tool.js';
import type { ToolContext, ToolPolicy, ToolRecovery } from '../../../src/tools/core/tool.js';

/** Long enough for any test to be over. */
const FOREVER_MS = 600_000;

abstract class FaultyTool extends Tool {
  readonly input = z.object({});
  readonly description = 'Does what a server has to cope with.';
  abstract readonly recovery: ToolRecovery;

  get policy(): ToolPolicy {
    return { category: 'compute', read_only: true, risk: 'low', recovery: this.recovery };
  }
}

/** Takes the process down. */
@Injectable()
@ToolProvider()
class DeadlyTool extends FaultyTool {
  readonly name = 'deadly';
  readonly recovery = 'rerun';

  async execute(): Promise<string> {
    process.kill(process.pid, 'SIGKILL');
    await delay(FOREVER_MS);
    return 'Survived.';
  }
}

const note = z.object({ path: z.string(), text: z.string() });

/**
 * Leaves a line in a file, where a test finds out how often it ran and with what; people are asked
 * about it.
 */
@Injectable()
@ToolProvider()
class NoteTool extends Tool<z.output<typeof note>> {
  readonly name = 'note';
  readonly description = 'Leaves a note.';
  readonly input = note;
  readonly policy: ToolPolicy = {
    ...{ category: 'write', read_only: false, risk: 'medium' },
    recovery: 'report',
  };

  async execute({ path, text }: z.output<typeof note>): Promise<string> {
    await appendFile(path, `${text}\n`);
    return `Noted: ${text}`;
  }
}

/** Runs until it is stopped, and must not be run twice. */
@Injectable()
@ToolProvider()
class SlowTool extends FaultyTool {
  readonly name = 'slow';
  readonly recovery = 'report';

  async execute(_: unknown, { signal, output }: ToolContext): Promise<string> {
    output('Half of it is done.');
    await delay(FOREVER_MS, undefined, { signal }).catch(() => {});
    return 'Half of it is done.';
  }
}

/** Neither ends nor stops when told to, and must not be run twice. */
@Injectable()
@ToolProvider()
class DeafTool extends FaultyTool {
  readonly name = 'deaf';
  readonly recovery = 'report';

  async execute(_: unknown, { output }: ToolContext): Promise<string> {
    output('Deaf.');
    await delay(FOREVER_MS);
    return 'Done.';
  }
}

/** Runs until it is stopped the first time; does no harm when it is run again, and ends then. */
@Injectable()
@ToolProvider()
class AgainTool extends FaultyTool {
  readonly name = 'again';
  readonly recovery = 'rerun';

  async execute(_: unknown, { signal, output }: ToolContext): Promise<string> {
    if (process.argv.includes('--again')) return 'Done at last.';
    output('First try.');
    await delay(FOREVER_MS, undefined, { signal }).catch(() => {});
    return 'Stopped.';
  }
}

/** Its code throws where nobody can catch it, and it waits for what does not come any more. */
@Injectable()
@AgentType({ name: 'bomb', description: 'Throws in a timer.' })
class BombAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    await ctx.say('Tick.');
    setTimeout(() => {
      throw new TypeError('Boom.');
    }, 1);
    return new Promise(() => {});
  }
}

/** Leaves a promise to itself that is rejected. */
@Injectable()
@AgentType({ name: 'careless', description: 'Waits for nothing.' })
class CarelessAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    void Promise.reject(new TypeError('Whatever.'));
    await ctx.step('pass', () => delay(1));
    return 'Fine.';
  }
}

@Module({
  providers: [
    ...[DeadlyTool, NoteTool, SlowTool, DeafTool, AgainTool],
    ...[BombAgent, CarelessAgent],
  ],
})
class FaultyModule {}

/** Suspects are retried after a twentieth of the time. */
if (process.argv.includes('--impatient'))
  PAUSES_MS.forEach((pause, index) => ((PAUSES_MS as number[])[index] = pause / 20));

await bootstrap([FaultyModule]);
