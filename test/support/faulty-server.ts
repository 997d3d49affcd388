import { appendFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { z } from 'zod';
import { bootstrap } from '../../src/bootstrap.js';
import { ToolProvider } from '../../src/tools/tool-provider.decorator.js';
import { Tool } from '../../src/tools/tool.js';
import type { ToolPolicy } from '../../src/tools/tool.js';

/** Long enough for any test to be over. */
const FOREVER_MS = 600_000;

/** Takes the process down. */
@Injectable()
@ToolProvider()
class DeadlyTool extends Tool {
  readonly name = 'deadly';
  readonly description = 'Takes the process down.';
  readonly input = z.object({});
  readonly policy: ToolPolicy = {
    ...{ category: 'compute', read_only: true, risk: 'low' },
    recovery: 'rerun',
  };

  async execute(): Promise<string> {
    process.kill(process.pid, 'SIGKILL');
    await delay(FOREVER_MS);
    return 'Survived.';
  }
}

const note = z.object({ path: z.string(), text: z.string() });

/** Leaves a line in a file, where a test finds out how often it ran and with what; people are asked about it. */
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

@Module({ providers: [DeadlyTool, NoteTool] })
class FaultyModule {}

await bootstrap([FaultyModule]);
