import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { FileChanges } from '../workspace-files/file-changes.js';
import type { FileChange } from '../workspace-files/file-changes.js';
import { diffData } from '../workspace-files/describe-change.js';
import { pathInput, textInput } from '../workspace-files/inputs.js';
import { ToolOutput } from '../core/tool-output.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { CallAbout, ToolContext, ToolPolicy } from '../core/tool.js';

const input = z.object({
  path: pathInput,
  content: textInput.describe('All that shall be in the file.'),
});

type Input = z.output<typeof input>;

/** Writes a whole file in the chat's workspace. */
@Injectable()
@ToolProvider()
export class WriteTool extends Tool<Input> {
  readonly name = 'write';
  readonly description =
    'Writes a file in the workspace, in one step: a new one, with the folders that it needs, or in the place of the one that is there. What is there has to be read first, and is lost; to change a part of a file, use edit.';
  readonly input = input;
  /**
   * Not rerun: other calls may have read and changed the file since, and a second write would
   * overwrite their changes (I4).
   */
  readonly policy: ToolPolicy = {
    category: 'write',
    read_only: false,
    risk: 'medium',
    recovery: 'report',
  };
  override readonly announces_start = true;
  override readonly uses_workspace = true;

  constructor(private readonly changes: FileChanges) {
    super();
  }

  override async summarize(value: Input, about: CallAbout): Promise<string> {
    return `Write ${await this.changes.preview(toChange(value), about)}`;
  }

  async execute(value: Input, context: ToolContext): Promise<ToolOutput> {
    const { path } = value;
    const { before, after, seen } = await this.changes.make(toChange(value), context);
    const journal = { seen };
    if (before?.equals(after))
      return new ToolOutput(`${path} holds exactly this already: nothing was changed.`, {
        journal,
      });
    const done = before ? 'Overwrote' : 'Created';
    const data = diffData({ path, before, after }, context.cut);
    return new ToolOutput(`${done} ${path}: ${sizeOf(value.content, after)}.`, { journal, data });
  }
}

function toChange({ path, content }: Input): FileChange {
  return { tool_name: 'write', path, apply: () => Buffer.from(content) };
}

function sizeOf(text: string, bytes: Buffer): string {
  const lines = text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
  return `${lines} ${lines === 1 ? 'line' : 'lines'}, ${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
}
